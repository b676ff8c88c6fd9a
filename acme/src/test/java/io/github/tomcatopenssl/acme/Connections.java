// Copyright 2026-present the original author or authors.
// SPDX-License-Identifier: Apache-2.0

package io.github.tomcatopenssl.acme;

import java.sql.Connection;
import java.sql.SQLException;
import java.util.Deque;
import java.util.concurrent.ConcurrentLinkedDeque;
import java.util.concurrent.atomic.AtomicInteger;

import javax.sql.ConnectionEvent;
import javax.sql.ConnectionEventListener;
import javax.sql.PooledConnection;

import org.postgresql.ds.PGConnectionPoolDataSource;

import org.springframework.jdbc.datasource.AbstractDataSource;

/**
 * The connections of a replica to its database, which can be cut after some work.
 */
final class Connections extends AbstractDataSource implements AutoCloseable {

	private final PGConnectionPoolDataSource source = new PGConnectionPoolDataSource();

	private final Deque<PooledConnection> free = new ConcurrentLinkedDeque<>();

	private final AtomicInteger inUse = new AtomicInteger();

	private final AtomicInteger left;

	/**
	 * How many connections were in use at the same time.
	 */
	final AtomicInteger most = new AtomicInteger();

	/**
	 * Create a new instance.
	 * @param url the URL of the database
	 * @param left after how many transactions the line is cut
	 */
	Connections(String url, int left) {
		this.source.setUrl(url);
		this.left = new AtomicInteger(left);
	}

	boolean isCut() {
		return this.left.get() <= 0;
	}

	void mend() {
		this.left.set(Integer.MAX_VALUE);
	}

	@Override
	public Connection getConnection() throws SQLException {
		if (this.left.getAndUpdate((some) -> Math.max(0, some - 1)) == 0) {
			throw new SQLException("The line is cut");
		}
		PooledConnection next = this.free.poll();
		PooledConnection connection = (next != null) ? next : connect();
		this.most.accumulateAndGet(this.inUse.incrementAndGet(), Math::max);
		return connection.getConnection();
	}

	private PooledConnection connect() throws SQLException {
		PooledConnection connection = this.source.getPooledConnection();
		connection.addConnectionEventListener(new ConnectionEventListener() {

			@Override
			public void connectionClosed(ConnectionEvent event) {
				Connections.this.inUse.decrementAndGet();
				Connections.this.free.push(connection);
			}

			@Override
			public void connectionErrorOccurred(ConnectionEvent event) {
			}

		});
		return connection;
	}

	@Override
	public Connection getConnection(String username, String password) {
		throw new UnsupportedOperationException();
	}

	@Override
	public void close() throws SQLException {
		for (PooledConnection connection : this.free) {
			connection.close();
		}
	}

}
