/*
 * Copyright 2026-present the original author or authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License");
 * you may not use this file except in compliance with the License.
 * You may obtain a copy of the License at
 *
 *      https://www.apache.org/licenses/LICENSE-2.0
 *
 * Unless required by applicable law or agreed to in writing, software
 * distributed under the License is distributed on an "AS IS" BASIS,
 * WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied.
 * See the License for the specific language governing permissions and
 * limitations under the License.
 */

package io.github.tomcatopenssl.library;

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
 * @param absence what to say when there is no file, as a clause of a sentence
 * @param files the files, the one to try first first
 */
record LibraryCandidates(String place, String absence, List<Path> files) {

	/**
	 * The names in the order in which Tomcat looks for them
	 * ({@link org.apache.tomcat.jni.Library}).
	 */
	private static final List<String> FILE_NAMES = Stream
		.of("tcnative-2", "libtcnative-2", "tcnative-1", "libtcnative-1")
		.map(System::mapLibraryName)
		.toList();

	/**
	 * A file, or the folder it is in.
	 * @param path the path of the file or folder
	 * @return the candidates
	 */
	static LibraryCandidates at(Path path) {
		Path absolute = path.toAbsolutePath();
		if (Files.isDirectory(absolute)) {
			return new LibraryCandidates(absolute.toString(), "the folder contains no " + preferredFileName(),
					filesIn(absolute.toString()));
		}
		return new LibraryCandidates(absolute.toString(), "there is no such file or folder",
				Files.exists(absolute) ? List.of(absolute) : List.of());
	}

	/**
	 * Where Tomcat looks itself: {@code catalina.home/bin}, where {@code catalina.home}
	 * is set, then {@code java.library.path}.
	 * @return the candidates
	 */
	static LibraryCandidates onLibraryPath() {
		String libraryPath = System.getProperty("java.library.path", "");
		String home = System.getProperty("catalina.home");
		List<Path> files = new ArrayList<>();
		if (home != null) {
			files.addAll(filesIn(home + File.separator + "bin"));
		}
		files.addAll(filesIn(libraryPath.split(File.pathSeparator)));
		return new LibraryCandidates("java.library.path", "no " + preferredFileName() + " in " + libraryPath, files);
	}

	/**
	 * Return whether a path leads to a file that this JVM has loaded.
	 * @param path the path of a file, or of the folder it is in
	 * @param loaded the real path of the loaded file, which may be deleted, or
	 * {@code null} when it is not known
	 * @return whether it does
	 */
	static boolean include(Path path, @Nullable Path loaded) {
		Path absolute = path.toAbsolutePath();
		return Stream.concat(Stream.of(absolute), FILE_NAMES.stream().map(absolute::resolve))
			.anyMatch((file) -> real(file).equals(loaded));
	}

	static String preferredFileName() {
		return FILE_NAMES.get(0);
	}

	static boolean isFileName(Path fileName) {
		return FILE_NAMES.contains(fileName.toString());
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
		// A relative folder would let the working directory choose native code
		List<String> absolute = Stream.of(folders).filter((folder) -> new File(folder).isAbsolute()).toList();
		return FILE_NAMES.stream()
			.flatMap((name) -> absolute.stream().map((folder) -> new File(folder, name)))
			.filter(File::exists)
			.map(File::toPath)
			.toList();
	}

}
