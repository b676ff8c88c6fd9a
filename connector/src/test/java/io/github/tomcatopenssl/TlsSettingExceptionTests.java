// Copyright 2026-present the original author or authors.
// SPDX-License-Identifier: Apache-2.0

package io.github.tomcatopenssl;

import java.util.function.Function;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests for {@link TlsSettingException} and {@link SettingName}.
 */
class TlsSettingExceptionTests {

	private static final Function<SettingName, String> NAMES = (setting) -> "tls." + setting;

	@Test
	void whenTextsNameSettingsThenTheyHaveTheNamesOfTheUser() {
		TlsSettingException exception = new TlsSettingException(SettingName.GROUPS,
				new SettingText("%s has none of the %d", SettingName.CIPHERS, 3),
				new SettingText("Remove %s", SettingName.GROUPS), null);
		assertThat(exception).hasMessage("'groups': 'ciphers' has none of the 3");
		assertThat(exception.getSetting(NAMES)).isEqualTo("tls.groups");
		assertThat(exception.getReason(NAMES)).isEqualTo("'tls.ciphers' has none of the 3");
		assertThat(exception.getAction(NAMES)).isEqualTo("Remove 'tls.groups'");
		assertThat(exception.isAbout(SettingName.GROUPS)).isTrue();
		assertThat(exception.isAbout(SettingName.CIPHERS)).isFalse();
	}

	@Test
	void whenMessageIsForTheUserThenItHasTheNamesOfTheUser() {
		Exception cause = new Exception("cause");
		TlsSettingException exception = new TlsSettingException(SettingName.GROUPS,
				new SettingText("%s: %s", SettingName.CIPHERS, new SettingText("see %s", SettingName.MODE)),
				new SettingText("Remove it"), cause);
		TlsSettingException named = exception.withMessage(NAMES);
		assertThat(named).hasMessage("'tls.groups': 'tls.ciphers': see 'tls.mode'").hasCause(cause);
		assertThat(named.getStackTrace()).isEqualTo(exception.getStackTrace());
		assertThat(named.isAbout(SettingName.GROUPS)).isTrue();
		TlsSettingException ofProperty = new TlsSettingException("ciphers", "file", "it is empty", "Remove it", null);
		assertThat(ofProperty.withMessage(NAMES)).isSameAs(ofProperty);
	}

	@ParameterizedTest
	@ValueSource(strings = { "100%", "%s", "%n", "%1$s", "{CIPHERS}", "$1\\" })
	void whenValueLooksLikeAFormatThenItIsKept(String value) {
		TlsSettingException exception = new TlsSettingException(SettingName.CIPHERS,
				new SettingText("'%s' is not known to %s", value, SettingName.MODE), new SettingText("Remove it"),
				null);
		assertThat(exception).hasMessage("'ciphers': '" + value + "' is not known to 'mode'");
		assertThat(exception.getReason((setting) -> value))
			.isEqualTo("'" + value + "' is not known to '" + value + "'");
		TlsSettingException ofProperty = new TlsSettingException(value, value, value, value, exception);
		assertThat(ofProperty).hasMessage("'%1$s' ('%1$s'): %1$s", value).hasCause(exception);
		assertThat(ofProperty.getReason(NAMES)).isEqualTo(value);
		assertThat(ofProperty.getAction(NAMES)).isEqualTo(value);
	}

	@Test
	void whenPropertyIsKnownThenItIsNamed() {
		TlsSettingException exception = new TlsSettingException("ciphers", null, "it is empty", "Remove it", null);
		assertThat(exception).hasMessage("'ciphers': it is empty");
		assertThat(exception.getSetting(NAMES)).isEqualTo("ciphers");
		assertThat(exception.isAbout(SettingName.CIPHERS)).isFalse();
		assertThat(exception.getFile()).isNull();
	}

	@ParameterizedTest
	@ValueSource(strings = { "-----BEGIN PRIVATE KEY-----\nsecret", "base64:c2VjcmV0", "BASE64:c2VjcmV0" })
	void whenFileIsItselfTheContentThenItIsNotShown(String content) {
		TlsSettingException exception = new TlsSettingException("key", content, "it is damaged", "Remove it", null);
		assertThat(exception).hasMessage("'key' ('base64:...'): it is damaged");
		assertThat(exception.getFile()).isEqualTo("base64:...");
	}

}
