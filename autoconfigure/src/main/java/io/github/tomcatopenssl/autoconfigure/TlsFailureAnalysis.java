// Copyright 2026-present the original author or authors.
// SPDX-License-Identifier: Apache-2.0

package io.github.tomcatopenssl.autoconfigure;

import java.util.List;
import java.util.stream.Collectors;

import org.jspecify.annotations.Nullable;

import org.springframework.boot.diagnostics.FailureAnalysis;

/**
 * The analysis of TLS settings that cannot be used.
 */
public class TlsFailureAnalysis extends FailureAnalysis {

	private final List<Problem> problems;

	TlsFailureAnalysis(List<Problem> problems, String action, Throwable cause) {
		super("A TLS setting of the web server cannot be used:%n".formatted()
				+ problems.stream().map(Problem::describe).collect(Collectors.joining()), action, cause);
		this.problems = problems;
	}

	/**
	 * Return the problems.
	 * @return the problems, at least one
	 */
	public List<Problem> problems() {
		return this.problems;
	}

	/**
	 * A setting that cannot be used.
	 *
	 * @param property the name of the property
	 * @param value its value, if that is not the file
	 * @param file the file that it names
	 * @param reason what is wrong
	 */
	public record Problem(String property, @Nullable String value, @Nullable String file, String reason) {

		private String describe() {
			return "%n".formatted() + line("Property", this.property) + line("Value", this.value)
					+ line("File", this.file) + line("Reason", this.reason);
		}

		private static String line(String name, @Nullable String value) {
			return (value != null) ? "    %s: %s%n".formatted(name, value) : "";
		}

	}

}
