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

package io.github.tomcatopenssl.sample;

import java.time.Instant;
import java.util.List;

import org.jspecify.annotations.Nullable;

/**
 * The certificates that the server has.
 *
 * @param chain the chain of the default host, the leaf certificate first
 * @param lastReload when replaced files were last taken into use, or {@code null}
 * @param refused why the present files are not in use, or {@code null} when they are
 */
record CertificateReport(List<Entry> chain, @Nullable Instant lastReload, @Nullable String refused) {

	/**
	 * A certificate.
	 *
	 * @param subject whom it is for
	 * @param issuer who has issued it
	 * @param validUntil when it expires
	 * @param daysLeft how many whole days that is from now
	 */
	record Entry(@Nullable String subject, @Nullable String issuer, Instant validUntil, long daysLeft) {

	}

}
