// Copyright 2026-present the original author or authors.
// SPDX-License-Identifier: Apache-2.0

package io.github.tomcatopenssl.acme;

import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Base64;
import java.util.List;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;

import io.github.tomcatopenssl.TlsSettingException;
import io.github.tomcatopenssl.acme.AcmeProperties.DnsUpdate;
import io.github.tomcatopenssl.acme.AcmeProperties.KeyAlgorithm;
import io.github.tomcatopenssl.test.FreePorts;
import io.github.tomcatopenssl.test.Provided;
import org.awaitility.Awaitility;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.xbill.DNS.DClass;
import org.xbill.DNS.Message;
import org.xbill.DNS.Name;
import org.xbill.DNS.Record;
import org.xbill.DNS.Section;
import org.xbill.DNS.SimpleResolver;
import org.xbill.DNS.TSIG;
import org.xbill.DNS.Type;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIOException;

/**
 * Tests for {@link DnsUpdateProvider} with BIND, a primary and a secondary server.
 */
class DnsUpdateProviderTests {

	private static final String ADDRESS = "127.0.0.1";

	private static final String RECORD = "_acme-challenge.example.test.";

	private static final Pattern ZONE = Pattern.compile("zone \"(.+?)\"");

	private static final String KEY = "MDEyMzQ1Njc4OTAxMjM0NTY3ODkwMTIzNDU2Nzg5MDE=";

	@TempDir
	private Path folder;

	private int primary;

	private int secondary;

	/**
	 * The server that has other domains.
	 */
	private int other;

	private final List<Process> servers = new ArrayList<>();

	@BeforeEach
	void choosePorts() {
		Provided.named();
		this.primary = FreePorts.next();
		this.secondary = FreePorts.next();
		this.other = FreePorts.next();
	}

	@AfterEach
	void stop() throws InterruptedException {
		for (Process server : this.servers) {
			server.destroyForcibly().waitFor();
		}
	}

	@Test
	void whenRecordsArePublishedThenAllServersHaveThemUntilTheyAreRemoved() throws Exception {
		startPrimary("also-notify { %s port %d; };".formatted(ADDRESS, this.secondary));
		startSecondary();
		DnsUpdateProvider provider = provider(KEY);
		provider.publish(RECORD, "one");
		provider.publish(RECORD, "two");
		assertThat(texts(this.primary)).containsExactlyInAnyOrder("\"one\"", "\"two\"");
		assertThat(texts(this.secondary)).containsExactlyInAnyOrder("\"one\"", "\"two\"");
		provider.remove(RECORD, "one");
		assertThat(texts(this.primary)).containsExactly("\"two\"");
	}

	@Test
	void whenSecondaryDoesNotGetRecordThenItIsNamed() throws Exception {
		startPrimary("notify no;");
		startSecondary();
		assertThatIOException().isThrownBy(() -> provider(KEY).publish(RECORD, "one"))
			.withMessageContaining("still do not have the record")
			.withMessageContaining(ADDRESS + ":" + this.secondary);
	}

	@Test
	void whenSecondaryCannotBeReachedThenOthersAreEnough() throws Exception {
		startPrimary("notify no;");
		provider(KEY).publish(RECORD, "one");
		assertThat(texts(this.primary)).containsExactly("\"one\"");
	}

	@Test
	void whenKeyIsWrongThenNothingIsPublished() throws Exception {
		startPrimary("notify no;");
		assertThatIOException()
			.isThrownBy(() -> provider("d3Jvbmcgd3Jvbmcgd3Jvbmcgd3Jvbmcgd3Jvbmcgd3I=").publish(RECORD, "one"));
		assertThat(texts(this.primary)).isEmpty();
	}

	@ParameterizedTest
	@CsvSource({ "www.example.test., refuses to update the zone 'example.test.': REFUSED",
			"_acme-challenge.elsewhere.test., has no zone for '_acme-challenge.elsewhere.test.'" })
	void whenServerDoesNotAllowRecordThenReasonIsSaid(String name, String reason) throws Exception {
		startPrimary("notify no;");
		start(this.other, "", zone("elsewhere.test", ""));
		assertThatIOException().isThrownBy(() -> provider(KEY).publish(name, "one")).withMessageContaining(reason);
	}

	@Test
	void whenRecordIsAnAliasThenTheZoneThatItLeadsToIsUpdated() throws Exception {
		startPrimary("also-notify { %s port %d; };".formatted(ADDRESS, this.secondary));
		startSecondary();
		DnsUpdateProvider provider = provider(KEY);
		provider.publish("_acme-challenge.alias.example.test.", "one");
		assertThat(texts(this.primary, "example.delegated.test.")).containsExactly("\"one\"");
		assertThat(texts(this.secondary, "example.delegated.test.")).containsExactly("\"one\"");
		provider.remove("_acme-challenge.alias.example.test.", "one");
		assertThat(texts(this.primary, "example.delegated.test.")).isEmpty();
	}

	@Test
	void whenSecondaryOfTheZoneOfAnAliasDoesNotGetRecordThenItIsNamed() throws Exception {
		startPrimary("notify no;");
		startSecondary();
		assertThatIOException().isThrownBy(() -> provider(KEY).publish("_acme-challenge.alias.example.test.", "one"))
			.withMessageContaining("name servers of 'delegated.test.' still do not have")
			.withMessageContaining(ADDRESS + ":" + this.secondary);
	}

	@Test
	void whenAnotherServerHasTheAliasThenItIsAsked() throws Exception {
		startPrimary("notify no;");
		start(this.other, "", zone("other.test", "_acme-challenge IN CNAME example.delegated.test.\n"));
		provider(KEY).publish("_acme-challenge.other.test.", "one");
		assertThat(texts(this.primary, "example.delegated.test.")).containsExactly("\"one\"");
	}

	@Test
	void whenAliasOfAnotherServerCannotBeLookedUpThenReasonIsSaid() throws Exception {
		startPrimary("notify no;");
		assertThatIOException().isThrownBy(() -> provider(KEY).publish("_acme-challenge.other.test.", "one"))
			.withMessageContaining("whether '_acme-challenge.other.test.' is an alias");
	}

	// The record of the challenge takes its place
	@Test
	void whenAliasComesFromWildcardThenItIsNotFollowed() throws Exception {
		startPrimary("notify no;");
		provider(KEY).publish("_acme-challenge.wildcard.example.test.", "one");
		assertThat(texts(this.primary, "_acme-challenge.wildcard.example.test.")).containsExactly("\"one\"");
	}

	@ParameterizedTest
	@CsvSource({
			"_acme-challenge.circle.example.test., 'lead back to ''_acme-challenge.circle.example.test.'': [_acme-challenge.circle.example.test., circle.example.test.]'",
			"chain0.example.test., are more than 10" })
	void whenAliasesDoNotEndThenNothingIsPublished(String name, String reason) throws Exception {
		startPrimary("notify no;");
		assertThatIOException().isThrownBy(() -> provider(KEY).publish(name, "one")).withMessageContaining(reason);
	}

	@ParameterizedTest
	@ValueSource(strings = { "ns1.example.com", "192.0.2.53", "ns1.example.com:5353", "[2001:db8::53]:5353",
			"2001:db8::53" })
	void whenServerIsValidThenItIsUsed(String server) {
		assertThat(DnsUpdateProvider.of(new DnsUpdate(server, "acme", KEY, KeyAlgorithm.HMAC_SHA512))).isNotNull();
	}

	@ParameterizedTest
	@CsvSource(nullValues = "-",
			value = { "-,acme,a2V5,server,is not the name", "'a b',acme,a2V5,server,is not the name",
					"ns,acme,-,key,it is not set", "ns,-,a2V5,key-name,it is not set",
					"ns,acme,secret!,key,it is not valid Base64" })
	void whenPropertyIsInvalidThenFails(@Nullable String server, @Nullable String name, @Nullable String key,
			String property, String reason) {
		assertThatExceptionOfType(TlsSettingException.class)
			.isThrownBy(() -> DnsUpdateProvider.of(new DnsUpdate(server, name, key, KeyAlgorithm.HMAC_SHA256)))
			.withMessageContaining("server.ssl.acme.dns-update." + property)
			.withMessageContaining(reason)
			.satisfies((failure) -> assertThat(failure.toString()).doesNotContain("secret!"));
	}

	private DnsUpdateProvider provider(String key) throws IOException {
		return new DnsUpdateProvider(InetSocketAddress.createUnresolved(ADDRESS, this.primary),
				new TSIG(TSIG.HMAC_SHA256, Name.fromString("acme."), Base64.getDecoder().decode(key)),
				Duration.ofSeconds(5), this.secondary, resolver(this.other));
	}

	private static SimpleResolver resolver(int port) {
		SimpleResolver resolver = new SimpleResolver(new InetSocketAddress(ADDRESS, port));
		resolver.setTimeout(Duration.ofSeconds(1));
		return resolver;
	}

	private static List<String> texts(int port) throws IOException {
		return texts(port, RECORD);
	}

	private static List<String> texts(int port, String name) throws IOException {
		SimpleResolver resolver = new SimpleResolver(new InetSocketAddress(ADDRESS, port));
		resolver.setTCP(true);
		Message answer = resolver.send(Message.newQuery(Record.newRecord(Name.fromString(name), Type.TXT, DClass.IN)));
		return answer.getSection(Section.ANSWER).stream().map(Record::rdataToString).toList();
	}

	private void startPrimary(String options) throws IOException {
		StringBuilder records = new StringBuilder("""
				_acme-challenge.alias IN CNAME alias
				alias IN CNAME example.delegated.test.
				_acme-challenge.circle IN CNAME circle
				circle IN CNAME _acme-challenge.circle
				*.wildcard IN CNAME alias
				""");
		for (int i = 0; i <= 10; i++) {
			records.append("chain%d IN CNAME chain%d\n".formatted(i, i + 1));
		}
		start(this.primary, options + " allow-transfer { 127.0.0.0/8; };",
				"key \"acme\" { algorithm hmac-sha256; secret \"%s\"; };\n".formatted(KEY)
						+ zone("example.test", records.toString(), RECORD, "_acme-challenge.wildcard.example.test.")
						+ zone("delegated.test", "", "example.delegated.test."));
	}

	private String zone(String name, String records, String... updatable) throws IOException {
		Path file = Files.writeString(this.folder.resolve(name), """
				$TTL 60
				@ IN SOA ns1 admin 1 60 60 600 60
				@ IN NS ns1
				@ IN NS ns2
				ns1 IN A %s
				ns2 IN A %s
				""".formatted(ADDRESS, ADDRESS) + records);
		String policy = Stream.of(updatable).map("grant acme name %s TXT; "::formatted).collect(Collectors.joining());
		return """
				zone "%s" { type primary; file "%s"; %s };
				""".formatted(name, file, policy.isEmpty() ? "" : "update-policy { " + policy + "};");
	}

	private void startSecondary() throws IOException {
		start(this.secondary, "", Stream.of("example.test", "delegated.test").map((zone) -> """
				zone "%s" { type secondary; file "%s/copy-of-%1$s"; primaries { %s port %d; }; };
				""".formatted(zone, this.folder, ADDRESS, this.primary)).collect(Collectors.joining()));
	}

	private void start(int port, String options, String zones) throws IOException {
		Path work = Files.createDirectory(this.folder.resolve(String.valueOf(port)));
		Path configuration = Files.writeString(work.resolve("named.conf"), """
				options {
				  directory "%1$s"; pid-file none; session-keyfile "%1$s/session.key"; recursion no;
				  dnssec-validation no; listen-on port %2$d { %3$s; }; listen-on-v6 { none; };
				  %4$s
				};
				controls { };
				%5$s
				""".formatted(work, port, ADDRESS, options, zones));
		this.servers.add(new ProcessBuilder("named", "-g", "-c", configuration.toString()).redirectErrorStream(true)
			.redirectOutput(work.resolve("log").toFile())
			.start());
		Awaitility.await()
			.atMost(Duration.ofSeconds(30))
			.untilAsserted(() -> assertThat(ZONE.matcher(zones).results()).as(Files.readString(work.resolve("log")))
				.allMatch((zone) -> answers(port, zone.group(1))));
	}

	private static boolean answers(int port, String zone) {
		try {
			Message answer = resolver(port)
				.send(Message.newQuery(Record.newRecord(Name.fromString(zone + "."), Type.SOA, DClass.IN)));
			return !answer.getSection(Section.ANSWER).isEmpty();
		}
		catch (IOException ex) {
			return false;
		}
	}

}
