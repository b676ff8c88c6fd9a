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

import java.util.List;

import org.springframework.boot.autoconfigure.condition.ConditionMessage;
import org.springframework.boot.autoconfigure.condition.ConditionOutcome;
import org.springframework.boot.autoconfigure.condition.SpringBootCondition;
import org.springframework.context.annotation.ConditionContext;
import org.springframework.core.env.Environment;
import org.springframework.core.type.AnnotatedTypeMetadata;

/**
 * Matches when TLS is not turned off and any of our certificate properties is set: also
 * one without the certificate itself, so that it is not ignored in silence.
 */
class OnServerCertificateCondition extends SpringBootCondition {

	private static final List<String> PROPERTIES = List.of("server.ssl.certificate-file",
			"server.ssl.certificate-key-file", "server.ssl.certificate-key-password",
			"server.ssl.certificate-chain-file", "server.ssl.ca-certificate-file");

	@Override
	public ConditionOutcome getMatchOutcome(ConditionContext context, AnnotatedTypeMetadata metadata) {
		ConditionMessage.Builder message = ConditionMessage.forCondition("Server Certificate");
		Environment environment = context.getEnvironment();
		if (!environment.getProperty("server.ssl.enabled", Boolean.class, true)) {
			return ConditionOutcome.noMatch(message.because("'server.ssl.enabled' is 'false'"));
		}
		List<String> found = PROPERTIES.stream().filter(environment::containsProperty).toList();
		return found.isEmpty()
				? ConditionOutcome.noMatch(message.didNotFind("property", "properties").items(PROPERTIES))
				: ConditionOutcome.match(message.found("property", "properties").items(found));
	}

}
