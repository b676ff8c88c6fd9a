// Copyright 2026-present the original author or authors.
// SPDX-License-Identifier: Apache-2.0

package io.github.tomcatopenssl.autoconfigure;

import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneOffset;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Set;

import io.github.tomcatopenssl.SettingName;
import io.github.tomcatopenssl.TlsSettingException;
import io.github.tomcatopenssl.internal.host.EngineCapabilities;
import io.github.tomcatopenssl.internal.host.SessionTicketKeys;
import io.github.tomcatopenssl.internal.store.FolderStore;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/**
 * Tests of {@link StoredTicketKeys} and {@link SharedTicketKeys}.
 */
@ExtendWith(OutputCaptureExtension.class)
class StoredTicketKeysTests {

	private final List<StoredTicketKeys> replicas = new ArrayList<>();

	private Clock clock = Clock.systemUTC();

	@TempDir
	private Path folder;

	@AfterEach
	void close() {
		this.replicas.forEach(StoredTicketKeys::close);
	}

	@Test
	void whenReplicasStartThenTheyHaveTheSameKeys() {
		SessionTicketKeys keys = inUse(replica());
		assertThat(inUse(replica())).isEqualTo(keys);
		assertThat(keys.others()).hasSize(2).doesNotContain(keys.current()).doesNotHaveDuplicates();
	}

	@Test
	void whenCurrentKeyIsDueThenTheFirstReplicaRotatesForAll() throws Exception {
		StoredTicketKeys one = replica();
		StoredTicketKeys other = replica();
		SessionTicketKeys before = inUse(one);
		one.rotate();
		assertThat(inUse(one)).isEqualTo(before);
		becomes(Duration.ofHours(13));
		one.rotate();
		SessionTicketKeys after = inUse(one);
		assertThat(after.current()).isEqualTo(before.others().get(1));
		assertThat(after.others()).contains(before.current()).doesNotContain(before.others().get(0));
		assertThat(inUse(other)).isEqualTo(before);
		other.rotate();
		assertThat(inUse(other)).isEqualTo(after);
		assertThat(inUse(replica())).isEqualTo(after);
	}

	@ParameterizedTest
	@ValueSource(ints = { 25, -13 })
	void whenKeysAreOfALongTimeAgoOrOfAWrongClockThenNoneOfThemIsUsed(int hours) throws Exception {
		SessionTicketKeys before = inUse(replica());
		becomes(Duration.ofHours(hours));
		SessionTicketKeys after = inUse(replica());
		if (hours > 0) {
			assertThat(after.others()).doesNotContainAnyElementsOf(before.others());
			assertThat(after.current()).isNotIn(before.others());
		}
		assertThat(after.others()).doesNotContain(before.others().get(0));
	}

	@Test
	void whenKeysAreDeletedThenOthersAreMade() throws Exception {
		StoredTicketKeys replica = replica();
		SessionTicketKeys before = inUse(replica);
		Files.delete(file());
		replica.rotate();
		assertThat(inUse(replica).others()).doesNotContainAnyElementsOf(before.others());
	}

	@Test
	void whenStoreCannotBeUsedThenKeysStayForADay(CapturedOutput output) throws Exception {
		StoredTicketKeys replica = replica();
		SessionTicketKeys before = inUse(replica);
		String content = Files.readString(file());
		Files.writeString(file(), "nothing");
		replica.rotate();
		assertThat(inUse(replica)).isEqualTo(before);
		assertThat(replica.status().problem())
			.startsWith("The session ticket keys cannot be rotated, and those in use stay in use. ")
			.contains("'server.ssl.session-ticket-keys' ('" + file() + "'): it has no session ticket keys");
		assertThat(output).doesNotContain("a day old");
		this.clock = Clock.offset(this.clock, StoredTicketKeys.ROTATION.plusMinutes(1));
		replica.rotate();
		assertThat(inUse(replica).others()).as("without the previous key").containsExactly(before.others().get(1));
		this.clock = Clock.offset(this.clock, StoredTicketKeys.LIFETIME.plusMinutes(1));
		replica.rotate();
		SessionTicketKeys own = inUse(replica);
		assertThat(own.others()).isEmpty();
		assertThat(own.current()).isNotIn(before.current(), before.others());
		replica.rotate();
		assertThat(inUse(replica)).isSameAs(own);
		assertThat(output).containsOnlyOnce("a day old");
		Files.writeString(file(), content);
		becomes(Duration.ofHours(25));
		replica.rotate();
		assertThat(inUse(replica).others()).hasSize(2);
		assertThat(replica.status().problem()).isNull();
		assertThat(inUse(replica())).isEqualTo(inUse(replica));
	}

	@ParameterizedTest
	@ValueSource(strings = { "", "2026-11-28T22:00:00Z\nAA==\nAA==\nAA==", "yesterday\nAA==\nAA==\nAA==" })
	void whenContentIsDamagedThenServerDoesNotStart(String content) throws Exception {
		Files.writeString(file(), content);
		assertThatExceptionOfType(TlsSettingException.class).isThrownBy(() -> replica())
			.returns("it has no session ticket keys", (ex) -> ex.getReason(SettingName::toString))
			.returns("Delete it from the store", (ex) -> ex.getAction(SettingName::toString));
	}

	@Test
	void keysAreNotShown() {
		StoredTicketKeys.Generation keys = StoredTicketKeys.Generation.first(Instant.now());
		assertThat(new StoredTicketKeys.Content(keys, null).toString()).doesNotContain(keys.encoded());
	}

	// As if so much time had passed
	private void becomes(Duration age) throws Exception {
		List<String> lines = Files.readAllLines(file());
		Files.writeString(file(), Instant.now().minus(age) + "\n" + String.join("\n", lines.subList(1, lines.size())));
	}

	private Path file() {
		return this.folder.resolve(StoredTicketKeys.NAME);
	}

	private StoredTicketKeys replica() {
		StoredTicketKeys replica = new StoredTicketKeys(() -> new FolderStore(this.folder), new Clock() {

			@Override
			public Instant instant() {
				return StoredTicketKeysTests.this.clock.instant();
			}

			@Override
			public ZoneOffset getZone() {
				return ZoneOffset.UTC;
			}

			@Override
			public Clock withZone(java.time.ZoneId zone) {
				return this;
			}

		}, (files) -> {
		});
		this.replicas.add(replica);
		inUse(replica);
		return replica;
	}

	private static SessionTicketKeys inUse(StoredTicketKeys replica) {
		return Objects
			.requireNonNull(replica.of(new EngineCapabilities("engine", Set.of(), Set.of(), Set.of(), List.of(),
					List.of(), true, true, true)))
			.get();
	}

}
