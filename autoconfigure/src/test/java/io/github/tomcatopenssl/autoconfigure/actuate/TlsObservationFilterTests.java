// Copyright 2026-present the original author or authors.
// SPDX-License-Identifier: Apache-2.0

package io.github.tomcatopenssl.autoconfigure.actuate;

import java.util.Map;

import io.micrometer.common.KeyValue;
import io.micrometer.common.KeyValues;
import io.micrometer.observation.Observation.Context;
import io.micrometer.observation.ObservationFilter;
import jakarta.servlet.ServletConnection;
import org.apache.catalina.startup.Tomcat;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.test.context.FilteredClassLoader;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.http.client.observation.ClientRequestObservationContext;
import org.springframework.http.server.observation.ServerRequestObservationContext;
import org.springframework.mock.http.client.MockClientHttpRequest;
import org.springframework.mock.http.server.reactive.MockServerHttpRequest;
import org.springframework.mock.http.server.reactive.MockServerHttpResponse;
import org.springframework.mock.web.MockHttpServletRequest;
import org.springframework.mock.web.MockHttpServletResponse;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests for {@link TlsObservationFilter} without a server.
 */
class TlsObservationFilterTests {

	private static final KeyValues NONE = KeyValues.of("tls.cipher", "none", "tls.curve", "none",
			"tls.protocol.version", "none", "tls.resumed", "none");

	private final ApplicationContextRunner runner = new ApplicationContextRunner()
		.withConfiguration(AutoConfigurations.of(TomcatOpenSslActuatorAutoConfiguration.class));

	@Test
	void whenNothingIsSetThenThereIsNoFilter() {
		this.runner.run((context) -> assertThat(context).doesNotHaveBean(ObservationFilter.class));
	}

	@ParameterizedTest
	@CsvSource({ "tls, tlsObservationFilter", "tls-client, tlsClientObservationFilter" })
	void whenPropertyIsSetThenThereIsAFilter(String property, String bean) {
		ApplicationContextRunner enabled = this.runner
			.withPropertyValues("management.observations.http.server.requests.%s.enabled=true".formatted(property));
		enabled.run((context) -> assertThat(context).getBeanNames(ObservationFilter.class).containsExactly(bean));
		for (Class<?> missing : new Class<?>[] { ObservationFilter.class, Tomcat.class,
				ServerRequestObservationContext.class }) {
			enabled.withClassLoader(new FilteredClassLoader(missing))
				.run((context) -> assertThat(context).hasNotFailed().doesNotHaveBean(bean));
		}
	}

	@Test
	void whenRequestIsOneOfATestThenValuesAreNone() {
		assertThat(connection(servlet(new MockHttpServletRequest()))).isEqualTo(NONE);
		assertThat(connection(new org.springframework.http.server.reactive.observation.ServerRequestObservationContext(
				MockServerHttpRequest.get("/").build(), new MockServerHttpResponse(), Map.of())))
			.isEqualTo(NONE);
	}

	@Test
	void whenTomcatHasTakenRequestBackThenValuesAreNone() {
		Context context = servlet(new MockHttpServletRequest() {

			@Override
			public ServletConnection getServletConnection() {
				throw new IllegalStateException("The request object has been recycled");
			}

		});
		assertThat(connection(context)).isEqualTo(NONE);
		TlsObservationFilter.ofClients().map(context);
		assertThat(context.getHighCardinalityKeyValues()).isEmpty();
	}

	@Test
	void whenConventionHasSetAValueThenItStays() {
		Context context = servlet(new MockHttpServletRequest());
		context.addLowCardinalityKeyValue(KeyValue.of("tls.cipher", "mine"));
		assertThat(connection(context)).isEqualTo(NONE.and("tls.cipher", "mine"));
	}

	@Test
	void whenObservationIsNotOfAServerThenItStaysAsItIs() {
		assertThat(connection(new ClientRequestObservationContext(new MockClientHttpRequest()))).isEmpty();
	}

	private static Context servlet(MockHttpServletRequest request) {
		return new ServerRequestObservationContext(request, new MockHttpServletResponse());
	}

	private static KeyValues connection(Context context) {
		return TlsObservationFilter.ofConnections().map(context).getLowCardinalityKeyValues();
	}

}
