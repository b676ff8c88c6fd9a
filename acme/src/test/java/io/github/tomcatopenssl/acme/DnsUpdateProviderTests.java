// Copyright 2026-present the original author or authors.
// SPDX-License-Identifier: Apache-2.0

package io.github.tomcatopenssl.acme;

import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Base64;

import io.github.tomcatopenssl.TlsSettingException;
import io.github.tomcatopenssl.acme.AcmeProperties.DnsUpdate;
import io.github.tomcatopenssl.acme.AcmeProperties.KeyAlgorithm;
import io.github.tomcatopenssl.test.FreePorts;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.xbill.DNS.Name;
import org.xbill.DNS.TSIG;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIOException;

/**
 * Tests for {@link DnsUpdateProvider} with BIND, a primary and a secondary server.
 */
class DnsUpdateProviderTests {

	private static final String RECORD = "_acme-challenge.example.test.";

	@TempDir
	private Path folder;

	private int primary;

	private int secondary;

	/**
	 * The server that has other domains.
	 */
	private int other;

	private Bind bind;

	@BeforeEach
	void choosePorts() {
		this.bind = new Bind(this.folder, Bind.ADDRESS);
		this.primary = FreePorts.next();
		this.secondary = FreePorts.next();
		this.other = FreePorts.next();
	}

	@AfterEach
	void stop() {
		if (this.bind != null) {
			this.bind.close();
		}
	}

	@Test
	void whenRecordsArePublishedThenAllServersHaveThemUntilTheyAreRemoved() throws Exception {
		startPrimary("also-notify { %s port %d; };".formatted(Bind.ADDRESS, this.secondary));
		startSecondary();
		DnsUpdateProvider provider = provider(Bind.KEY);
		provider.publish(RECORD, "one");
		provider.publish(RECORD, "two");
		assertThat(Bind.texts(this.primary, RECORD)).containsExactlyInAnyOrder("\"one\"", "\"two\"");
		assertThat(Bind.texts(this.secondary, RECORD)).containsExactlyInAnyOrder("\"one\"", "\"two\"");
		provider.remove(RECORD, "one");
		assertThat(Bind.texts(this.primary, RECORD)).containsExactly("\"two\"");
	}

	@Test
	void whenSecondaryDoesNotGetRecordThenItIsNamed() throws Exception {
		startPrimary("notify no;");
		startSecondary();
		assertThatIOException().isThrownBy(() -> provider(Bind.KEY).publish(RECORD, "one"))
			.withMessageContaining("still do not have the record")
			.withMessageContaining(Bind.ADDRESS + ":" + this.secondary);
	}

	@Test
	void whenSecondaryCannotBeReachedThenOthersAreEnough() throws Exception {
		startPrimary("notify no;");
		provider(Bind.KEY).publish(RECORD, "one");
		assertThat(Bind.texts(this.primary, RECORD)).containsExactly("\"one\"");
	}

	@Test
	void whenKeyIsWrongThenNothingIsPublished() throws Exception {
		startPrimary("notify no;");
		assertThatIOException()
			.isThrownBy(() -> provider("d3Jvbmcgd3Jvbmcgd3Jvbmcgd3Jvbmcgd3Jvbmcgd3I=").publish(RECORD, "one"));
		assertThat(Bind.texts(this.primary, RECORD)).isEmpty();
	}

	@ParameterizedTest
	@CsvSource({ "www.example.test., refuses to update the zone 'example.test.': REFUSED",
			"_acme-challenge.elsewhere.test., has no zone for '_acme-challenge.elsewhere.test.'" })
	void whenServerDoesNotAllowRecordThenReasonIsSaid(String name, String reason) throws Exception {
		startPrimary("notify no;");
		this.bind.start(this.other, "recursion no;", this.bind.zone("elsewhere.test", ""));
		assertThatIOException().isThrownBy(() -> provider(Bind.KEY).publish(name, "one")).withMessageContaining(reason);
	}

	@Test
	void whenRecordIsAnAliasThenTheZoneThatItLeadsToIsUpdated() throws Exception {
		startPrimary("also-notify { %s port %d; };".formatted(Bind.ADDRESS, this.secondary));
		startSecondary();
		DnsUpdateProvider provider = provider(Bind.KEY);
		provider.publish("_acme-challenge.alias.example.test.", "one");
		assertThat(Bind.texts(this.primary, "example.delegated.test.")).containsExactly("\"one\"");
		assertThat(Bind.texts(this.secondary, "example.delegated.test.")).containsExactly("\"one\"");
		provider.remove("_acme-challenge.alias.example.test.", "one");
		assertThat(Bind.texts(this.primary, "example.delegated.test.")).isEmpty();
	}

	@Test
	void whenSecondaryOfTheZoneOfAnAliasDoesNotGetRecordThenItIsNamed() throws Exception {
		startPrimary("notify no;");
		startSecondary();
		assertThatIOException()
			.isThrownBy(() -> provider(Bind.KEY).publish("_acme-challenge.alias.example.test.", "one"))
			.withMessageContaining("name servers of 'delegated.test.' still do not have")
			.withMessageContaining(Bind.ADDRESS + ":" + this.secondary);
	}

	@Test
	void whenAnotherServerHasTheAliasThenItIsAsked() throws Exception {
		startPrimary("notify no;");
		this.bind.start(this.other, "recursion no;",
				this.bind.zone("other.test", "_acme-challenge IN CNAME example.delegated.test.\n"));
		provider(Bind.KEY).publish("_acme-challenge.other.test.", "one");
		assertThat(Bind.texts(this.primary, "example.delegated.test.")).containsExactly("\"one\"");
	}

	@Test
	void whenAliasOfAnotherServerCannotBeLookedUpThenReasonIsSaid() throws Exception {
		startPrimary("notify no;");
		assertThatIOException().isThrownBy(() -> provider(Bind.KEY).publish("_acme-challenge.other.test.", "one"))
			.withMessageContaining("whether '_acme-challenge.other.test.' is an alias");
	}

	// The record of the challenge takes its place
	@Test
	void whenAliasComesFromWildcardThenItIsNotFollowed() throws Exception {
		startPrimary("notify no;");
		provider(Bind.KEY).publish("_acme-challenge.wildcard.example.test.", "one");
		assertThat(Bind.texts(this.primary, "_acme-challenge.wildcard.example.test.")).containsExactly("\"one\"");
	}

	@ParameterizedTest
	@CsvSource({
			"_acme-challenge.circle.example.test., 'lead back to ''_acme-challenge.circle.example.test.'': [_acme-challenge.circle.example.test., circle.example.test.]'",
			"chain0.example.test., are more than 10" })
	void whenAliasesDoNotEndThenNothingIsPublished(String name, String reason) throws Exception {
		startPrimary("notify no;");
		assertThatIOException().isThrownBy(() -> provider(Bind.KEY).publish(name, "one")).withMessageContaining(reason);
	}

	@ParameterizedTest
	@ValueSource(strings = { "ns1.example.com", "192.0.2.53", "ns1.example.com:5353", "[2001:db8::53]:5353",
			"2001:db8::53" })
	void whenServerIsValidThenItIsUsed(String server) {
		assertThat(DnsUpdateProvider.of(new DnsUpdate(server, "acme", Bind.KEY, KeyAlgorithm.HMAC_SHA512))).isNotNull();
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
		return new DnsUpdateProvider(InetSocketAddress.createUnresolved(Bind.ADDRESS, this.primary),
				new TSIG(TSIG.HMAC_SHA256, Name.fromString("acme."), Base64.getDecoder().decode(key)),
				Duration.ofSeconds(5), this.secondary, Bind.resolver(this.other));
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
		this.bind.start(this.primary, options + " recursion no; allow-transfer { 127.0.0.0/8; };",
				this.bind.zone("example.test", records.toString(), RECORD, "_acme-challenge.wildcard.example.test."),
				this.bind.zone("delegated.test", "", "example.delegated.test."));
	}

	private void startSecondary() throws IOException {
		this.bind.start(this.secondary, "recursion no;", this.bind.copy("example.test", this.primary),
				this.bind.copy("delegated.test", this.primary));
	}

}
