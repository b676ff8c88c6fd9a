// Copyright 2026-present the original author or authors.
// SPDX-License-Identifier: Apache-2.0

package io.github.tomcatopenssl.tomcat;

import java.security.Principal;

import org.springframework.boot.WebApplicationType;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.security.config.Customizer;
import org.springframework.security.config.annotation.web.builders.HttpSecurity;
import org.springframework.security.config.annotation.web.configuration.EnableWebSecurity;
import org.springframework.security.core.userdetails.User;
import org.springframework.security.core.userdetails.UserDetailsService;
import org.springframework.security.web.SecurityFilterChain;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.RestController;

/**
 * Tests of servlet applications.
 */
final class ServletClientCertificateTests extends ClientCertificateTests {

	ServletClientCertificateTests() {
		super(WebApplicationType.SERVLET, X509Security.class);
	}

	@Configuration(proxyBeanMethods = false)
	@EnableWebSecurity
	@RestController
	static class X509Security {

		@Bean
		SecurityFilterChain securityFilterChain(HttpSecurity http) throws Exception {
			return http.x509(Customizer.withDefaults())
				.authorizeHttpRequests((requests) -> requests.anyRequest().authenticated())
				.build();
		}

		@Bean
		UserDetailsService userDetailsService() {
			return (name) -> User.withUsername(name).password("").roles("CLIENT").build();
		}

		@GetMapping("/user")
		String user(Principal principal) {
			return principal.getName();
		}

	}

}
