// Copyright 2026-present the original author or authors.
// SPDX-License-Identifier: Apache-2.0

package io.github.tomcatopenssl.endpoint;

import org.jspecify.annotations.Nullable;

/**
 * The report about a failed handshake, or a refused request.
 *
 * @param reason the reason
 * @param refused what was refused, which shows itself in a form that is safe to log, or
 * {@code null} if there is nothing to show
 * @param fingerprint the fingerprint of the client, or {@code null} if there is none
 * @param alert the alert that the server has sent unencrypted, or -1
 * @param cause the cause as {@link FailureReport#describe} gives it, or {@code null}
 */
record FailedHandshake(FailureReason reason, @Nullable Object refused, @Nullable String fingerprint, int alert,
		@Nullable String cause) {

}
