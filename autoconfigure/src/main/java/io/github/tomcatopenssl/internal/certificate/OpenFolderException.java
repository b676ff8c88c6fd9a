// Copyright 2026-present the original author or authors.
// SPDX-License-Identifier: Apache-2.0

package io.github.tomcatopenssl.internal.certificate;

import java.nio.file.FileSystemException;
import java.nio.file.Path;

/**
 * All users of the machine can enter a folder for private keys, and that cannot be
 * changed. A share or a FAT file system has the permissions with which it is mounted.
 */
public final class OpenFolderException extends FileSystemException {

	OpenFolderException(Path folder, String reason) {
		super(folder.toString(), null, reason);
	}

	/**
	 * Return the remedy.
	 * @return a sentence without its full stop
	 */
	public String action() {
		return "If the folder belongs to another user, make the user that runs the application ('%s') its owner with 'chown'. If it is on a share whose permissions are fixed, mount the share with the options 'uid' and 'gid' of this user, and with 'dir_mode=0700' and 'file_mode=0600' (SMB) or 'umask=0077' (FAT). Or use a folder on another file system"
			.formatted(SystemUser.name());
	}

}
