// Copyright 2026-present the original author or authors.
// SPDX-License-Identifier: Apache-2.0

package io.github.tomcatopenssl.endpoint;

import java.security.cert.X509Certificate;
import java.time.Instant;
import java.time.InstantSource;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.BiConsumer;
import java.util.function.Function;
import java.util.function.Predicate;
import java.util.stream.Collectors;
import java.util.stream.Stream;

import io.github.tomcatopenssl.internal.host.PolicyPreview.Refusal;
import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;
import org.jspecify.annotations.Nullable;

/**
 * Counts the handshakes of a connector, and the requests that it refuses.
 */
public final class HandshakeCounters {

	private static final Log logger = LogFactory.getLog(HandshakeCounters.class);

	/**
	 * The reasons for which only requests are refused.
	 */
	private static final Set<FailureReason> OF_REQUESTS = Set.of(FailureReason.FORWARDED_CERTIFICATE_INVALID,
			FailureReason.MISDIRECTED, FailureReason.MISDIRECTED_BY_HEADER, FailureReason.CLIENT_ENDED);

	private final LongAdder started = new LongAdder();

	private final Map<KeyExchange, LongAdder> completed = new ConcurrentHashMap<>();

	private final Map<Negotiated, LongAdder> negotiated = new ConcurrentHashMap<>();

	private final Map<FailureReason, LongAdder> failed = new EnumMap<>(FailureReason.class);

	private volatile Map<FailureReason, LongAdder> refused = Map.of();

	private final Map<Refusal, LongAdder> previewed = new EnumMap<>(Refusal.class);

	private final Clients failedClients = new Clients();

	private final Clients previewedClients = new Clients();

	private final Clients classicalClients = new Clients();

	private final ClientCounts clientsByCa = new ClientCounts(InstantSource.system());

	private final LongAdder retried = new LongAdder();

	/**
	 * By the virtual host of the connection.
	 */
	private final Map<String, LongAdder> misdirected = new ConcurrentHashMap<>();

	private volatile BiConsumer<KeyExchange, LongAdder> listener = (exchange, count) -> {
	};

	private volatile BiConsumer<String, LongAdder> misdirectedListener = (host, count) -> {
	};

	private final AtomicBoolean reported = new AtomicBoolean();

	HandshakeCounters() {
		Stream.of(FailureReason.values())
			.filter((reason) -> !OF_REQUESTS.contains(reason))
			.forEach((reason) -> this.failed.put(reason, new LongAdder()));
		for (Refusal refusal : Refusal.values()) {
			this.previewed.put(refusal, new LongAdder());
		}
	}

	void countRefused(Set<FailureReason> reasons) {
		this.refused = reasons.stream()
			.collect(Collectors.toUnmodifiableMap(Function.identity(), (reason) -> new LongAdder()));
	}

	void started() {
		this.started.increment();
	}

	void ignored() {
		this.started.decrement();
	}

	void completed(KeyExchange exchange, String cipherSuite, boolean retried) {
		count(this.completed, exchange, this.listener, "the handshakes with the key exchange");
		this.negotiated.computeIfAbsent(new Negotiated(exchange, cipherSuite), (negotiated) -> new LongAdder())
			.increment();
		if (retried) {
			this.retried.increment();
		}
	}

	private <K> void count(Map<K, LongAdder> counts, K key, BiConsumer<K, LongAdder> listener, String counted) {
		LongAdder count = counts.get(key);
		((count != null) ? count : begin(counts, key, listener, counted)).increment();
	}

	private <K> LongAdder begin(Map<K, LongAdder> counts, K key, BiConsumer<K, LongAdder> listener, String counted) {
		LongAdder count = new LongAdder();
		LongAdder present = counts.putIfAbsent(key, count);
		if (present != null) {
			return present;
		}
		try {
			listener.accept(key, count);
		}
		catch (Exception | LinkageError ex) {
			// The connection goes on
			if (this.reported.compareAndSet(false, true)) {
				logger.warn(
						"The metrics do not count %s %s, and perhaps others: the meter registry refuses their meter. Correct the cause below, and restart the server"
							.formatted(counted, key),
						ex);
			}
		}
		return count;
	}

	void failed(FailureReason reason, @Nullable String fingerprint, @Nullable X509Certificate client) {
		Objects.requireNonNull(this.failed.get(reason)).increment();
		this.failedClients.add(reason, fingerprint, ShownCertificate.of(client));
	}

	void refused(FailureReason reason) {
		Objects.requireNonNull(this.refused.get(reason)).increment();
	}

	void misdirected(String host) {
		count(this.misdirected, host, this.misdirectedListener, "the misdirected requests of the virtual host");
	}

	/**
	 * Count whose handshake is complete.
	 * @param previewed why the previewed policy would have refused it, or {@code null}
	 * @param classical what the client lacks for X25519MLKEM768, or {@code null}
	 * @param fingerprint the fingerprint of the client, or {@code null}
	 * @param client the client, if it has a certificate whose issuer is trusted
	 */
	void identified(@Nullable Refusal previewed, @Nullable Refusal classical, @Nullable String fingerprint,
			@Nullable VerifiedClient client) {
		if (previewed != null) {
			Objects.requireNonNull(this.previewed.get(previewed)).increment();
		}
		ShownCertificate shown = ShownCertificate.of((client != null) ? client.chain()[0] : null);
		// That the server has to get another certificate says nothing about its clients
		if (previewed != null && previewed != Refusal.SERVER_CERTIFICATE) {
			this.previewedClients.add(previewed, fingerprint, shown);
		}
		if (classical != null) {
			this.classicalClients.add(classical, fingerprint, shown);
		}
		ShownCertificate ca = ShownCertificate.of((client != null) ? client.ca() : null);
		if (ca != null && shown != null) {
			this.clientsByCa.add(ca.subject() + ", serial number " + ca.serialNumber(), shown.subject());
		}
	}

	/**
	 * Set the listener for key exchanges. It is called with each kind of key exchange,
	 * including those seen before, and with its counter.
	 * @param listener the listener
	 */
	public void listen(BiConsumer<KeyExchange, LongAdder> listener) {
		this.listener = listener;
		this.completed.forEach(listener);
	}

	/**
	 * Set the listener for misdirected requests, which get the status 421. It is called
	 * with the name of each virtual host whose connections have had one, and with its
	 * counter.
	 * @param listener the listener
	 */
	public void listenMisdirected(BiConsumer<String, LongAdder> listener) {
		this.misdirectedListener = listener;
		this.misdirected.forEach(listener);
	}

	/**
	 * Return the number of handshakes that clients have started, including those in
	 * progress.
	 * @return the number of handshakes
	 */
	public long countStarted() {
		return this.started.sum();
	}

	/**
	 * Return the number of completed handshakes.
	 * @param counted accepts the kinds of key exchange to count
	 * @return the number of handshakes
	 */
	public long countCompleted(Predicate<KeyExchange> counted) {
		return this.completed.entrySet()
			.stream()
			.filter((entry) -> counted.test(entry.getKey()))
			.mapToLong((entry) -> entry.getValue().sum())
			.sum();
	}

	/**
	 * Return the number of handshakes that were completed with each kind of key exchange
	 * and cipher suite.
	 * @return the numbers of handshakes
	 */
	public Map<Negotiated, Long> negotiated() {
		return this.negotiated.entrySet()
			.stream()
			.collect(Collectors.toUnmodifiableMap(Map.Entry::getKey, (entry) -> entry.getValue().sum()));
	}

	/**
	 * Return the number of completed handshakes that needed a second key share.
	 * @return the number of handshakes with a HelloRetryRequest
	 */
	public long countRetried() {
		return this.retried.sum();
	}

	/**
	 * Read how many handshakes have failed for each reason.
	 * @param reader accepts each reason with its counter
	 */
	public void readFailed(BiConsumer<String, LongAdder> reader) {
		this.failed.forEach((reason, count) -> reader.accept(reason.toString(), count));
	}

	/**
	 * Return the clients whose handshakes have failed in the last day.
	 * @return the clients
	 */
	public FailedClients failedClients() {
		return new FailedClients(this.failedClients.fingerprints.all(), this.failedClients.subjects.all());
	}

	/**
	 * Return the clients that the previewed policy would have refused in the last day.
	 * @return the clients
	 */
	public ServedClients previewedClients() {
		return this.previewedClients.served();
	}

	/**
	 * Return the clients of the last day that would have been refused if the server had
	 * only TLS 1.3 with X25519MLKEM768: they offer no such version, or no such group.
	 * @return the clients
	 */
	public ServedClients classicalClients() {
		return this.classicalClients.served();
	}

	/**
	 * Return the verified clients of the last day, by the CA that was trusted for them.
	 * @return the clients, the most frequent first; empty if no CAs decide
	 */
	public List<CaClient> clientsByCa() {
		return this.clientsByCa.all()
			.stream()
			.map((count) -> new CaClient(count.reason(), count.client(), count.handshakes(), count.last()))
			.toList();
	}

	/**
	 * Read how many requests were refused for each reason, because of the certificate
	 * that a proxy has forwarded with them.
	 * @param reader accepts each reason with its counter; not called if no proxy may
	 * forward certificates
	 */
	public void readRefused(BiConsumer<String, LongAdder> reader) {
		this.refused.forEach((reason, count) -> reader.accept(reason.toString(), count));
	}

	/**
	 * Read how many completed handshakes the previewed policy would have refused for each
	 * reason.
	 * @param reader accepts each reason with its counter
	 */
	public void readPreviewed(BiConsumer<String, LongAdder> reader) {
		this.previewed.forEach((refusal, count) -> reader.accept(refusal.toString(), count));
	}

	/**
	 * Clients whose handshakes have failed. Each list has the most frequent ones first.
	 *
	 * @param fingerprints the clients by their fingerprint; empty if none is computed
	 * @param claimedSubjects those whose certificate was refused, by its subject, which
	 * can be an invention
	 */
	public record FailedClients(List<ClientCount> fingerprints, List<ClientCount> claimedSubjects) {

	}

	/**
	 * Clients that were served. Each list has the most frequent ones first.
	 *
	 * @param fingerprints the clients by their fingerprint; empty if none is computed
	 * @param subjects those whose certificate was verified, by its subject
	 */
	public record ServedClients(List<ClientCount> fingerprints, List<ClientCount> subjects) {

	}

	/**
	 * Handshakes of one client, or of clients that look the same.
	 *
	 * @param reason why they have failed, or would have failed
	 * @param client the fingerprint, or the subject of the certificate, or its
	 * alternative names if it has none; {@code others} if the reason has too many clients
	 * @param handshakes how many handshakes, with less than a day between them
	 * @param last the time of the last one
	 */
	public record ClientCount(String reason, String client, long handshakes, Instant last) {

	}

	/**
	 * Handshakes of a client that was verified.
	 *
	 * @param ca the subject and serial number of the CA
	 * @param client the subject of the client's certificate, or its alternative names if
	 * it has none; {@code others} if the CA has too many clients
	 * @param handshakes how many handshakes, with less than a day between them
	 * @param last the time of the last one
	 */
	public record CaClient(String ca, String client, long handshakes, Instant last) {

	}

	/**
	 * Clients by their fingerprint, and by the subject of their certificate.
	 */
	private static final class Clients {

		private final ClientCounts fingerprints = new ClientCounts(InstantSource.system());

		private final ClientCounts subjects = new ClientCounts(InstantSource.system());

		void add(Enum<?> reason, @Nullable String fingerprint, @Nullable ShownCertificate certificate) {
			if (fingerprint != null) {
				this.fingerprints.add(reason.toString(), fingerprint);
			}
			if (certificate != null) {
				this.subjects.add(reason.toString(), certificate.subject());
			}
		}

		ServedClients served() {
			return new ServedClients(this.fingerprints.all(), this.subjects.all());
		}

	}

	/**
	 * The parameters that a handshake has negotiated.
	 *
	 * @param exchange the key exchange
	 * @param cipherSuite the cipher suite, by its name in the TLS registry
	 */
	public record Negotiated(KeyExchange exchange, String cipherSuite) {

	}

}
