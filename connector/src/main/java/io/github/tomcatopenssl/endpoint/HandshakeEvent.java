// Copyright 2026-present the original author or authors.
// SPDX-License-Identifier: Apache-2.0

package io.github.tomcatopenssl.endpoint;

import jdk.jfr.Category;
import jdk.jfr.Description;
import jdk.jfr.Enabled;
import jdk.jfr.Event;
import jdk.jfr.Label;
import jdk.jfr.StackTrace;
import jdk.jfr.Timespan;
import org.jspecify.annotations.Nullable;

/**
 * What Flight Recorder shows of a handshake. Off by default, as the events of JSSE are:
 * they name clients.
 */
@Category("TLS")
@Enabled(false)
@StackTrace(false)
abstract class HandshakeEvent extends Event {

	/**
	 * A {@link Timespan} that is not known.
	 */
	static final long UNKNOWN = Long.MIN_VALUE;

	@Label("Port")
	@Description("Port of the connector")
	int port;

	@Label("Client Address")
	@Description("Address of the client, or the one that a trusted proxy has passed on")
	@Nullable String clientAddress;

	@Label("Server Name")
	@Description("Canonical form of the name that the client asks for; empty if it is not valid")
	@Nullable String serverName;

	@Label("Host")
	@Description("Virtual host that the server name has found")
	@Nullable String host;

	@Label("Protocol Version")
	@Nullable String protocolVersion;

	@Label("Cipher Suite")
	@Nullable String cipherSuite;

	@Label("Group")
	@Description("Group of the key exchange")
	@Nullable String group;

	@Label("Resumed")
	@Description("Whether a session was resumed")
	boolean resumed;

	@Label("Client Subject")
	@Description("Subject of the client's certificate, or of the refused one of its chain; if it has none, its alternative names")
	@Nullable String clientSubject;

	@Label("Client Serial Number")
	@Description("Serial number of this certificate, in hexadecimal")
	@Nullable String clientSerialNumber;

	@Label("CPU Time")
	@Description("CPU time of the steps of the handshake; not known on virtual threads, and of some of very many handshakes")
	@Timespan
	long cpuTime = UNKNOWN;

	@Label("Hand-over Time")
	@Description("Time in which the handshake waited for a thread that may block")
	@Timespan
	long handOverTime;

	@Label("Omitted")
	@Description("Number of such handshakes before this one that were not recorded, because there were too many in a second")
	long omitted;

}
