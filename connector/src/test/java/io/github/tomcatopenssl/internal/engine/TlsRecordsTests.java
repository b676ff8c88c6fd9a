// Copyright 2026-present the original author or authors.
// SPDX-License-Identifier: Apache-2.0

package io.github.tomcatopenssl.internal.engine;

import java.nio.ByteBuffer;
import java.util.HexFormat;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/**
 * Tests for {@link TlsRecords}.
 */
class TlsRecordsTests {

	// The last are no TLS, and longer than any record
	@ParameterizedTest
	@CsvSource({ "'', 0", "16030100, 0", "1603010000, 5", "1603010002 01, 0", "1603010002 0102, 7",
			"1603010002 0102 16, 7", "1703034800, 0", "4745542f20 01, 6", "1303010001, 5", "1803010001, 5",
			"1602010001, 5", "1703034801, 5", "170303ffff, 5" })
	void whenDataBeginsARecordThenItsSizeIsKnown(String data, int size) {
		assertThat(TlsRecords.size(buffer(data))).isEqualTo(size);
	}

	@Test
	void whenThereAreSeveralRecordsThenTheyAreCounted() {
		assertThat(TlsRecords.count(buffer("14030300 0101 1603030000 1503030002 0228"))).isEqualTo(3);
		assertThat(TlsRecords.fatalAlert(40)).isEqualTo(buffer("1503030002 0228").array());
	}

	@Test
	void whenVectorsAreReadThenThePositionIsBehindThem() {
		ByteBuffer data = buffer("0002 0304 01 05 06");
		assertThat(TlsRecords.numbers(TlsRecords.vector(data))).containsExactly(0x0304);
		assertThat(TlsRecords.shortVector(data)).isEqualTo(buffer("05"));
		assertThat(data.get()).isEqualTo((byte) 6);
	}

	@Test
	void whenVectorIsLongerThanTheDataThenFails() {
		assertThatExceptionOfType(IndexOutOfBoundsException.class)
			.isThrownBy(() -> TlsRecords.vector(buffer("0002 03")));
		assertThatExceptionOfType(IndexOutOfBoundsException.class)
			.isThrownBy(() -> TlsRecords.shortVector(buffer("02 03")));
		assertThatExceptionOfType(IndexOutOfBoundsException.class)
			.isThrownBy(() -> TlsRecords.numbers(buffer("030405")).sum());
	}

	private static ByteBuffer buffer(String hex) {
		return ByteBuffer.wrap(HexFormat.of().parseHex(hex.replace(" ", "")));
	}

}
