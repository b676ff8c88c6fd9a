/*
 * Copyright 2026-present the original author or authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License");
 * you may not use this file except in compliance with the License.
 * You may obtain a copy of the License at
 *
 *      https://www.apache.org/licenses/LICENSE-2.0
 *
 * Unless required by applicable law or agreed to in writing, software
 * distributed under the License is distributed on an "AS IS" BASIS,
 * WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied.
 * See the License for the specific language governing permissions and
 * limitations under the License.
 */

package io.github.tomcatopenssl.autoconfigure;

import org.jspecify.annotations.Nullable;

/**
 * The TLS engine that is wanted for all connectors of an application.
 *
 * @param openSsl whether it is OpenSSL; JSSE otherwise
 * @param reason why it is not OpenSSL, as a clause of a sentence
 * @param action what to do to have OpenSSL, a sentence without its full stop;
 * {@code null} when JSSE is what the user asked for
 */
record TlsEngineSelection(boolean openSsl, String reason, @Nullable String action) {

	static TlsEngineSelection openSslEngine() {
		return new TlsEngineSelection(true, "", null);
	}

	static TlsEngineSelection jsse(String reason, @Nullable String action) {
		return new TlsEngineSelection(false, reason, action);
	}

}
