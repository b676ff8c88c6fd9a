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

import io.github.tomcatopenssl.certificate.CertificateFileException;

import org.springframework.core.NestedExceptionUtils;

/**
 * A consumer of an SSL bundle, such as the web server, does not take files that are right
 * by themselves.
 */
class RefusedByConsumerException extends CertificateFileException {

	RefusedByConsumerException(ServerCertificate certificate, Throwable cause) {
		super(certificate.certificates().get(0).certificateFileProperty(), certificate.file(),
				"a consumer of the SSL bundle refuses it: " + NestedExceptionUtils.getMostSpecificCause(cause),
				"It is tried again. Use a certificate and a key that the TLS engine supports, or correct the handler that was given to 'SslBundles.addBundleUpdateHandler'",
				cause);
	}

}
