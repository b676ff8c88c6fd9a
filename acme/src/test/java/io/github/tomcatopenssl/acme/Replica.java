// Copyright 2026-present the original author or authors.
// SPDX-License-Identifier: Apache-2.0

package io.github.tomcatopenssl.acme;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.cert.X509Certificate;
import java.time.Clock;
import java.time.Duration;
import java.util.List;

import io.github.tomcatopenssl.internal.store.EntryCipher;
import io.github.tomcatopenssl.internal.store.JdbcStore;
import io.github.tomcatopenssl.internal.store.SharedStore;
import io.github.tomcatopenssl.internal.store.StoreException;
import io.github.tomcatopenssl.internal.store.StoreSchedule;
import io.github.tomcatopenssl.test.TestCertificates;
import org.awaitility.Awaitility;

import org.springframework.boot.ssl.SslBundle;
import org.springframework.boot.ssl.pem.PemSslStoreBundle;
import org.springframework.boot.ssl.pem.PemSslStoreDetails;
import org.springframework.core.io.ClassPathResource;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.jdbc.datasource.DriverManagerDataSource;
import org.springframework.jdbc.datasource.init.ResourceDatabasePopulator;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * What a replica of a service does about its certificate, without a server.
 */
final class Replica implements AutoCloseable {

	static final StoreSchedule STORE = new StoreSchedule(Duration.ofMillis(1200), Duration.ofSeconds(1));

	private static final Duration SOON = Duration.ofMillis(100);

	static final AcmeSchedule SCHEDULE = new AcmeSchedule(SOON, SOON, SOON, Duration.ofHours(6), SOON,
			Duration.ofDays(1), SOON);

	private final AcmeStore store;

	private final CertificatesAtWork certificates;

	/**
	 * Create a new replica.
	 * @param ca the CA, of whose certificates it obtains one
	 * @param shared what it shares with other replicas
	 * @param domain the domain of the certificate
	 * @param machine its clock
	 * @param schedule how long it waits
	 */
	Replica(ControlledCa ca, SharedStore shared, String domain, Clock machine, AcmeSchedule schedule) {
		List<String> domains = List.of(domain);
		AcmeProperties properties = new AcmeProperties(domains, List.of(), 100, true, null, ca.directoryUrl(), null,
				List.of(AcmeKeyType.EC), null, null, null, null, null);
		AcmeSettings settings = new AcmeSettings(properties, domains, shared.file(""));
		this.store = new AcmeStore(shared, ca.directoryUrl(), domains);
		SslBundle trust = SslBundle.of(new PemSslStoreBundle(null,
				PemSslStoreDetails.forCertificate("file:" + TestCertificates.get().file("p256.crt"))));
		CaClock clock = new CaClock(machine);
		this.certificates = new CertificatesAtWork(settings, this.store,
				new CaSessions(ca.directoryUrl(), () -> trust, clock), (session) -> new AcmeClient(settings, this.store,
						session, new DomainVerifier(domains, this.store, null), clock, schedule),
				clock, schedule);
	}

	/**
	 * Create a schema of a database, with the table.
	 * @param url the URL of the database
	 * @param schema the name of the schema
	 * @return the URL for the schema
	 */
	static String createSchema(String url, String schema) {
		JdbcClient.create(new DriverManagerDataSource(url)).sql("create schema " + schema).update();
		String ofSchema = url + "&currentSchema=" + schema;
		new ResourceDatabasePopulator(new ClassPathResource("io/github/tomcatopenssl/store/schema-postgresql.sql"))
			.execute(new DriverManagerDataSource(ofSchema));
		return ofSchema;
	}

	static JdbcStore open(Connections connections, StoreSchedule schedule) throws StoreException {
		return JdbcStore.open(connections, new EntryCipher(List.of(new byte[EntryCipher.KEY_LENGTH])), schedule);
	}

	/**
	 * Start it, like an application.
	 */
	void start() throws IOException {
		this.certificates.writeFiles();
		this.certificates.start();
	}

	/**
	 * Wait for an attempt that has not failed.
	 */
	void awaitSuccess() {
		Awaitility.await().atMost(Duration.ofMinutes(2)).untilAsserted(() -> {
			assertThat(status().problem()).isNull();
			assertThat(status().next()).isNotNull();
		});
	}

	AcmeCertificates.Status status() {
		return this.certificates.status();
	}

	AcmeStore store() {
		return this.store;
	}

	/**
	 * Return the certificate that a server would have.
	 */
	X509Certificate served() throws IOException {
		Path file = this.store.certificate(AcmeKeyType.EC.toString());
		return AcmeCertificate.parse(Files.readString(file), file.toString()).leaf();
	}

	// As a process that is killed: nothing else is written
	@Override
	public void close() {
		this.certificates.stop();
	}

}
