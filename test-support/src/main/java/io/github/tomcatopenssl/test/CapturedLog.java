// Copyright 2026-present the original author or authors.
// SPDX-License-Identifier: Apache-2.0

package io.github.tomcatopenssl.test;

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
public final class CapturedLog extends Handler implements BeforeEachCallback, AfterEachCallback {

	private final Logger logger;

	private final @Nullable Level level;

	private final List<LogRecord> records = new CopyOnWriteArrayList<>();

	/**
	 * Capture what all classes log.
	 */
	public CapturedLog() {
		this("");
	}

	/**
	 * Capture what a class logs.
	 * @param type the class
	 */
	public CapturedLog(Class<?> type) {
		this(type.getName());
	}

	private CapturedLog(String name) {
		this.logger = Logger.getLogger(name);
		this.level = this.logger.getLevel();
	}

	/**
	 * Capture details as well.
	 */
	public void all() {
		this.logger.setLevel(Level.ALL);
	}

	/**
	 * Return what has been logged.
	 * @return the records
	 */
	public List<LogRecord> records() {
		return this.records;
	}

	/**
	 * Return the messages that have been logged.
	 * @return the messages, without their levels
	 */
	public List<String> messages() {
		return this.records.stream().map(LogRecord::getMessage).toList();
	}

	/**
	 * Return what has been logged as text.
	 * @return one line for each record, with level and message
	 */
	public String text() {
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
