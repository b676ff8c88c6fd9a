// Copyright 2026-present the original author or authors.
// SPDX-License-Identifier: Apache-2.0

package io.github.tomcatopenssl.internal.host;

import java.nio.ByteBuffer;
import java.util.List;

import org.jspecify.annotations.Nullable;

/**
 * The session ticket keys that replicas share.
 *
 * @param current the key that seals tickets
 * @param others further keys that open them: another replica still seals with one, or
 * does so already
 */
public record SessionTicketKeys(SessionTicketKey current, List<SessionTicketKey> others) {

	/**
	 * Create the keys.
	 */
	public SessionTicketKeys {
		others = List.copyOf(others);
	}

	/**
	 * Create keys without others.
	 * @param current the key that seals tickets
	 * @return the keys
	 */
	public static SessionTicketKeys of(SessionTicketKey current) {
		return new SessionTicketKeys(current, List.of());
	}

	/**
	 * Find the other key that the first readable ticket of a client needs.
	 * @param names the beginnings of the client's tickets
	 * @return the key, or {@code null} if it is the current one or a strange one
	 */
	public @Nullable SessionTicketKey find(List<ByteBuffer> names) {
		for (ByteBuffer name : names) {
			if (this.current.isNamed(name)) {
				return null;
			}
			for (SessionTicketKey other : this.others) {
				if (other.isNamed(name)) {
					return other;
				}
			}
		}
		return null;
	}

}
