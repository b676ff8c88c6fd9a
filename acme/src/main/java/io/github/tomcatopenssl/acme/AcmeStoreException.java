// Copyright 2026-present the original author or authors.
// SPDX-License-Identifier: Apache-2.0

package io.github.tomcatopenssl.acme;

import java.io.IOException;
import java.nio.file.AccessDeniedException;
import java.nio.file.FileSystemException;
import java.nio.file.NoSuchFileException;

import io.github.tomcatopenssl.internal.certificate.FileFailure;
import io.github.tomcatopenssl.internal.certificate.OpenFolderException;
import io.github.tomcatopenssl.internal.certificate.SystemUser;
import io.github.tomcatopenssl.internal.store.StoreException;

/**
 * A file of the {@link AcmeStore} cannot be read or written.
 */
final class AcmeStoreException extends IOException {

	/**
	 * Create a new exception.
	 * @param file the file, or the entry of a database
	 * @param cause why it cannot be used
	 */
	AcmeStoreException(Object file, IOException cause) {
		super("'%s' cannot be used: %s".formatted(file, reason(cause)), cause);
	}

	/**
	 * Return the remedy.
	 * @param ex the failure to read or to write a file
	 * @return a sentence without its full stop
	 */
	static String action(IOException ex) {
		IOException reason = (ex instanceof AcmeStoreException && ex.getCause() instanceof IOException cause) ? cause
				: ex;
		if (reason instanceof StoreException failure) {
			return failure.action();
		}
		if (reason instanceof OpenFolderException folder) {
			return "%s, by setting '%s'".formatted(folder.action(), AcmeProperties.DIRECTORY);
		}
		String shortage = FileFailure.shortageAction(reason);
		return (shortage != null) ? shortage
				: "Check that the folder of '%s' exists and belongs to the user that runs the application ('%s'), and that its file system is writable and has space"
					.formatted(AcmeProperties.DIRECTORY, SystemUser.name());
	}

	private static String reason(IOException cause) {
		if (cause instanceof AccessDeniedException) {
			return "access is denied";
		}
		if (cause instanceof NoSuchFileException) {
			return "it, or its folder, does not exist";
		}
		return (cause instanceof FileSystemException failure && failure.getReason() != null) ? failure.getReason()
				: String.valueOf(cause.getMessage());
	}

}
