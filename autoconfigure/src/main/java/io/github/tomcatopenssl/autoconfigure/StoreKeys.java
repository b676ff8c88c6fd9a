// Copyright 2026-present the original author or authors.
// SPDX-License-Identifier: Apache-2.0

package io.github.tomcatopenssl.autoconfigure;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Base64;
import java.util.List;
import java.util.regex.Pattern;

import io.github.tomcatopenssl.TlsSettingException;
import io.github.tomcatopenssl.internal.store.EntryCipher;

import org.springframework.boot.io.ApplicationResourceLoader;

/**
 * The keys of {@code server.ssl.store-keys}. No message contains one, not even a part of
 * it.
 */
final class StoreKeys {

	/**
	 * What 32 bytes are in Base64.
	 */
	private static final Pattern KEY = Pattern.compile("[A-Za-z0-9+/]{43}=");

	/**
	 * One, and another one while it is replaced.
	 */
	private static final int MOST = 2;

	private static final String CREATE = "Create one with 'openssl rand -base64 32', which all replicas need";

	private StoreKeys() {
	}

	/**
	 * Read the keys.
	 * @param values the values of the property
	 * @return what encrypts with them
	 * @throws TlsSettingException if there is none, or if one cannot be used
	 */
	static EntryCipher read(List<String> values) {
		String property = ServerSslProperty.STORE_KEYS.toString();
		if (values.isEmpty()) {
			throw failure(property, "it is not set, but the private keys in the database need to be encrypted", CREATE);
		}
		if (values.size() > MOST) {
			throw failure(property, "it has %d keys, but can have two".formatted(values.size()),
					"Set it to the key that encrypts, and to the one that it replaces");
		}
		List<byte[]> keys = new ArrayList<>();
		for (int i = 0; i < values.size(); i++) {
			keys.add(read("%s[%d]".formatted(property, i), values.get(i).strip()));
		}
		if (values.size() == MOST && Arrays.equals(keys.get(0), keys.get(1))) {
			throw failure(property, "both keys are the same", "Remove the second one");
		}
		return new EntryCipher(keys);
	}

	// A damaged key resembles a path: the value is never shown
	private static byte[] read(String property, String value) {
		String key = KEY.matcher(value).matches() ? value : content(property, value);
		if (!KEY.matcher(key).matches()) {
			throw failure(property, "the file does not contain 32 bytes in Base64", CREATE);
		}
		return Base64.getDecoder().decode(key);
	}

	private static String content(String property, String location) {
		try {
			return ApplicationResourceLoader.get()
				.getResource(location)
				.getContentAsString(StandardCharsets.US_ASCII)
				.strip();
		}
		catch (IOException | IllegalArgumentException ex) {
			throw failure(property, "it is neither 32 bytes in Base64 nor a file that can be read", CREATE);
		}
	}

	private static TlsSettingException failure(String property, String reason, String action) {
		return new TlsSettingException(property, null, reason, action, null);
	}

}
