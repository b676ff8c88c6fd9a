// Copyright 2026-present the original author or authors.
// SPDX-License-Identifier: Apache-2.0

package io.github.tomcatopenssl;

import java.security.cert.X509Certificate;
import java.util.function.Function;

import org.jspecify.annotations.Nullable;

/**
 * Thrown if a setting cannot be enforced. Never contains a password or key material.
 */
public class TlsSettingException extends RuntimeException {

	// A SettingName, or the name of a property
	private final Object setting;

	private final @Nullable String file;

	private final transient @Nullable X509Certificate certificate;

	private final transient SettingText reason;

	private final transient SettingText action;

	/**
	 * Create a new exception.
	 * @param setting the setting
	 * @param reason what is wrong, as a clause of a sentence
	 * @param action what to do about it, as a sentence without its full stop
	 * @param cause the underlying error, if there is one
	 */
	public TlsSettingException(SettingName setting, SettingText reason, SettingText action, @Nullable Throwable cause) {
		this(setting, null, reason, action, cause);
	}

	/**
	 * Create a new exception for a virtual host that no client could connect to.
	 * @param setting the setting
	 * @param certificate the certificate that clients would be shown, or {@code null} if
	 * it is not known
	 * @param reason what is wrong, as a clause of a sentence
	 * @param action what to do about it, as a sentence without its full stop
	 * @param cause the underlying error, if there is one
	 */
	public TlsSettingException(SettingName setting, @Nullable X509Certificate certificate, SettingText reason,
			SettingText action, @Nullable Throwable cause) {
		super("'%s': %s".formatted(setting, reason), cause);
		this.setting = setting;
		this.file = null;
		this.certificate = certificate;
		this.reason = reason;
		this.action = action;
	}

	/**
	 * Create a new exception for a setting whose name the user knows.
	 * @param property the name of the property
	 * @param file the file that the property names, which is not shown if it is itself
	 * the content, or {@code null} if there is none
	 * @param reason what is wrong, as a clause of a sentence
	 * @param action what to do about it, as a sentence without its full stop
	 * @param cause the underlying error, if there is one
	 */
	public TlsSettingException(String property, @Nullable String file, String reason, String action,
			@Nullable Throwable cause) {
		super("'%s'%s: %s".formatted(property, (file != null) ? " ('" + describe(file) + "')" : "", reason), cause);
		this.setting = property;
		this.file = (file != null) ? describe(file) : null;
		this.certificate = null;
		this.reason = new SettingText("%s", reason);
		this.action = new SettingText("%s", action);
	}

	private TlsSettingException(TlsSettingException other, Function<SettingName, String> names) {
		super("'%s': %s".formatted(other.getSetting(names), other.getReason(names)), other.getCause());
		this.setting = other.setting;
		this.file = other.file;
		this.certificate = other.certificate;
		this.reason = other.reason;
		this.action = other.action;
		setStackTrace(other.getStackTrace());
	}

	/**
	 * Return the exception with a message in the words of the user. Frameworks log it
	 * before anybody can translate it.
	 * @param names returns the user's name of a setting
	 * @return the same exception if it has the name of a property
	 */
	public TlsSettingException withMessage(Function<SettingName, String> names) {
		return (this.setting instanceof SettingName) ? new TlsSettingException(this, names) : this;
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
	 * Return whether the exception is about a setting of the connector.
	 * @param setting the setting
	 * @return whether it is, unless the exception has the name of a property
	 */
	public boolean isAbout(SettingName setting) {
		return this.setting == setting;
	}

	/**
	 * Return the name of the setting.
	 * @param names returns the user's name of a setting
	 * @return the user's name of the setting
	 */
	public String getSetting(Function<SettingName, String> names) {
		return (this.setting instanceof SettingName name) ? names.apply(name) : this.setting.toString();
	}

	/**
	 * Return the file that the setting names.
	 * @return the file, or {@code null} if there is none or it is not known
	 */
	public @Nullable String getFile() {
		return this.file;
	}

	/**
	 * Return the certificate that clients would be shown.
	 * @return the certificate, or {@code null} if it is not known
	 */
	public @Nullable X509Certificate getCertificate() {
		return this.certificate;
	}

	/**
	 * Return the reason.
	 * @param names returns the user's name of a setting
	 * @return a clause of a sentence
	 */
	public String getReason(Function<SettingName, String> names) {
		return this.reason.with(names);
	}

	/**
	 * Return the remedy.
	 * @param names returns the user's name of a setting
	 * @return a sentence without its full stop
	 */
	public String getAction(Function<SettingName, String> names) {
		return this.action.with(names);
	}

}
