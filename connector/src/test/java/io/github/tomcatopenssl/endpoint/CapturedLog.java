// Copyright 2026-present the original author or authors.
// SPDX-License-Identifier: Apache-2.0

package io.github.tomcatopenssl.endpoint;

import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.logging.Handler;
import java.util.logging.Level;
import java.util.logging.LogRecord;
import java.util.logging.Logger;
import java.util.stream.Collectors;

import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.extension.AfterEachCallback;
import org.junit.jupiter.api.extension.BeforeEachCallback;
import org.junit.jupiter.api.extension.ExtensionContext;

/**
 * What is logged during a test, by one class or by all.
 */
final class CapturedLog extends Handler implements BeforeEachCallback, AfterEachCallback {

	private final Logger logger;

	private final @Nullable Level level;

	private final List<LogRecord> records = new CopyOnWriteArrayList<>();

	CapturedLog() {
		this("");
	}

	CapturedLog(Class<?> type) {
		this(type.getName());
	}

	private CapturedLog(String name) {
		this.logger = Logger.getLogger(name);
		this.level = this.logger.getLevel();
	}

	/**
	 * Capture details as well.
	 */
	void all() {
		this.logger.setLevel(Level.ALL);
	}

	List<LogRecord> records() {
		return this.records;
	}

	String text() {
		return this.records.stream()
			.map((record) -> "%s %s%n".formatted(record.getLevel(), record.getMessage()))
			.collect(Collectors.joining());
	}

	@Override
	public void beforeEach(ExtensionContext context) {
		this.logger.addHandler(this);
	}

	@Override
	public void afterEach(ExtensionContext context) {
		this.logger.removeHandler(this);
		this.logger.setLevel(this.level);
	}

	@Override
	public void publish(LogRecord record) {
		this.records.add(record);
	}

	@Override
	public void flush() {
	}

	@Override
	public void close() {
	}

}
