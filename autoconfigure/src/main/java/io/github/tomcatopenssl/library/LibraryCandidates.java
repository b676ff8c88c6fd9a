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
import java.nio.file.Files;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;

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
			return new LibraryCandidates(absolute.toString(), "the folder contains no " + FILE_NAMES.get(0),
					filesIn(List.of(absolute)));
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
		List<Path> folders = new ArrayList<>();
		for (String folder : libraryPath.split(File.pathSeparator)) {
			addFolder(folders, folder);
		}
		List<Path> files = new ArrayList<>();
		String home = System.getProperty("catalina.home");
		if (home != null) {
			List<Path> bin = new ArrayList<>();
			addFolder(bin, home + File.separator + "bin");
			files.addAll(filesIn(bin));
		}
		files.addAll(filesIn(folders));
		return new LibraryCandidates("java.library.path", "no " + FILE_NAMES.get(0) + " in " + libraryPath, files);
	}

	/**
	 * The name that Tomcat looks for first.
	 * @return a file name
	 */
	static String preferredFileName() {
		return FILE_NAMES.get(0);
	}

	private static void addFolder(List<Path> folders, String folder) {
		try {
			Path path = Path.of(folder);
			// A relative folder would let the working directory choose native code
			if (path.isAbsolute()) {
				folders.add(path);
			}
		}
		catch (InvalidPathException ex) {
			// Not a folder then
		}
	}

	private static List<Path> filesIn(List<Path> folders) {
		return FILE_NAMES.stream()
			.flatMap((name) -> folders.stream().map((folder) -> folder.resolve(name)))
			.filter(Files::exists)
			.toList();
	}

}
