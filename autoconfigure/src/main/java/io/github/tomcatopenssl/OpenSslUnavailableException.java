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

package io.github.tomcatopenssl;

import org.jspecify.annotations.Nullable;

/**
 * OpenSSL cannot serve TLS. Says why, and what to do about it.
 */
public class OpenSslUnavailableException extends RuntimeException {

	private final String reason;

	private final String action;

	/**
	 * Create a new exception.
	 * @param reason why OpenSSL cannot serve TLS, as a clause of a sentence
	 * @param action what to do about it, a sentence without its full stop
	 * @param cause the error behind it, if there is one
	 */
	public OpenSslUnavailableException(String reason, String action, @Nullable Throwable cause) {
		super(reason, cause);
		this.reason = reason;
		this.action = action;
	}

	/**
	 * Return why OpenSSL cannot serve TLS.
	 * @return a clause of a sentence
	 */
	public String getReason() {
		return this.reason;
	}

	/**
	 * Return what to do about it.
	 * @return a sentence without its full stop
	 */
	public String getAction() {
		return this.action;
	}

}
