// Copyright 2026-present the original author or authors.
// SPDX-License-Identifier: Apache-2.0

package io.github.tomcatopenssl.acme;

import jdk.jfr.Category;
import jdk.jfr.Description;
import jdk.jfr.Event;
import jdk.jfr.Label;
import jdk.jfr.Name;
import jdk.jfr.StackTrace;
import org.jspecify.annotations.Nullable;

/**
 * A certificate that was ordered from a CA.
 */
@Name("io.github.tomcatopenssl.CertificateOrder")
@Label("Certificate Order")
@Description("A certificate that was ordered from a CA, until it is issued or the order has failed")
@Category("TLS")
@StackTrace(false)
final class OrderEvent extends Event {

	@Label("Domains")
	@Nullable String domains;

	@Label("Key Type")
	@Nullable String keyType;

	@Label("CA")
	@Description("Address of the CA")
	@Nullable String ca;

	@Label("Serial Number")
	@Description("Serial number of the certificate, in hexadecimal")
	@Nullable String serialNumber;

	@Label("Problem")
	@Description("Why the order has failed")
	@Nullable String problem;

}
