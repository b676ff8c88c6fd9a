// Copyright 2026-present the original author or authors.
// SPDX-License-Identifier: Apache-2.0

package io.github.tomcatopenssl.sample;

import java.time.Instant;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.util.List;
import java.util.Locale;
import java.util.Optional;

import com.samskivert.mustache.Mustache;
import io.github.tomcatopenssl.KeyExchangeGroup;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import org.jspecify.annotations.Nullable;

import org.springframework.core.env.Environment;
import org.springframework.core.env.Profiles;
import org.springframework.http.HttpHeaders;
import org.springframework.stereotype.Controller;
import org.springframework.ui.Model;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.servlet.support.ServletUriComponentsBuilder;
import org.springframework.web.util.UriComponentsBuilder;

/**
 * Serves the page, which shows whether the connection is post-quantum, what served it,
 * and what to try. The template escapes all values.
 */
@Controller
class PageController {

	private static final String CONTENT_SECURITY_POLICY = "default-src 'none'; img-src 'self'; script-src 'self'; style-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'";

	private static final DateTimeFormatter TIME = DateTimeFormatter.ofPattern("d MMM uuuu, HH:mm:ss 'UTC'",
			Locale.ENGLISH);

	// Every curl supports these curves
	private static final List<String> OTHER_CURVES = List.of("P-256", "X25519");

	private static final int SOON_DAYS = 14;

	// A long value may break after these characters rather than within a word
	private static final Mustache.Lambda WRAP = (fragment, out) -> out
		.write(fragment.execute().replaceAll("(?<=\\w)[/_,]", "$0<wbr>"));

	private final TlsReporter tlsReporter;

	private final CertificateReporter certificateReporter;

	private final Environment environment;

	PageController(TlsReporter tlsReporter, CertificateReporter certificateReporter, Environment environment) {
		this.tlsReporter = tlsReporter;
		this.certificateReporter = certificateReporter;
		this.environment = environment;
	}

	@GetMapping("/")
	String page(HttpServletRequest request, HttpServletResponse response, Model model) {
		response.setHeader("Content-Security-Policy", CONTENT_SECURITY_POLICY);
		response.setHeader(HttpHeaders.CACHE_CONTROL, "no-store");
		model.addAttribute("wrap", WRAP);
		addConnection(this.tlsReporter.report(request), model);
		addCertificate(this.certificateReporter.report(), model);
		addCommands(request, model);
		return "page";
	}

	private static void addConnection(TlsReport tls, Model model) {
		model.addAttribute("tls", tls);
		model.addAttribute("groups", tls.groups().isEmpty() ? null : String.join(", ", tls.groups()));
		List<Boolean> postQuantum = tls.groups().stream().map(PageController::isPostQuantum).toList();
		List<String> others = OTHER_CURVES.stream().filter((curve) -> !name(curve).equals(tls.group())).toList();
		Optional<String> allowed = others.stream().filter((curve) -> tls.groups().contains(name(curve))).findFirst();
		model.addAttribute("otherCurve", allowed.orElse(others.get(0)));
		model.addAttribute("refuses", allowed.isEmpty() && !tls.groups().isEmpty());
		if (tls.postQuantum()) {
			model.addAttribute("headline", "Post-quantum");
			model.addAttribute("explanation",
					"Recorded today, this connection should stay unreadable even to a future quantum computer.");
		}
		else if (tls.protocol() == null) {
			model.addAttribute("headline", "Not encrypted");
			model.addAttribute("explanation", "This page came over plain HTTP. Open it with https.");
		}
		else {
			model.addAttribute("headline", "Not post-quantum");
			model.addAttribute("explanation", postQuantum.contains(true)
					? "This server offers a post-quantum key exchange, and your client did not take it."
					: "This server offers no post-quantum key exchange. It needs OpenSSL 3.5, or JSSE of Java 25.0.5, or later, and a group such as X25519MLKEM768.");
		}
	}

	private static String name(String curve) {
		return String.valueOf(KeyExchangeGroup.of(curve));
	}

	private static boolean isPostQuantum(String name) {
		KeyExchangeGroup group = KeyExchangeGroup.of(name);
		return group != null && group.isPostQuantum();
	}

	private static void addCertificate(CertificateReport report, Model model) {
		List<CertificateReport.Entry> chain = report.chain();
		CertificateReport.Entry leaf = chain.isEmpty() ? null : chain.get(0);
		model.addAttribute("certificate", leaf);
		model.addAttribute("expiresSoon", leaf != null && leaf.daysLeft() < SOON_DAYS);
		model.addAttribute("expires", (leaf != null) ? format(leaf.validUntil()) : null);
		model.addAttribute("issuers", chain.stream().skip(1).toList());
		model.addAttribute("lastReload", format(report.lastReload()));
		model.addAttribute("refused", report.refused());
	}

	private void addCommands(HttpServletRequest request, Model model) {
		UriComponentsBuilder uri = ServletUriComponentsBuilder.fromContextPath(request);
		String url = uri.toUriString();
		String managementPort = this.environment.getProperty("management.server.port");
		boolean clone = this.environment.acceptsProfiles(Profiles.of("development"));
		model.addAttribute("clone", clone);
		model.addAttribute("file", clone ? ".cache/sample.crt" : "FILE");
		// The script uses port 8443 if it gets no argument
		model.addAttribute("port", (request.getServerPort() != 8443) ? request.getServerPort() : null);
		model.addAttribute("url", url);
		model.addAttribute("actuator",
				((managementPort != null) ? uri.port(managementPort).toUriString() : url) + "/actuator");
	}

	private static @Nullable String format(@Nullable Instant time) {
		return (time != null) ? TIME.format(time.atOffset(ZoneOffset.UTC)) : null;
	}

}
