// Copyright 2026-present the original author or authors.
// SPDX-License-Identifier: Apache-2.0

package io.github.tomcatopenssl.endpoint;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Base64;
import java.util.List;

import io.github.tomcatopenssl.ProxyProcess;
import io.github.tomcatopenssl.test.AbstractTlsServerTests;
import io.github.tomcatopenssl.test.Commands;
import io.github.tomcatopenssl.test.FreePorts;
import io.github.tomcatopenssl.test.Provided;
import io.github.tomcatopenssl.test.TestServer;
import io.github.tomcatopenssl.test.TestServer.Engine;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

import org.springframework.boot.WebApplicationType;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests of real proxies that end TLS, with the configurations of docs/proxy.md.
 */
class ForwardingProxiesTests extends AbstractTlsServerTests {

	@TempDir
	private Path folder;

	ForwardingProxiesTests() {
		super(WebApplicationType.SERVLET);
	}

	private TestServer server(Engine engine, String header) {
		return shared(engine + header, () -> start(ForwardedCertificateTests.Forwarding.class, engine,
				with(pem("p256"), "server.http2.enabled=true", "client-auth=need",
						"ca-certificate-file=" + file("ca.crt"), "forwarded-client-certificate.header=" + header,
						"forwarded-client-certificate.proxy-ca-certificate-file=" + file("proxy-ca.crt"))));
	}

	@ParameterizedTest
	@EnumSource
	void whenHaProxyEndsTlsThenCertificateOfItsClientIsThatOfTheRequest(Engine engine) throws Exception {
		Provided.haproxy();
		int port = FreePorts.next();
		String site = certificates().join("haproxy-site.pem", "p256.crt", "p256.key").toString();
		String proxy = certificates().join("haproxy-proxy.pem", "proxy.crt", "proxy.key").toString();
		Path configuration = write("haproxy.cfg", """
				defaults
				  mode http
				  timeout connect 5s
				  timeout client 10s
				  timeout server 10s
				frontend https
				  bind 127.0.0.1:%d ssl crt %s alpn h2,http/1.1 ca-file %s verify optional
				  http-request del-header Client-Cert
				  http-request del-header Client-Cert-Chain
				  http-request set-header Client-Cert :%%[ssl_c_der,base64]: if { ssl_c_used }
				  default_backend app
				backend app
				  server app1 127.0.0.1:%d ssl crt %s verify none
				""".formatted(port, site, file("ca.crt"), server(engine, "client-cert").port(), proxy));
		try (ProxyProcess process = ProxyProcess.start(this.folder, "haproxy", "-db", "-f", configuration.toString())) {
			process.await(port);
			assertForwards(port, "client-cert", "--http1.1");
			assertForwards(port, "client-cert", "--http2");
		}
	}

	@ParameterizedTest
	@EnumSource
	void whenNginxEndsTlsThenCertificateOfItsClientIsThatOfTheRequest(Engine engine) throws Exception {
		Provided.nginx();
		int port = FreePorts.next();
		Path configuration = write("nginx.conf", """
				daemon off;
				master_process off;
				pid nginx.pid;
				events {
				}
				http {
				  access_log off;
				  client_body_temp_path body;
				  proxy_temp_path proxy;
				  fastcgi_temp_path fastcgi;
				  uwsgi_temp_path uwsgi;
				  scgi_temp_path scgi;
				  map $ssl_client_escaped_cert $forwarded_client_cert {
				    "" "";
				    default 'Cert="$ssl_client_escaped_cert"';
				  }
				  server {
				    listen 127.0.0.1:%d ssl;
				    ssl_certificate %s;
				    ssl_certificate_key %s;
				    ssl_client_certificate %s;
				    ssl_verify_client optional;
				    location / {
				      proxy_pass https://127.0.0.1:%d;
				      proxy_ssl_certificate %s;
				      proxy_ssl_certificate_key %s;
				      proxy_set_header X-Forwarded-Client-Cert $forwarded_client_cert;
				    }
				  }
				}
				""".formatted(port, file("p256.crt"), file("p256.key"), file("ca.crt"),
				server(engine, "x-forwarded-client-cert").port(), file("proxy.crt"), file("proxy.key")));
		try (ProxyProcess process = ProxyProcess.start(this.folder, "nginx", "-p", this.folder.toString(), "-e",
				"stderr", "-c", configuration.toString())) {
			process.await(port);
			assertForwards(port, "x-forwarded-client-cert", "--http1.1");
		}
	}

	@ParameterizedTest
	@EnumSource
	void whenEnvoyEndsTlsThenCertificateOfItsClientIsThatOfTheRequest(Engine engine) throws Exception {
		Provided.envoy();
		int port = FreePorts.next();
		Path configuration = write("envoy.yaml",
				"""
						static_resources:
						  listeners:
						  - address: {socket_address: {address: 127.0.0.1, port_value: %d}}
						    filter_chains:
						    - transport_socket:
						        name: envoy.transport_sockets.tls
						        typed_config:
						          "@type": type.googleapis.com/envoy.extensions.transport_sockets.tls.v3.DownstreamTlsContext
						          common_tls_context:
						            alpn_protocols: [h2, http/1.1]
						            tls_certificates:
						            - certificate_chain: {filename: %s}
						              private_key: {filename: %s}
						            validation_context:
						              trusted_ca: {filename: %s}
						      filters:
						      - name: envoy.filters.network.http_connection_manager
						        typed_config:
						          "@type": type.googleapis.com/envoy.extensions.filters.network.http_connection_manager.v3.HttpConnectionManager
						          stat_prefix: https
						          forward_client_cert_details: SANITIZE_SET
						          set_current_client_cert_details:
						            cert: true
						            chain: true
						            subject: true
						            uri: true
						            dns: true
						          http_filters:
						          - name: envoy.filters.http.router
						            typed_config:
						              "@type": type.googleapis.com/envoy.extensions.filters.http.router.v3.Router
						          route_config:
						            virtual_hosts:
						            - name: all
						              domains: ["*"]
						              routes:
						              - match: {prefix: "/"}
						                route: {cluster: app}
						  clusters:
						  - name: app
						    type: STATIC
						    load_assignment:
						      cluster_name: app
						      endpoints:
						      - lb_endpoints:
						        - endpoint: {address: {socket_address: {address: 127.0.0.1, port_value: %d}}}
						    transport_socket:
						      name: envoy.transport_sockets.tls
						      typed_config:
						        "@type": type.googleapis.com/envoy.extensions.transport_sockets.tls.v3.UpstreamTlsContext
						        common_tls_context:
						          tls_certificates:
						          - certificate_chain: {filename: %s}
						            private_key: {filename: %s}
						"""
					.formatted(port, file("p256.crt"), file("p256.key"), file("ca.crt"),
							server(engine, "x-forwarded-client-cert").port(), file("proxy.crt"), file("proxy.key")));
		try (ProxyProcess process = ProxyProcess.start(this.folder, "envoy", "-c", configuration.toString(),
				"--concurrency", "1", "--disable-hot-restart")) {
			process.await(port);
			assertForwards(port, "x-forwarded-client-cert", "--http1.1");
			assertForwards(port, "x-forwarded-client-cert", "--http2");
		}
	}

	private void assertForwards(int port, String header, String http) throws Exception {
		String[] client = { http, "--cert", file("client.crt"), "--key", file("client.key") };
		String[] forged = { "-H",
				"Client-Cert: :" + Base64.getEncoder()
					.encodeToString(certificates().certificate("other-client.crt").getEncoded()) + ":",
				"-H", "Client-Cert-Chain: :AA==:", "-H", "X-Forwarded-Client-Cert: Cert=\"AA\"" };
		String served = "client true [" + header + "] 200";
		for (int i = 0; i < 2; i++) {
			assertThat(get(port, client)).isEqualTo(served);
			assertThat(get(port, with(client, forged))).isEqualTo(served);
			// Required by the application
			assertThat(get(port, http)).isEqualTo(" 400");
			assertThat(get(port, with(new String[] { http }, forged))).isEqualTo(" 400");
		}
	}

	private static String get(int port, String... options) {
		List<String> command = new ArrayList<>(List.of("curl", "-sSk", "--max-time", "20", "-w", " %{http_code}",
				"https://127.0.0.1:%d/forwarded".formatted(port)));
		command.addAll(List.of(options));
		return Commands.run("", command).orFail().output();
	}

	private Path write(String name, String content) throws IOException {
		return Files.writeString(this.folder.resolve(name), content);
	}

}
