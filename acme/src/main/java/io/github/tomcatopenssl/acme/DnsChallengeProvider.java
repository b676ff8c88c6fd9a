// Copyright 2026-present the original author or authors.
// SPDX-License-Identifier: Apache-2.0

package io.github.tomcatopenssl.acme;

import java.io.IOException;

/**
 * Publishes TXT records, with which a CA verifies domains over DNS (the challenge DNS-01,
 * RFC 8555, 8.4). If the application has a bean of this type, all domains are verified in
 * this way, and the CA does not have to reach the server. Wildcard certificates require
 * it.
 */
public interface DnsChallengeProvider {

	/**
	 * Publish a TXT record in addition to others of the same name. Return when the name
	 * servers of the domain answer with it.
	 * @param name the name of the record, such as {@code _acme-challenge.example.com.}
	 * @param value the value of the record
	 * @throws IOException if the record cannot be published
	 * @throws InterruptedException if the application stops
	 */
	void publish(String name, String value) throws IOException, InterruptedException;

	/**
	 * Remove a record, whether or not the CA could verify it.
	 * @param name the name of the record
	 * @param value the value of the record
	 * @throws IOException if the record cannot be removed
	 */
	void remove(String name, String value) throws IOException;

}
