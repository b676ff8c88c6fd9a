// Copyright 2026-present the original author or authors.
// SPDX-License-Identifier: Apache-2.0

package io.github.tomcatopenssl.autoconfigure;

import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.function.Supplier;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import org.slf4j.LoggerFactory;

import org.springframework.core.NestedExceptionUtils;

/**
 * Walks the column for native images, in a JVM that pretends to be one.
 */
public final class NativeImageColumn {

	private NativeImageColumn() {
	}

	/**
	 * Start an application for each property.
	 * @param arguments none
	 * @throws Exception if a proof cannot be prepared
	 */
	public static void main(String[] arguments) throws Exception {
		((Logger) LoggerFactory.getLogger("ROOT")).setLevel(Level.INFO);
		PrintStream out = System.out;
		for (ServerSslProperty property : ServerSslProperty.values()) {
			walk(out, property,
					(output) -> ServerSslPropertyTests.assertDecided(property, TableColumn.NATIVE_IMAGE, output));
		}
		for (List<ServerSslProperty> properties : ServerSslPropertyTests.servers(TableColumn.NATIVE_IMAGE)) {
			walk(out, properties,
					(output) -> ServerSslPropertyTests.assertServer(properties, TableColumn.NATIVE_IMAGE, output));
		}
		out.println("The column was walked");
		System.exit(0);
	}

	private static void walk(PrintStream out, Object properties, Cells cells) {
		ByteArrayOutputStream output = new ByteArrayOutputStream();
		System.setOut(new PrintStream(output, true));
		try {
			cells.check(() -> output.toString(StandardCharsets.UTF_8));
		}
		catch (Throwable ex) {
			out.println("FAILED " + properties + ": " + NestedExceptionUtils.getMostSpecificCause(ex) + "\n" + output);
		}
	}

	/**
	 * Checks cells of the column.
	 */
	private interface Cells {

		void check(Supplier<String> output) throws Exception;

	}

}
