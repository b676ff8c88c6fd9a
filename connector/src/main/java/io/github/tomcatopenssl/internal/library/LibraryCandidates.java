// Copyright 2026-present the original author or authors.
// SPDX-License-Identifier: Apache-2.0

package io.github.tomcatopenssl.internal.library;

import java.io.File;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;

import org.jspecify.annotations.Nullable;

/**
 * Files at one place that may be Tomcat Native.
 *
 * @param place the place that was searched
 * @param absence the reason if there is no file, as a clause of a sentence
 * @param files the files, in the order in which to try them
 */
record LibraryCandidates(String place, String absence, List<Path> files) {

	// In the order in which Tomcat's Library class looks for them
	private static final List<String> FILE_NAMES = Stream
		.of("tcnative-2", "libtcnative-2", "tcnative-1", "libtcnative-1")
		.map(System::mapLibraryName)
		.toList();

	// The path is a file, or the folder that contains it
	static LibraryCandidates at(Path path) {
		Path absolute = path.toAbsolutePath();
		String place = absolute.toString();
		if (Files.isDirectory(absolute)) {
			return new LibraryCandidates(place, "the folder contains no " + preferredFileName(), filesIn(place));
		}
		return new LibraryCandidates(place, "there is no such file or folder",
				Files.notExists(absolute) ? List.of() : List.of(absolute));
	}

	// The folders in which Tomcat itself looks
	static LibraryCandidates onLibraryPath() {
		String libraryPath = System.getProperty("java.library.path", "");
		String home = System.getProperty("catalina.home");
		List<Path> files = new ArrayList<>((home != null) ? filesIn(home + File.separator + "bin") : List.of());
		files.addAll(filesIn(libraryPath.split(File.pathSeparator)));
		return new LibraryCandidates("java.library.path", "no " + preferredFileName() + " in " + libraryPath, files);
	}

	// Whether a path leads to the loaded file, which may have been deleted
	static boolean include(Path path, @Nullable Path loaded) {
		Path absolute = path.toAbsolutePath();
		return Stream.concat(Stream.of(absolute), FILE_NAMES.stream().map(absolute::resolve))
			.anyMatch((file) -> real(file).equals(loaded));
	}

	static String preferredFileName() {
		return FILE_NAMES.get(0);
	}

	// A version number may follow the name, as in packages of Linux distributions
	static boolean isNamedLikeOne(Path file) {
		return FILE_NAMES.stream().anyMatch(String.valueOf(file.getFileName())::startsWith);
	}

	private static Path real(Path file) {
		try {
			Path folder = file.getParent();
			return (Files.exists(file) || folder == null) ? file.toRealPath()
					: folder.toRealPath().resolve(file.getFileName());
		}
		catch (IOException ex) {
			return file.normalize();
		}
	}

	private static List<Path> filesIn(String... folders) {
		// With a relative folder, the working directory would choose the native code
		List<String> absolute = Stream.of(folders).filter((folder) -> new File(folder).isAbsolute()).toList();
		return FILE_NAMES.stream()
			.flatMap((name) -> absolute.stream().map((folder) -> new File(folder, name)))
			.filter(File::exists)
			.map(File::toPath)
			.toList();
	}

}
