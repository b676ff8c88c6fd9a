// Copyright 2026-present the original author or authors.
// SPDX-License-Identifier: Apache-2.0

package io.github.tomcatopenssl.test.tls;

import java.io.IOException;

import io.github.tomcatopenssl.test.Http;

/**
 * The TLS versions that the server supports.
 */
public enum TlsVersion {

	TLS_1_2 {

		@Override
		public RawTlsClient connect(int port, Http http) throws IOException {
			return new Tls12Client(port, http);
		}

	},

	TLS_1_3 {

		@Override
		public RawTlsClient connect(int port, Http http) throws IOException {
			return new Tls13Client(port, http);
		}

	};

	public abstract RawTlsClient connect(int port, Http http) throws IOException;

}
