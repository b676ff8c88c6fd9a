// Copyright 2026-present the original author or authors.
// SPDX-License-Identifier: Apache-2.0

package io.github.tomcatopenssl.internal.certificate;

import jdk.jfr.Category;
import jdk.jfr.Description;
import jdk.jfr.Event;
import jdk.jfr.Label;
import jdk.jfr.Name;
import jdk.jfr.StackTrace;
import org.jspecify.annotations.Nullable;

/**
 * What has happened to files that were replaced, added or removed.
 */
@Name("io.github.tomcatopenssl.CertificateReload")
@Label("Certificate Reload")
@Description("Files that were replaced, added or removed while the server runs")
@Category("TLS")
@StackTrace(false)
final class ReloadEvent extends Event {

	@Label("Name")
	@Description("Name of the SSL bundle, of the session ticket key, or of the certificate of a folder")
	@Nullable String name;

	@Label("Outcome")
	@Description("What has become of the files: replaced, added, removed or refused")
	@Nullable String outcome;

	@Label("Problem")
	@Description("Why the files were refused")
	@Nullable String problem;

}
