// Copyright 2026-present the original author or authors.
// SPDX-License-Identifier: Apache-2.0

package io.github.tomcatopenssl.internal.store;

import java.sql.SQLException;

import javax.sql.DataSource;

import io.github.tomcatopenssl.test.MariaDb;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.mariadb.jdbc.MariaDbDataSource;

/**
 * Tests for {@link JdbcStore} with MariaDB.
 */
@Tag("servers")
class MariaDbStoreTests extends AbstractJdbcStoreTests {

	private static MariaDb server;

	@BeforeAll
	static void start() throws Exception {
		server = new MariaDb();
	}

	@AfterAll
	static void stop() {
		if (server != null) {
			server.close();
		}
	}

	@Override
	DataSource dataSource() {
		try {
			return new MariaDbDataSource(server.url());
		}
		catch (SQLException ex) {
			throw new IllegalStateException(ex);
		}
	}

	@Override
	String platform() {
		return "mariadb";
	}

}
