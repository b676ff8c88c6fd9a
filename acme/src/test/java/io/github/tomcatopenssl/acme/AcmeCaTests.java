// Copyright 2026-present the original author or authors.
// SPDX-License-Identifier: Apache-2.0

package io.github.tomcatopenssl.acme;

import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.cert.X509Certificate;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.time.temporal.ChronoUnit;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.UnaryOperator;
import java.util.stream.Collectors;

import io.github.tomcatopenssl.internal.host.PemBlocks;
import io.github.tomcatopenssl.test.TestCertificates;
import org.awaitility.Awaitility;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.shredzone.acme4j.Session;

import org.springframework.boot.ssl.SslBundle;
import org.springframework.boot.ssl.pem.PemSslStoreBundle;
import org.springframework.boot.ssl.pem.PemSslStoreDetails;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.contentOf;

/**
 * Tests for what {@link AcmeCertificates} makes of the answers of a CA that is badly
 * configured, busy or behind a proxy, which {@link CaSessions} gets by a
 * {@link CaConnection}, and for the {@link CaClock} of a machine that was suspended.
 */
@Tag("servers")
@ExtendWith(OutputCaptureExtension.class)
class AcmeCaTests {

	private static final List<String> DOMAINS = List.of("localhost", "www.example.com");

	private static final AcmeSchedule SCHEDULE = schedule(Duration.ofMinutes(2), Duration.ofHours(6));

	@TempDir
	private Path folder;

	private ControlledCa ca;

	private URI directoryUrl;

	private @Nullable String preferredChain;

	private String trusted = "p256.crt";

	/**
	 * How long the CA may take to answer.
	 */
	private Duration timeout = Duration.ofSeconds(30);

	private final ReplicaApplication.MachineClock machine = new ReplicaApplication.MachineClock();

	@BeforeEach
	void startCa() throws Exception {
		this.ca = new ControlledCa(this.folder.resolve("ca"));
		this.ca.verifiedBefore = true;
		this.directoryUrl = this.ca.directoryUrl();
	}

	@AfterEach
	void stopCa() {
		this.ca.close();
	}

	@ParameterizedTest
	@CsvSource(delimiter = '|', textBlock = """
			newAccount | https://127.0.0.1:1/account | cannot be reached: java.net.ConnectException
			newOrder   | https://nobody.invalid/order | cannot be reached: its host name cannot be resolved
			newOrder   | http://127.0.0.1:1/order | is not an HTTPS address, which ACME requires (RFC 8555, 6.1)
			newAccount | {ca}nothing | does not answer as it should: HTTP 404
			newAccount | {ca}certificate/none | does not answer as it should: HTTP 500
			""")
	void whenDirectoryListsAnAddressThatDoesNotWorkThenItIsNamed(String name, String url, String expected)
			throws Exception {
		String listed = url.replace("{ca}", this.ca.url(""));
		this.ca.listed = Map.of(name, listed);
		assertThat(attempt(certificates()).problem())
			.startsWith("'%s', which the ACME server '%s' of 'server.ssl.acme.directory-url' lists as '%s', %s"
				.formatted(listed, this.directoryUrl, name, expected));
	}

	@ParameterizedTest
	@CsvSource(delimiter = '|', textBlock = """
			https://127.0.0.1:1/dir | cannot be reached: java.net.ConnectException
			http://127.0.0.1:1/dir | is not an HTTPS address, which ACME requires (RFC 8555, 6.1)
			""")
	void whenDirectoryHasMovedToAnAddressThatDoesNotWorkThenItIsNamed(String url, String expected) throws Exception {
		this.ca.redirection = url;
		this.directoryUrl = URI.create(this.ca.url("moved"));
		assertThat(attempt(certificates()).problem())
			.startsWith("'%s', which the ACME server '%s' of 'server.ssl.acme.directory-url' has named, %s"
				.formatted(url, this.directoryUrl, expected));
	}

	@Test
	void whenDirectoryHasMovedThenItIsFollowed() throws Exception {
		this.ca.redirection = this.ca.directoryUrl().toString();
		this.directoryUrl = URI.create(this.ca.url("moved"));
		assertThat(attempt(certificates()).problem()).isNull();
		assertThat(this.ca.issued).hasSize(1);
	}

	// The answer of a proxy need not be a problem document
	@Test
	void whenOrderIsGoneThenAnotherIsCreated() throws Exception {
		CertificatesAtWork certificates = certificates();
		AcmeStore store = certificates.store();
		store.write(store.orderKey("ec"), AcmeStore.pem(AcmeKeyType.EC.createKey()));
		store.write(store.order("ec"), this.ca.url("nothing"));
		assertThat(attempt(certificates).problem()).isNull();
		assertThat(this.ca.issued).hasSize(1);
	}

	// The renewal needs no suggestion
	// The process was killed after it had written the certificate
	@Test
	void whenOrderOfTheCertificateIsStillThereThenItsRenewalIsAnotherOrder() throws Exception {
		CertificatesAtWork certificates = certificates();
		Map<Path, String> order = new HashMap<>();
		this.ca.issuedNames = (names) -> {
			List.of(certificates.store().order("ec"), certificates.store().orderKey("ec"))
				.forEach((file) -> order.put(file, contentOf(file.toFile(), StandardCharsets.UTF_8)));
			return names;
		};
		assertThat(attempt(certificates).problem()).isNull();
		this.ca.issuedNames = UnaryOperator.identity();
		for (Map.Entry<Path, String> file : order.entrySet()) {
			certificates.store().write(file.getKey(), file.getValue());
		}
		this.ca.ahead = Duration.ofDays(80);
		this.machine.ahead = this.ca.ahead;
		assertThat(attempt(certificates()).next()).isAfter(this.ca.now().plus(Duration.ofHours(5)));
		assertThat(this.ca.issued).hasSize(2);
		assertThat(certificates.store().readCertificate(certificates.store().certificate("ec")).leaf())
			.isEqualTo(this.ca.issued.get(1).certificate());
	}

	@Test
	void whenOnlyTheAddressOfSuggestionsDoesNotWorkThenCertificateIsIssued() throws Exception {
		this.ca.renewal = (certificate) -> Instant.now().plusSeconds(60);
		this.ca.listed = Map.of("renewalInfo", "http://127.0.0.1:1/renewal");
		assertThat(attempt(certificates()).problem()).isNull();
		assertThat(this.ca.issued).hasSize(1);
	}

	@ParameterizedTest
	@CsvSource({ "dir, 429, PT10M, false", "account, 429, PT10M, true", "new-order, 503, PT10M, false",
			"finalize, 429, PT2H, true" })
	void whenProxyLimitsRequestsThenTheCaIsNotAskedBefore(String path, int status, Duration wait, boolean asDate)
			throws Exception {
		this.ca.proxied = path;
		this.ca.proxyStatus = status;
		Instant begin = Instant.now().truncatedTo(ChronoUnit.SECONDS);
		this.ca.retryAfter = asDate ? ControlledCa.date(begin.plus(wait)) : String.valueOf(wait.toSeconds());
		AcmeCertificates.Status failed = attempt(certificates());
		assertThat(failed.problem()).contains(this.ca.url(path))
			.contains((status == 429) ? "limits requests: HTTP 429" : "is not available for now: HTTP 503");
		assertThat(failed.next()).isBetween(begin.plus(wait), Instant.now().plus(wait));
		int before = this.ca.requests.get();
		for (int i = 0; i < 3; i++) {
			AcmeCertificates.Status restarted = attempt(certificates());
			assertThat(restarted.next()).isEqualTo(failed.next());
		}
		assertThat(this.ca.requests).hasValue(before);
		this.ca.proxied = null;
		this.machine.ahead = wait.plusSeconds(5);
		this.ca.ahead = this.machine.ahead;
		assertThat(attempt(certificates()).problem()).isNull();
		assertThat(this.ca.issued).hasSize(1);
	}

	// A nonce comes with each answer unless a proxy removes it
	@Test
	void whenProxyLimitsNoncesThenTheCaIsNotAskedBefore() throws Exception {
		this.ca.nonces = false;
		this.ca.proxied = "nonce";
		this.ca.retryAfter = "600";
		AcmeCertificates.Status failed = attempt(certificates());
		assertThat(failed.problem()).contains("limits requests: HTTP 429").contains("lists as 'newNonce'");
		assertThat(failed.next()).isAfter(Instant.now().plusSeconds(590));
	}

	@Test
	void whenCaHasAProblemAndSaysHowLongThenItIsNotAskedBefore() throws Exception {
		this.ca.state = ControlledCa.State.INTERNAL_ERROR;
		this.ca.retryAfter = "3600";
		AcmeCertificates.Status failed = attempt(certificates());
		assertThat(failed.problem()).contains("busy");
		assertThat(failed.next()).isAfter(Instant.now().plusSeconds(3500));
		int before = this.ca.requests.get();
		assertThat(attempt(certificates()).next()).isEqualTo(failed.next());
		assertThat(this.ca.requests).hasValue(before);
	}

	@Test
	void whenProxyLimitsRequestsAndSaysNoMoreThenServersThatAreStartedAgainWait() throws Exception {
		this.ca.proxied = "new-order";
		this.ca.retryAfter = null;
		AcmeCertificates.Status failed = attempt(certificates());
		int before = this.ca.requests.get();
		assertThat(attempt(certificates()).next()).isEqualTo(failed.next());
		assertThat(this.ca.requests).hasValue(before);
	}

	@ParameterizedTest
	@CsvSource({ "429, 999999999, P1D", "503, soon, PT3M" })
	void whenProxyNamesATimeThatCannotBeRightThenTheWaitIsBounded(int status, String retryAfter, Duration longest)
			throws Exception {
		this.ca.proxied = "account";
		this.ca.proxyStatus = status;
		this.ca.retryAfter = retryAfter;
		assertThat(attempt(certificates()).next()).isBetween(Instant.now().plus(longest).minus(Duration.ofMinutes(2)),
				Instant.now().plus(longest));
	}

	@Test
	void whenCaNamesATimeThatCannotBeRightThenTheWaitIsBounded() throws Exception {
		this.ca.state = ControlledCa.State.RATE_LIMITED;
		this.ca.retryAfter = "Fri, 31 Dec 9999 23:59:59 GMT";
		AcmeCertificates.Status failed = attempt(certificates());
		assertThat(failed.next()).isBetween(Instant.now().plus(Duration.ofDays(7)),
				Instant.now().plus(Duration.ofDays(8)));
		int before = this.ca.requests.get();
		assertThat(attempt(certificates()).next()).isEqualTo(failed.next());
		assertThat(this.ca.requests).hasValue(before);
	}

	// As on a machine whose clock is set by a server of time, and not by a battery
	@Test
	void whenClockOfTheMachineIsFarBehindThenNoCertificateIsOrderedBeforeItIsRight(CapturedOutput output)
			throws Exception {
		this.machine.ahead = Duration.between(Instant.now(), Instant.EPOCH);
		CertificatesAtWork certificates = certificates();
		certificates.start();
		try {
			Awaitility.await().until(() -> certificates.status().problem() != null);
			assertThat(certificates.status().problem()).matches(
					"The clock of this machine shows 1970-01-01T00:00:.*Z, but the clock of the CA shows 20.*Z: a new certificate would not be valid yet on this machine, and is not requested. Correct the clock of this machine");
			assertThat(this.ca.orderRequests).hasValue(0);
			assertThat(certificates.store().failures()).isEqualTo(AcmeStore.Failures.NONE);
			this.machine.ahead = Duration.ZERO;
			Awaitility.await().until(() -> certificates.issued() == 1 && certificates.status().problem() == null);
		}
		finally {
			certificates.stop();
		}
		assertThat(this.ca.orderRequests).hasValue(1);
	}

	@Test
	void whenClockOfAReplicaIsFarBehindThenTheOthersDoNotWait() throws Exception {
		this.machine.ahead = Duration.ofDays(-2);
		assertThat(attempt(certificates()).problem()).startsWith("The clock of this machine shows");
		this.machine.ahead = Duration.ZERO;
		assertThat(attempt(certificates()).problem()).isNull();
		assertThat(this.ca.issued).hasSize(1);
	}

	@ParameterizedTest
	@ValueSource(strings = { "P100D", "PT-3H" })
	void whenClockOfTheMachineIsWrongThenWarningSaysThatTheCertificateIsNotUsed(Duration ahead, CapturedOutput output)
			throws Exception {
		this.machine.ahead = ahead;
		for (int i = 0; i < 3; i++) {
			assertThat(attempt(certificates()).problem()).isNull();
		}
		assertThat(this.ca.issued).hasSize(1);
		X509Certificate issued = this.ca.issued.get(0).certificate();
		assertThat(output)
			.contains("The certificate is valid from %s to %s, but the clock of this machine shows "
				.formatted(issued.getNotBefore().toInstant(), issued.getNotAfter().toInstant()))
			.contains("Correct the clock of this machine, so that the certificate is used");
	}

	// A wrong clock is the usual cause
	@ParameterizedTest
	@CsvSource({ "-20, -10, has expired", "10, 20, is not valid yet" })
	void whenAcmeServerIsNotValidNowThenTheClockIsNamed(int begin, int end, String expected) throws Exception {
		TestCertificates certificates = TestCertificates.get();
		String name = "acme-server" + end;
		DateTimeFormatter date = DateTimeFormatter.ofPattern("yyyyMMddHHmmss'Z'").withZone(ZoneOffset.UTC);
		certificates.issue("ca", name, "subjectAltName=DNS:localhost",
				date.format(Instant.now().plus(Duration.ofDays(begin))),
				date.format(Instant.now().plus(Duration.ofDays(end))));
		try (ControlledCa other = new ControlledCa(this.folder.resolve("other"), name)) {
			this.directoryUrl = other.directoryUrl();
			this.trusted = "ca.crt";
			assertThat(attempt(certificates()).problem()).startsWith(
					"The ACME server '%s' of 'server.ssl.acme.directory-url' cannot be reached: one of its certificates %s"
						.formatted(this.directoryUrl, expected))
				.contains("by the clock of this machine, which shows 20")
				.endsWith("Correct this clock, or the certificate of the ACME server");
		}
	}

	// The time that has passed is what counts
	@ParameterizedTest
	@ValueSource(strings = { "PT-30M", "PT30M" })
	void whenClockOfTheMachineIsWrongThenTheCaIsNotAskedBefore(Duration ahead) throws Exception {
		this.machine.ahead = ahead;
		this.ca.proxied = "dir";
		this.ca.retryAfter = "600";
		AcmeCertificates.Status failed = attempt(certificates());
		int before = this.ca.requests.get();
		assertThat(attempt(certificates()).next()).isEqualTo(failed.next());
		assertThat(this.ca.requests).hasValue(before);
		this.ca.proxied = null;
		this.ca.ahead = Duration.ofSeconds(601);
		this.machine.ahead = ahead.plusSeconds(601);
		assertThat(attempt(certificates()).problem()).isNull();
	}

	@Test
	void whenCaIsLimitedAndNoRenewalIsDueThenThereIsNoProblem(CapturedOutput output) throws Exception {
		attempt(certificates());
		this.ca.proxied = "dir";
		this.ca.retryAfter = "600";
		AcmeCertificates.Status status = attempt(certificates());
		assertThat(status.problem()).isNull();
		assertThat(status.next()).isAfter(Instant.now().plusSeconds(590));
		int before = this.ca.requests.get();
		assertThat(attempt(certificates()).next()).isEqualTo(status.next());
		assertThat(this.ca.requests).hasValue(before);
		assertThat(output).doesNotContain("No certificate could be obtained");
	}

	@Test
	void whenTimeToAskAgainAboutTheRenewalIsNotOneThenSuggestionIsUsed() throws Exception {
		Instant suggested = Instant.now().plus(Duration.ofHours(3)).truncatedTo(ChronoUnit.SECONDS);
		this.ca.lifetime = this.ca.backdated.plusHours(6);
		this.ca.renewal = (certificate) -> suggested;
		this.ca.retryAfter = "soon";
		assertThat(attempt(certificates()).next()).isBetween(suggested, suggested.plusSeconds(1));
	}

	// Until the second is over, an answer shows a time before it
	@Test
	void whenRenewalIsDueSoonAfterASecondHasBegunThenCaIsAskedOnce() throws Exception {
		Instant due = Instant.now().plus(Duration.ofHours(3)).truncatedTo(ChronoUnit.SECONDS).plusMillis(10);
		AtomicInteger asked = new AtomicInteger();
		this.ca.lifetime = this.ca.backdated.plusHours(6);
		this.ca.renewal = (certificate) -> {
			if (this.ca.issued.size() == 1) {
				asked.incrementAndGet();
			}
			return due;
		};
		CertificatesAtWork certificates = certificates();
		certificates.start();
		Awaitility.await().until(() -> certificates.status().next() != null);
		assertThat(asked).hasValue(1);
		this.ca.ahead = Duration.between(Instant.now(), due.minusMillis(500));
		this.machine.ahead = this.ca.ahead;
		Awaitility.await().until(() -> this.ca.issued.size() == 2);
		certificates.stop();
		assertThat(asked).hasValue(2);
	}

	// As if it ended with its issuer, and were dated back
	@Test
	void whenMostOfTheLifetimeHasPassedThenTheRestIsUsed(CapturedOutput output) throws Exception {
		this.ca.backdated = Duration.ofMinutes(60);
		this.ca.lifetime = Duration.ofMinutes(80);
		AcmeCertificates.Status status = attempt(certificates());
		assertThat(status.next()).isBetween(Instant.now().plus(Duration.ofMinutes(12)),
				Instant.now().plus(Duration.ofMinutes(14)));
		assertThat(attempt(certificates()).next()).isEqualTo(status.next());
		assertThat(this.ca.issued).hasSize(1);
		X509Certificate issued = this.ca.issued.get(0).certificate();
		assertThat(output)
			.contains("valid from %s to %s, 4800 seconds, of which".formatted(issued.getNotBefore().toInstant(),
					issued.getNotAfter().toInstant()))
			.contains("The next one is requested at " + status.next());
	}

	// Each attempt is that of another process, or of another replica
	@Test
	void whenCertificatesAreDueAtOnceThenEachPauseIsTwiceTheLast() throws Exception {
		this.ca.lifetime = this.ca.backdated.plusSeconds(20);
		for (int i = 0; i < 8; i++) {
			Instant next = attempt(certificates()).next();
			assertThat(this.ca.issued).hasSize(i + 1);
			Duration pause = Duration.ofMinutes(1 << i);
			assertThat(next).isBetween(this.ca.now().plus(pause).minusSeconds(10),
					this.ca.now().plus(pause).plusSeconds(1));
			assertThat(attempt(certificates()).next()).isEqualTo(next);
			assertThat(this.ca.issued).hasSize(i + 1);
			this.ca.ahead = Duration.between(Instant.now(), next).plusSeconds(1);
			this.machine.ahead = this.ca.ahead;
		}
		this.ca.lifetime = Duration.ofDays(90);
		attempt(certificates());
		this.ca.ahead = this.ca.ahead.plusDays(89);
		this.machine.ahead = this.ca.ahead;
		this.ca.lifetime = this.ca.backdated.plusSeconds(20);
		assertThat(attempt(certificates()).next()).isBetween(this.ca.now().plusSeconds(50),
				this.ca.now().plusSeconds(61));
	}

	// It takes the place of the one that has expired
	@Test
	void whenAnotherCertificateServesMeanwhileThenThePausesAreKept() throws Exception {
		attempt(certificates(List.of("localhost")));
		this.ca.lifetime = this.ca.backdated.plusSeconds(20);
		for (int i = 0; i < 4; i++) {
			Instant next = attempt(certificates()).next();
			assertThat(this.ca.issued).hasSize(i + 2);
			assertThat(next).isAfter(this.ca.now().plus(Duration.ofMinutes(1 << i)).minusSeconds(10));
			this.ca.ahead = Duration.between(Instant.now(), next).minusSeconds(10);
			this.machine.ahead = this.ca.ahead;
			assertThat(attempt(certificates()).next()).isEqualTo(next);
			assertThat(this.ca.issued).hasSize(i + 2);
			this.ca.ahead = Duration.between(Instant.now(), next).plusSeconds(1);
			this.machine.ahead = this.ca.ahead;
		}
	}

	@Test
	void whenReplicasShareTheFolderThenTheyShareThePauses() throws Exception {
		this.ca.lifetime = this.ca.backdated.plusSeconds(4);
		AcmeSchedule schedule = new AcmeSchedule(Duration.ofMillis(10), Duration.ofMinutes(2), Duration.ofSeconds(3),
				Duration.ofHours(6), Duration.ofMinutes(15), Duration.ofDays(1), Duration.ofMillis(10));
		List<CertificatesAtWork> replicas = List.of(certificates(DOMAINS, schedule), certificates(DOMAINS, schedule),
				certificates(DOMAINS, schedule));
		replicas.forEach(CertificatesAtWork::start);
		try {
			Awaitility.await().atMost(Duration.ofSeconds(60)).until(() -> this.ca.issued.size() == 3);
		}
		finally {
			replicas.forEach(CertificatesAtWork::stop);
		}
		assertThat(Duration.between(this.ca.issued.get(0).at(), this.ca.issued.get(1).at()))
			.isGreaterThan(Duration.ofSeconds(3));
		assertThat(Duration.between(this.ca.issued.get(1).at(), this.ca.issued.get(2).at()))
			.isGreaterThan(Duration.ofSeconds(6));
	}

	@Test
	void whenManyCertificatesAreDueAtOnceThenThePauseIsBounded() {
		for (int dueAtOnce : List.of(0, 1, 2, 9, 10, Integer.MAX_VALUE)) {
			Duration pause = Duration.ofMinutes(Math.min(360, 1 << Math.max(0, Math.min(dueAtOnce, 20) - 1)));
			assertThat(AcmeSchedule.DEFAULT.nextOrder(Instant.EPOCH, dueAtOnce))
				.isEqualTo(Instant.EPOCH.plus(pause).plusSeconds(1));
		}
	}

	@Test
	void whenAProcessGoesOnThenItOrdersNoCertificateWithoutAPause() throws Exception {
		this.ca.lifetime = this.ca.backdated.plusSeconds(20);
		CertificatesAtWork certificates = certificates();
		certificates.start();
		try {
			Awaitility.await().until(() -> certificates.issued() > 0);
			Awaitility.await()
				.during(Duration.ofSeconds(1))
				.until(() -> this.ca.issued.size() == 1 && certificates.status().problem() == null);
		}
		finally {
			certificates.stop();
		}
	}

	@ParameterizedTest
	@ValueSource(strings = { "{}", "{'suggestedWindow': {}}", "{'suggestedWindow': null}",
			"{'suggestedWindow': {'start': -1, 'end': 9223372036854775807}}",
			"{'suggestedWindow': {'start': 'NaN', 'end': 'Infinity'}}",
			"{'suggestedWindow': {'start': '0000-01-01T00:00:00Z', 'end': '0000-01-01T00:00:01Z'}}",
			"{'suggestedWindow': {'start': '0000-01-01T00:00:00Z', 'end': '9999-12-31T23:59:59Z'}}",
			"{'suggestedWindow': {'start': '9999-12-31T00:00:00Z', 'end': '9999-12-31T23:59:59Z'}}",
			"{'suggestedWindow': {'start': '9999-12-31T00:00:00Z', 'end': '0000-01-01T00:00:00Z'}}",
			"{'suggestedWindow': {'start': '2026-13-45T25:61:61Z', 'end': '2026-13-46T25:61:61Z'}}" })
	void whenSuggestionCannotBeRightThenOneCertificateIsOrdered(String suggestion) throws Exception {
		this.ca.renewal = (certificate) -> Instant.EPOCH;
		this.ca.suggestion = suggestion.replace('\'', '"');
		for (int i = 0; i < 2; i++) {
			AcmeCertificates.Status status = attempt(certificates());
			assertThat(status.problem()).isNull();
			assertThat(status.next()).isBetween(Instant.now().plusSeconds(60), Instant.now().plus(Duration.ofHours(6)));
		}
		assertThat(this.ca.issued).hasSize(1);
	}

	@ParameterizedTest
	@EnumSource
	void whenCaChangesNamesThenCertificateIsNotOrderedAnew(Change change) throws Exception {
		this.ca.issuedNames = change.names;
		this.ca.named = false;
		assertThat(attempt(certificates()).problem()).isNull();
		assertThat(attempt(certificates()).problem()).isNull();
		assertThat(this.ca.issued).hasSize(1);
	}

	// The certificate has been issued
	@ParameterizedTest
	@CsvSource(delimiter = '|', textBlock = """
			nothing | false
			root | false
			certificate-of-nobody,cross | true
			root,nothing,cross | true
			""")
	void whenAlternateChainCannotBeReadThenAnotherIsUsed(String alternates, boolean isFound, CapturedOutput output)
			throws Exception {
		this.ca.alternates = List.of(alternates.split(","));
		this.preferredChain = "Other CA";
		CertificatesAtWork certificates = certificates();
		assertThat(attempt(certificates).problem()).isNull();
		assertThat(this.ca.issued).hasSize(1);
		assertThat(Files.readString(certificates.writeFiles().get(0)))
			.contains(PemBlocks.of(isFound ? this.ca.cross : this.ca.root));
		String warning = "The CA does not offer the chain 'Other CA' of 'server.ssl.acme.preferred-chain', so its default chain is used";
		if (isFound) {
			assertThat(output).doesNotContain(warning);
		}
		else {
			assertThat(output).contains(warning);
		}
	}

	@Test
	void whenCaRefusesAnAlternateChainThenItsWordsAreNoLineOfTheLog(CapturedOutput output) throws Exception {
		this.ca.alternates = List.of("forged");
		this.preferredChain = "Other CA";
		assertThat(attempt(certificates()).problem()).isNull();
		assertThat(output.toString().lines()).anyMatch((line) -> line.endsWith("gone\\u000AWARN forged"))
			.noneMatch((line) -> line.startsWith("WARN forged"));
	}

	@Test
	void whenAlternateChainIsLimitedThenTheDefaultIsUsed(CapturedOutput output) throws Exception {
		this.ca.alternates = List.of("cross");
		this.ca.proxied = "cross";
		this.preferredChain = "Other CA";
		assertThat(attempt(certificates()).problem()).isNull();
		assertThat(this.ca.issued).hasSize(1);
		assertThat(output).contains("limits requests: HTTP 429");
	}

	// The certificate cannot be had
	@Test
	void whenCertificateIsGoneThenAnotherIsOrdered() throws Exception {
		this.ca.proxied = "certificate";
		this.ca.proxyStatus = 404;
		attempt(certificates());
		attempt(certificates());
		this.ca.proxied = null;
		assertThat(attempt(certificates()).problem()).isNull();
		assertThat(this.ca.orderRequests).hasValue(2);
	}

	@Test
	void whenCaLeavesOutANameThenCertificateIsRefused() throws Exception {
		this.ca.issuedNames = (names) -> Set.of("localhost");
		CertificatesAtWork certificates = certificates();
		assertThat(attempt(certificates).problem())
			.startsWith("The CA has issued a certificate that is not for www.example.com");
		assertThat(certificates.store().readCertificate(certificates.writeFiles().get(0)).isPlaceholder()).isTrue();
	}

	@Test
	void whenCaIssuesForAnotherKeyThenCertificateIsRefused() throws Exception {
		this.ca.issuedKey = (key) -> AcmeKeyType.EC.createKey().getPublic();
		CertificatesAtWork certificates = certificates();
		assertThat(attempt(certificates).problem()).startsWith("The CA has issued a certificate for another key");
		assertThat(certificates.store().readCertificate(certificates.writeFiles().get(0)).isPlaceholder()).isTrue();
	}

	// The names of files have 255 characters at most
	@ParameterizedTest
	@ValueSource(ints = { 200, 201, 229, 245, 253 })
	void whenNameIsLongThenCertificateIsIssued(int length) throws Exception {
		this.ca.verifiedBefore = false;
		String name = name(length);
		CertificatesAtWork certificates = certificates(List.of(name));
		AtomicBoolean isChallengeThere = new AtomicBoolean();
		this.ca.verification = (any) -> {
			isChallengeThere.set(Files.exists(certificates.store().challenge(name)));
			return true;
		};
		assertThat(attempt(certificates).problem()).isNull();
		assertThat(isChallengeThere).isTrue();
		assertThat(attempt(certificates(List.of(name))).problem()).isNull();
		assertThat(this.ca.issued).hasSize(1);
		this.ca.state = ControlledCa.State.RATE_LIMITED;
		assertThat(attempt(certificates(List.of(name, "www.example.com"))).problem())
			.isEqualTo("The CA limits requests: too many certificates");
	}

	private static String name(int length) {
		return ("a".repeat(49) + ".").repeat(6).substring(0, length - 4) + ".com";
	}

	@Test
	void whenCaAsksForANameInUpperCaseThenItIsVerified() throws Exception {
		this.ca.verifiedBefore = false;
		this.ca.identifier = (name) -> name.toUpperCase();
		assertThat(attempt(certificates()).problem()).isNull();
	}

	// What is ordered decides, not what an earlier certificate happens to contain
	@Test
	void whenADomainIsRemovedThenCertificateWithoutItIsOrdered() throws Exception {
		attempt(certificates());
		attempt(certificates(List.of("localhost")));
		assertThat(this.ca.issued).extracting(ControlledCa.Issued::domains)
			.containsExactly(Set.copyOf(DOMAINS), Set.of("localhost"));
	}

	@Test
	void whenMachineWasSuspendedThenCertificateIsRenewedAtOnce() throws Exception {
		CertificatesAtWork certificates = certificates();
		certificates.start();
		Awaitility.await().until(() -> certificates.status().next() != null);
		X509Certificate first = this.ca.issued.get(0).certificate();
		this.ca.ahead = Duration.ofDays(88);
		this.machine.ahead = this.ca.ahead;
		Awaitility.await().until(() -> this.ca.issued.size() == 2);
		assertThat(this.ca.issued.get(1).certificate().getNotAfter()).isAfter(first.getNotAfter());
		certificates.stop();
	}

	@Test
	void whenClockGoesBackThenTheWaitIsNoLonger() throws Exception {
		this.ca.state = ControlledCa.State.UNAVAILABLE;
		CertificatesAtWork certificates = certificates(DOMAINS,
				schedule(Duration.ofMillis(500), Duration.ofMillis(500)));
		certificates.start();
		Awaitility.await().until(() -> certificates.failed() > 0);
		this.machine.ahead = Duration.ofDays(-300);
		Awaitility.await().until(() -> certificates.failed() > 2);
		certificates.stop();
	}

	// Other sets of domains need the thread
	@Test
	void whenAnswerDoesNotEndThenTheAttemptFails() throws Exception {
		this.ca.unfinished = "dir";
		this.timeout = Duration.ofSeconds(1);
		assertThat(attempt(certificates()).problem()).isNotNull();
	}

	@Test
	void whenFailuresAreDeletedThenTheCaIsAskedAtOnce() throws Exception {
		this.ca.state = ControlledCa.State.RATE_LIMITED;
		this.ca.retryAfter = "3600";
		CertificatesAtWork certificates = certificates();
		assertThat(attempt(certificates).problem()).startsWith("The CA limits requests");
		this.ca.state = ControlledCa.State.UP;
		Files.delete(certificates.store().failuresFile());
		assertThat(attempt(certificates()).problem()).isNull();
		assertThat(this.ca.issued).hasSize(1);
	}

	@Test
	void whenSetWaitsForTheLimitsThenItsFailuresCountAllTheSame() throws Exception {
		CertificatesAtWork certificates = certificates(DOMAINS, SCHEDULE, new NoHost());
		Instant before = Instant.now().minus(Duration.ofDays(1)).truncatedTo(ChronoUnit.SECONDS);
		AcmeStore.Failures failures = new AcmeStore.Failures(5, before, before, before, before);
		certificates.store().write(failures);
		Instant until = Instant.now().plus(Duration.ofHours(1)).truncatedTo(ChronoUnit.SECONDS);
		certificates.store().write(new AcmeStore.Limits(Instant.EPOCH, until, 6));
		AcmeCertificates.Status first = attempt(certificates);
		certificates.start();
		Awaitility.await().until(() -> !first.equals(certificates.status()));
		certificates.stop();
		assertThat(List.of(first, certificates.status())).allSatisfy((status) -> {
			assertThat(status.next()).isBetween(until, until.plus(Duration.ofMinutes(10)));
			assertThat(status.failures()).isEqualTo(5);
			assertThat(status.problem()).isNotNull();
		});
		assertThat(certificates.store().failures()).isEqualTo(failures);
		assertThat(this.ca.orderRequests).hasValue(0);
	}

	// A CA limits what is ordered for the same names or of the same domain, too
	@Test
	void whenCaHasRefusedOrdersOfOthersThenCertificatesAreRenewedAllTheSame() throws Exception {
		CertificatesAtWork certificates = certificates(DOMAINS, SCHEDULE, new NoHost());
		assertThat(attempt(certificates).problem()).isNull();
		this.ca.ahead = Duration.ofDays(88);
		this.machine.ahead = this.ca.ahead;
		certificates.store().write(new AcmeStore.Limits(Instant.EPOCH, this.ca.now().plus(Duration.ofDays(7)), 12));
		attempt(certificates(DOMAINS, SCHEDULE, new NoHost()));
		assertThat(this.ca.issued).hasSize(2);
	}

	@Test
	void whenNobodySetsAnotherScheduleThenClockIsReadEachMinute() {
		assertThat(AcmeSchedule.DEFAULT.clockCheck()).isEqualTo(Duration.ofMinutes(1));
	}

	private static AcmeSchedule schedule(Duration first, Duration longest) {
		return new AcmeSchedule(Duration.ofSeconds(10), first, Duration.ofMinutes(1), longest, Duration.ofMinutes(15),
				Duration.ofDays(1), Duration.ofMillis(10));
	}

	private static AcmeCertificates.Status attempt(CertificatesAtWork certificates) {
		certificates.start();
		Awaitility.await().atMost(Duration.ofSeconds(60)).until(() -> certificates.status().next() != null);
		certificates.stop();
		return certificates.status();
	}

	private CertificatesAtWork certificates() throws Exception {
		return certificates(DOMAINS);
	}

	private CertificatesAtWork certificates(List<String> domains) throws Exception {
		return certificates(domains, SCHEDULE);
	}

	private CertificatesAtWork certificates(List<String> domains, AcmeSchedule schedule) throws Exception {
		return certificates(domains, schedule, null);
	}

	// As after a start
	private CertificatesAtWork certificates(List<String> domains, AcmeSchedule schedule,
			AcmeCertificates.@Nullable Host host) throws Exception {
		AcmeProperties properties = new AcmeProperties(domains, List.of(), 100, true, null, this.directoryUrl, null,
				List.of(AcmeKeyType.EC), null, this.preferredChain, null, null, null);
		AcmeSettings settings = new AcmeSettings(properties, domains, this.folder.resolve("store"));
		AcmeStore store = new AcmeStore(settings.directory(), this.directoryUrl, domains);
		SslBundle trust = SslBundle.of(new PemSslStoreBundle(null,
				PemSslStoreDetails.forCertificate("file:" + TestCertificates.get().file(this.trusted))));
		CaClock clock = new CaClock(this.machine);
		DomainVerifier verifier = new DomainVerifier(domains, store, null);
		CertificatesAtWork certificates = new CertificatesAtWork(settings, store, () -> {
			Session session = new CaSessions(this.directoryUrl, () -> trust, clock).get();
			session.networkSettings().setTimeout(this.timeout);
			return session;
		}, (session) -> new AcmeClient(settings, store, session, verifier, clock, schedule), clock, schedule, host);
		if (host != null) {
			store.create();
			return certificates;
		}
		certificates.writeFiles();
		return certificates;
	}

	/**
	 * A host that serves nothing.
	 */
	private static final class NoHost implements AcmeCertificates.Host {

		@Override
		public void serve(List<AcmeCertificate> certificates) {
		}

		@Override
		public boolean isServing() {
			return true;
		}

		@Override
		public void issued() {
		}

		@Override
		public boolean isWanted() {
			return true;
		}

	}

	/**
	 * How a CA changes the names that were ordered.
	 */
	enum Change {

		ADDED((names) -> {
			Set<String> more = new TreeSet<>(names);
			more.add("a.example.com");
			return more;
		}),

		UPPER_CASE((names) -> names.stream().map(String::toUpperCase).collect(Collectors.toSet())),

		WILDCARD((names) -> Set.of("localhost", "*.example.com"));

		private final UnaryOperator<Set<String>> names;

		Change(UnaryOperator<Set<String>> names) {
			this.names = names;
		}

	}

}
