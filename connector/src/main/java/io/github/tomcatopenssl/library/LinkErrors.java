// Copyright 2026-present the original author or authors.
// SPDX-License-Identifier: Apache-2.0

package io.github.tomcatopenssl.library;

import java.nio.file.Path;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

import io.github.tomcatopenssl.LoadAttempt;
import io.github.tomcatopenssl.LoadAttempt.Result;

/**
 * Says what a dynamic linker means. The patterns are the messages of glibc's and musl's
 * {@code dlopen} and what HotSpot adds to them ({@code os::dll_load}), the first that
 * matches counts.
 */
final class LinkErrors {

	private static final List<Rule> RULES = List.of(
			new Rule("org\\.apache\\.tomcat\\.jni\\.", Result.FAILED, "it is a native library, but not Tomcat Native"),
			new Rule("already loaded in another classloader", Result.OTHER_CLASS_LOADER,
					"it is already loaded in another class loader of this JVM"),
			new Rule("can't load (\\S+ ?\\S*) \\.so on a (\\S+ ?\\S*) platform", Result.WRONG_ARCHITECTURE,
					"it is for $1, and this JVM is for $2"),
			new Rule("wrong elf class|word width mismatch|endianness mismatch|mach-o, but wrong architecture",
					Result.WRONG_ARCHITECTURE, "it is for another processor"),
			new Rule("version `?(glibc_[\\w.]+)'? not found", Result.WRONG_LIBC,
					"it needs $1, which the C library of this system does not have"),
			new Rule("(libc\\.musl-\\S+|ld-musl-\\S+|ld-linux-\\S+?|libc\\.so\\.6): (cannot open|no such file)",
					Result.WRONG_LIBC, "it needs $1, the C library of another system"),
			new Rule("version `?([\\w.]+)'? not found", Result.MISSING_DEPENDENCY,
					"it needs $1 of a library that is older here"),
			new Rule("(lib[^/\\s:]+): cannot open shared object file: no such file", Result.MISSING_DEPENDENCY,
					"it needs $1, which is not installed"),
			new Rule("error loading shared library (\\S+):", Result.MISSING_DEPENDENCY,
					"it needs $1, which is not installed"),
			new Rule("can't find dependent libraries", Result.MISSING_DEPENDENCY,
					"it needs a library that is not installed"),
			new Rule("failed to map segment|operation not permitted", Result.NOT_EXECUTABLE,
					"its file system does not allow executing it"),
			new Rule("permission denied", Result.UNREADABLE, "it cannot be read"),
			new Rule("file too short|invalid elf header|exec format error|not a mach-o file|not a valid win32",
					Result.FAILED, "it is not a native library"));

	private LinkErrors() {
	}

	static LoadAttempt explain(String location, Path file, Throwable error) {
		String message = String.valueOf(error.getMessage());
		String withoutFile = message.replace(file + ": ", "");
		for (Rule rule : RULES) {
			Matcher matcher = rule.pattern.matcher(withoutFile);
			if (matcher.find()) {
				return new LoadAttempt(location, rule.result, rule.reason(matcher.group()), error);
			}
		}
		return new LoadAttempt(location, Result.FAILED, "it cannot be loaded: " + withoutFile, error);
	}

	private record Rule(Pattern pattern, Result result, String reason) {

		Rule(String pattern, Result result, String reason) {
			this(Pattern.compile(pattern, Pattern.CASE_INSENSITIVE), result, reason);
		}

		String reason(String message) {
			return this.pattern.matcher(message).replaceFirst(this.reason);
		}

	}

}
