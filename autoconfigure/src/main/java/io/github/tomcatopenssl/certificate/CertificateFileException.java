// Copyright 2026-present the original author or authors.
// SPDX-License-Identifier: Apache-2.0

package io.github.tomcatopenssl.certificate;

import org.jspecify.annotations.Nullable;

/**
 * Thrown if the certificate configuration cannot be used. Never contains a password or
 * key material.
 */
public class CertificateFileException extends RuntimeException {

	private final String property;

	private final @Nullable String file;

	private final String reason;

	private final String action;

	/**
	 * Create a new exception.
	 * @param property the property that is wrong
	 * @param file the file that the property names, which is not shown if it is itself
	 * the content, or {@code null} if there is none
	 * @param reason what is wrong, as a clause of a sentence
	 * @param action what to do about it, as a sentence without its full stop
	 * @param cause the underlying error, if there is one
	 */
	public CertificateFileException(String property, @Nullable String file, String reason, String action,
			@Nullable Throwable cause) {
		super("'%s'%s: %s".formatted(property, (file != null) ? " ('" + describe(file) + "')" : "", reason), cause);
		this.property = property;
		this.file = (file != null) ? describe(file) : null;
		this.reason = reason;
		this.action = action;
	}

	/**
	 * Return a location as messages show it.
	 * @param location a file path or a resource location
	 * @return the location, or {@code base64:...} if the location is itself the content
	 */
	public static String describe(String location) {
		boolean isContent = location.contains("-----BEGIN")
				|| location.regionMatches(true, 0, "base64:", 0, "base64:".length());
		return isContent ? "base64:..." : location;
	}

	/**
	 * Return the property that is wrong.
	 * @return the name of the property
	 */
	public String getProperty() {
		return this.property;
	}

	/**
	 * Return the file that the property names.
	 * @return the file, or {@code null} if there is none or it must not be shown
	 */
	public @Nullable String getFile() {
		return this.file;
	}

	/**
	 * Return what is wrong.
	 * @return a clause of a sentence
	 */
	public String getReason() {
		return this.reason;
	}

	/**
	 * Return what to do about it.
	 * @return a sentence without its full stop
	 */
	public String getAction() {
		return this.action;
	}

}
