// Copyright 2026-present the original author or authors.
// SPDX-License-Identifier: Apache-2.0

package io.github.tomcatopenssl.endpoint;

import java.lang.management.ManagementFactory;
import java.net.InetAddress;
import java.security.cert.X509Certificate;

import io.github.tomcatopenssl.internal.host.ForeignText;
import org.jspecify.annotations.Nullable;

/**
 * Records one handshake for Flight Recorder. What clients choose is recorded in a form
 * that is safe to show, and of limited length. The threads that use a recording are those
 * of its handshake.
 */
final class HandshakeRecording {

	private static final HandshakeEvent COMPLETED = new CompletedHandshakeEvent();

	private static final HandshakeEvent FAILED = new FailedHandshakeEvent();

	private final EventLimit completedLimit;

	private final EventLimit failedLimit;

	private final CompletedHandshakeEvent completed = new CompletedHandshakeEvent();

	private final FailedHandshakeEvent failed = new FailedHandshakeEvent();

	/**
	 * CPU time of the steps that are over, in nanoseconds.
	 */
	private long cpuTime;

	/**
	 * CPU time of the thread when it began to take steps, in nanoseconds.
	 */
	private long stepCpuTime;

	private boolean inStep;

	/**
	 * To measure it takes system calls, which only a limited number of handshakes makes.
	 */
	private boolean cpuTimeKnown;

	private long handOverTime;

	private long handOverStart;

	private boolean inHandOver;

	private HandshakeRecording(EventLimit completedLimit, EventLimit failedLimit) {
		this.completedLimit = completedLimit;
		this.failedLimit = failedLimit;
		this.completed.begin();
		this.failed.begin();
		long now = System.nanoTime();
		this.cpuTimeKnown = completedLimit.hasRoom(now) && failedLimit.hasRoom(now);
		enter();
	}

	/**
	 * Begin a recording within a step.
	 * @param completed limits the events of complete handshakes
	 * @param failed limits the events of failed handshakes
	 * @return the recording, or {@code null} if nobody records handshakes
	 */
	static @Nullable HandshakeRecording begin(EventLimit completed, EventLimit failed) {
		return (COMPLETED.isEnabled() || FAILED.isEnabled()) ? new HandshakeRecording(completed, failed) : null;
	}

	/**
	 * The current thread begins to take steps.
	 */
	void enter() {
		if (this.inHandOver) {
			this.inHandOver = false;
			this.handOverTime += System.nanoTime() - this.handOverStart;
		}
		this.stepCpuTime = threadCpuTime();
		this.inStep = true;
	}

	/**
	 * The current thread takes no more steps.
	 * @param handOver whether another thread takes the next one
	 */
	void leave(boolean handOver) {
		addCpuTime();
		this.inStep = false;
		if (handOver) {
			this.inHandOver = true;
			this.handOverStart = System.nanoTime();
		}
	}

	private void addCpuTime() {
		long now = threadCpuTime();
		this.cpuTime += now - this.stepCpuTime;
		this.stepCpuTime = now;
	}

	private long threadCpuTime() {
		if (!this.cpuTimeKnown) {
			return -1;
		}
		long time = -1;
		try {
			time = ManagementFactory.getThreadMXBean().getCurrentThreadCpuTime();
		}
		catch (UnsupportedOperationException ex) {
			// The JVM does not measure it
		}
		this.cpuTimeKnown = time != -1;
		return time;
	}

	/**
	 * Record that the handshake is complete.
	 * @param facts what is known
	 * @param applicationProtocol the protocol that ALPN has negotiated, or {@code null}
	 */
	void completed(Facts facts, @Nullable String applicationProtocol) {
		this.completed.applicationProtocol = applicationProtocol;
		commit(this.completed, this.completedLimit, facts);
	}

	/**
	 * Record that the handshake has failed.
	 * @param facts what is known
	 * @param reason the reason
	 * @param alert the alert that the server has sent unencrypted, or -1
	 */
	void failed(Facts facts, FailureReason reason, int alert) {
		this.failed.reason = reason.toString();
		this.failed.alert = alert;
		commit(this.failed, this.failedLimit, facts);
	}

	private void commit(HandshakeEvent event, EventLimit limit, Facts facts) {
		event.end();
		event.omitted = event.shouldCommit() ? limit.count(System.nanoTime()) : EventLimit.OMITTED;
		if (event.omitted == EventLimit.OMITTED) {
			return;
		}
		if (this.inStep) {
			addCpuTime();
		}
		event.cpuTime = this.cpuTimeKnown ? this.cpuTime : HandshakeEvent.UNKNOWN;
		event.handOverTime = this.handOverTime;
		facts.describe(event);
		event.commit();
	}

	/**
	 * What is known of a handshake.
	 *
	 * @param port the port of the connector
	 * @param client the address of the client, or {@code null} if it has none
	 * @param serverName the canonical form of the server name, or {@code null} if the
	 * client names none
	 * @param host the virtual host, or {@code null} if none was found
	 * @param exchange the key exchange, or {@code null} if the server has not chosen it
	 * @param cipherSuite the cipher suite, or {@code null} if the server has not chosen
	 * it
	 * @param certificate the certificate of the client, or {@code null}
	 */
	record Facts(int port, @Nullable InetAddress client, @Nullable String serverName, @Nullable String host,
			@Nullable KeyExchange exchange, @Nullable String cipherSuite, @Nullable X509Certificate certificate) {

		private void describe(HandshakeEvent event) {
			event.port = this.port;
			event.clientAddress = (this.client != null) ? this.client.getHostAddress() : null;
			event.serverName = (this.serverName != null) ? ForeignText.of(this.serverName) : null;
			event.host = (this.host != null) ? ForeignText.of(this.host) : null;
			if (this.exchange != null) {
				event.protocolVersion = this.exchange.protocol();
				event.group = this.exchange.group();
				event.resumed = this.exchange.resumed();
			}
			event.cipherSuite = this.cipherSuite;
			ShownCertificate shown = ShownCertificate.of(this.certificate);
			if (shown != null) {
				event.clientSubject = shown.subject();
				event.clientSerialNumber = shown.serialNumber();
			}
		}

	}

}
