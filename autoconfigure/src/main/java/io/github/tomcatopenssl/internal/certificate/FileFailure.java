// Copyright 2026-present the original author or authors.
// SPDX-License-Identifier: Apache-2.0

package io.github.tomcatopenssl.internal.certificate;

import java.io.IOException;
import java.nio.file.AccessDeniedException;
import java.nio.file.FileSystemException;
import java.nio.file.FileSystemLoopException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;

import org.jspecify.annotations.Nullable;

/**
 * Why a file cannot be read, and what to do about it. Failures that Java has no exception
 * for come in the operating system's own words, which can be in the user's language.
 * Where they are not recognized, the action is one that is right for all of them.
 *
 * @param reason what is wrong, as a clause of a sentence
 * @param action what to do about it, as a sentence without its full stop
 */
public record FileFailure(String reason, String action) {

	private static final String UNREADABLE = "it cannot be read: ";

	/**
	 * Find out why a file cannot be read.
	 * @param file the file
	 * @param property the property that names the file
	 * @param ex the failure
	 * @return the reason and the action
	 */
	public static FileFailure of(Path file, String property, IOException ex) {
		String words = words(ex);
		if (ex instanceof AccessDeniedException) {
			return new FileFailure(UNREADABLE + "access is denied",
					"Give the user that runs the application ('%s') access to the file and to the folders above it. In Kubernetes, set 'fsGroup' in the pod's 'securityContext', and 'defaultMode: 0440' of the secret"
						.formatted(SystemUser.name()));
		}
		if (ex instanceof FileSystemLoopException || words.contains("symbolic link")) {
			return new FileFailure("its symbolic links form a loop", "Point the link to the file");
		}
		String shortage = shortageAction(ex);
		if (shortage != null) {
			return new FileFailure(UNREADABLE + words, shortage);
		}
		FileFailure missing = missing(file.toAbsolutePath(), property);
		if (missing != null) {
			return missing;
		}
		if (ex instanceof NoSuchFileException) {
			// The file was created in the meantime
			return absent(property);
		}
		return new FileFailure(UNREADABLE + words,
				"Check the file and the file system that it is on, or correct '%s'".formatted(property));
	}

	/**
	 * Return the remedy for a shortage of the operating system, such as too many open
	 * files, which has nothing to do with the file itself.
	 * @param ex the failure to read or to write a file
	 * @return a sentence without its full stop, or {@code null} if there is no shortage
	 */
	public static @Nullable String shortageAction(IOException ex) {
		String words = words(ex);
		// In the words of glibc and of musl
		if (words.contains("Too many open files") || words.contains("No file descriptors")) {
			return "Find out with 'lsof -p %d' which files are open. If the application needs that many, raise its limit ('ulimit -n', or 'LimitNOFILE' of systemd)"
				.formatted(ProcessHandle.current().pid());
		}
		return (words.contains("No space left") || words.contains("uota exceeded")) ? "Free space on the file system"
				: null;
	}

	private static String words(IOException ex) {
		return (ex instanceof FileSystemException failure && failure.getReason() != null) ? failure.getReason()
				: String.valueOf(ex.getMessage());
	}

	// Finds the first part of the path that does not exist
	private static @Nullable FileFailure missing(Path file, String property) {
		for (int i = 1; i <= file.getNameCount(); i++) {
			Path part = file.getRoot().resolve(file.subpath(0, i));
			boolean isLast = i == file.getNameCount();
			if (Files.notExists(part)) {
				if (Files.isSymbolicLink(part)) {
					return new FileFailure(
							"%s is a symbolic link to '%s', which does not exist"
								.formatted(isLast ? "it" : "'" + part + "'", target(part)),
							"Create what the link points to, or correct the link or '%s'".formatted(property));
				}
				return isLast ? absent(property) : new FileFailure("its folder '%s' does not exist".formatted(part),
						"Create the folder and the file, or correct '%s'".formatted(property));
			}
			if (!isLast && Files.isRegularFile(part)) {
				return new FileFailure("'%s' is a file, not a folder".formatted(part),
						"Correct '%s'".formatted(property));
			}
		}
		return null;
	}

	private static String target(Path link) {
		try {
			return Files.readSymbolicLink(link).toString();
		}
		catch (IOException ex) {
			return "?";
		}
	}

	/**
	 * Return the failure for a file that does not exist, although its folder does.
	 * @param property the property that names the file
	 * @return the reason and the action
	 */
	public static FileFailure absent(String property) {
		return new FileFailure("it does not exist", "Create the file or correct '%s'".formatted(property));
	}

}
