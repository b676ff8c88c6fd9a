// Copyright 2026-present the original author or authors.
// SPDX-License-Identifier: Apache-2.0

package io.github.tomcatopenssl.autoconfigure.check;

import java.util.function.Function;

import org.jspecify.annotations.Nullable;

import org.springframework.core.env.SimpleCommandLinePropertySource;

/**
 * The formats of a {@link TlsCheckReport}, which are the values of {@code --tls-check}.
 */
enum TlsCheckFormat {

	/**
	 * Words.
	 */
	TEXT(TlsCheckReport::text),

	/**
	 * JSON.
	 */
	JSON(TlsCheckReport::json);

	static final String OPTION = "tls-check";

	private final Function<TlsCheckReport, String> writer;

	TlsCheckFormat(Function<TlsCheckReport, String> writer) {
		this.writer = writer;
	}

	String write(TlsCheckReport report) {
		return this.writer.apply(report);
	}

	/**
	 * Return the format that is asked for. Only an argument counts: a variable of this
	 * name must not prevent a start.
	 * @param arguments the arguments of the application
	 * @return the format, or {@code null} if no check is asked for
	 */
	static @Nullable TlsCheckFormat find(String[] arguments) {
		String value = new SimpleCommandLinePropertySource(arguments).getProperty(OPTION);
		if (value == null || "false".equalsIgnoreCase(value)) {
			return null;
		}
		return "json".equalsIgnoreCase(value) ? JSON : TEXT;
	}

}
