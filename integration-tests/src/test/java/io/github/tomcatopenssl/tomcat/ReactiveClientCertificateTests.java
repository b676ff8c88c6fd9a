// Copyright 2026-present the original author or authors.
// SPDX-License-Identifier: Apache-2.0

package io.github.tomcatopenssl.tomcat;

import java.security.Principal;

import reactor.core.publisher.Mono;

import org.springframework.boot.WebApplicationType;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.security.config.Customizer;
import org.springframework.security.config.annotation.web.reactive.EnableWebFluxSecurity;
import org.springframework.security.config.web.server.ServerHttpSecurity;
import org.springframework.security.core.userdetails.ReactiveUserDetailsService;
import org.springframework.security.core.userdetails.User;
import org.springframework.security.web.server.SecurityWebFilterChain;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.RestController;

/**
 * Tests of reactive applications.
 */
final class ReactiveClientCertificateTests extends ClientCertificateTests {

	ReactiveClientCertificateTests() {
		super(WebApplicationType.REACTIVE, X509Security.class);
	}

	@Configuration(proxyBeanMethods = false)
	@EnableWebFluxSecurity
	@RestController
	static class X509Security {

		@Bean
		SecurityWebFilterChain securityWebFilterChain(ServerHttpSecurity http) {
			return http.x509(Customizer.withDefaults())
				.authorizeExchange((exchanges) -> exchanges.anyExchange().authenticated())
				.build();
		}

		@Bean
		ReactiveUserDetailsService userDetailsService() {
			return (name) -> Mono.just(User.withUsername(name).password("").roles("CLIENT").build());
		}

		@GetMapping("/user")
		Mono<String> user(Principal principal) {
			return Mono.just(principal.getName());
		}

	}

}
