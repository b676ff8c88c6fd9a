// Copyright 2026-present the original author or authors.
// SPDX-License-Identifier: Apache-2.0

package io.github.tomcatopenssl.guide;

import java.io.IOException;

import io.opentelemetry.api.trace.Span;
import jakarta.servlet.FilterChain;
import jakarta.servlet.ServletException;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;

import org.springframework.stereotype.Component;
import org.springframework.web.filter.OncePerRequestFilter;

/**
 * The snippet in docs/operations.md.
 */
@Component
public class TlsSpanFilter extends OncePerRequestFilter {

	@Override
	protected void doFilterInternal(HttpServletRequest request, HttpServletResponse response, FilterChain chain)
			throws ServletException, IOException {
		Span span = Span.current();
		span.setAttribute("tls.cipher", (String) request.getAttribute("jakarta.servlet.request.cipher_suite"));
		span.setAttribute("tls.curve", (String) request.getAttribute("io.github.tomcatopenssl.tls.group"));
		chain.doFilter(request, response);
	}

}
