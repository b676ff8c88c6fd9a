// Copyright 2026-present the original author or authors.
// SPDX-License-Identifier: Apache-2.0

package io.github.tomcatopenssl.test;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.cert.X509Certificate;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Consumer;

import io.github.tomcatopenssl.autoconfigure.check.CheckedStart;
import io.github.tomcatopenssl.internal.certificate.CertificateSource;
import io.github.tomcatopenssl.internal.certificate.CertificateWatcher;
import io.github.tomcatopenssl.internal.certificate.ServerBundles;
import io.github.tomcatopenssl.internal.engine.NativeMemory;
import io.github.tomcatopenssl.internal.host.CertificateHost;
import io.github.tomcatopenssl.internal.host.CertificateHosts;
import io.github.tomcatopenssl.internal.host.HostKey;
import io.github.tomcatopenssl.internal.store.FolderStore;
import io.github.tomcatopenssl.internal.store.SharedStore;
import io.micrometer.core.instrument.FunctionCounter;
import io.micrometer.core.instrument.MeterRegistry;
import jakarta.servlet.http.HttpServletRequest;
import org.apache.catalina.LifecycleException;
import org.apache.catalina.LifecycleState;
import org.apache.catalina.Server;
import org.apache.catalina.connector.Connector;
import org.apache.coyote.http11.AbstractHttp11Protocol;
import org.apache.tomcat.util.net.SSLHostConfig;
import org.apache.tomcat.util.net.SSLHostConfigCertificate;
import org.awaitility.Awaitility;
import org.jspecify.annotations.Nullable;

import org.springframework.beans.factory.ObjectProvider;
import org.springframework.beans.factory.annotation.Value;
import org.springframework.boot.WebApplicationType;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnProperty;
import org.springframework.boot.autoconfigure.condition.ConditionalOnWebApplication;
import org.springframework.boot.autoconfigure.condition.ConditionalOnWebApplication.Type;
import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.boot.ssl.SslBundleRegistry;
import org.springframework.boot.ssl.pem.PemSslStore;
import org.springframework.boot.ssl.pem.PemSslStoreDetails;
import org.springframework.boot.tomcat.ConfigurableTomcatWebServerFactory;
import org.springframework.boot.tomcat.TomcatWebServer;
import org.springframework.boot.web.server.WebServerFactoryCustomizer;
import org.springframework.boot.web.server.context.WebServerApplicationContext;
import org.springframework.context.ApplicationContextInitializer;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Import;
import org.springframework.context.annotation.Primary;
import org.springframework.core.Ordered;
import org.springframework.http.server.reactive.ServerHttpRequest;
import org.springframework.http.server.reactive.SslInfo;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.RestController;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * An application on a real Tomcat, on a free port.
 */
public final class TestServer implements AutoCloseable {

	/**
	 * Servers in this JVM.
	 */
	private static final Set<ConfigurableApplicationContext> OPEN = ConcurrentHashMap.newKeySet();

	private final ConfigurableApplicationContext context;

	private TestServer(ConfigurableApplicationContext context) {
		this.context = context;
		OPEN.add(context);
	}

	public static TestServer start(WebApplicationType type, Class<?> configuration, List<String> properties) {
		return start(new SpringApplicationBuilder(), type, configuration, properties);
	}

	/**
	 * Start an application in a child context, which is closed with its parent at the
	 * latest.
	 */
	public TestServer startChild(WebApplicationType type, Class<?> configuration, List<String> properties) {
		return start(new SpringApplicationBuilder().parent(this.context), type, configuration, properties);
	}

	private static TestServer start(SpringApplicationBuilder builder, WebApplicationType type, Class<?> configuration,
			List<String> properties) {
		List<String> arguments = new ArrayList<>();
		if (properties.stream().noneMatch((property) -> property.startsWith("server.port="))) {
			arguments.add("--server.port=0");
		}
		arguments.add("--spring.main.banner-mode=off");
		arguments.add("--spring.ssl.bundle.watch.file.quiet-period=200ms");
		properties.forEach((property) -> arguments.add("--" + property));
		CatalinaHome.forget();
		UnfinishedTomcat unfinished = new UnfinishedTomcat();
		try {
			return new TestServer(builder.sources(Application.class, configuration)
				.web(type)
				.properties("spring.jmx.enabled=false")
				.initializers(unfinished)
				.run(arguments.toArray(String[]::new)));
		}
		catch (RuntimeException ex) {
			unfinished.destroy();
			requireNothingLeft();
			if (configuration == Object.class) {
				unfinished.requireSameOfCheck(ex, type);
				requireNothingLeft();
			}
			throw ex;
		}
	}

	public int port() {
		return ((WebServerApplicationContext) this.context).getWebServer().getPort();
	}

	public List<Connector> connectors() {
		TomcatWebServer webServer = (TomcatWebServer) ((WebServerApplicationContext) this.context).getWebServer();
		return List.of(webServer.getTomcat().getService().findConnectors());
	}

	public boolean hasParent() {
		return this.context.getParent() != null;
	}

	public <T> T bean(Class<T> type) {
		return this.context.getBean(type);
	}

	/**
	 * Return the sum of the counters of a metric.
	 * @param name the name of the metric, which must exist
	 * @param tags names and values of tags, in turn
	 * @return the sum
	 */
	public double counter(String name, String... tags) {
		return bean(MeterRegistry.class).get(name)
			.tags(tags)
			.functionCounters()
			.stream()
			.mapToDouble(FunctionCounter::count)
			.sum();
	}

	/**
	 * Create a connector of the application's own, for any free port.
	 * @param protocol its protocol
	 * @param settings the settings of its host, besides the certificate
	 * @return the connector
	 */
	public static Connector connector(AbstractHttp11Protocol<?> protocol, Consumer<SSLHostConfig> settings) {
		protocol.setSSLEnabled(true);
		SSLHostConfig host = new SSLHostConfig();
		SSLHostConfigCertificate certificate = new SSLHostConfigCertificate(host,
				SSLHostConfigCertificate.Type.UNDEFINED);
		certificate.setCertificateFile(TestCertificates.get().file("p256.crt").toString());
		certificate.setCertificateKeyFile(TestCertificates.get().file("p256.key").toString());
		host.addCertificate(certificate);
		settings.accept(host);
		protocol.addSslHostConfig(host);
		Connector connector = new Connector(protocol);
		connector.setScheme("https");
		connector.setSecure(true);
		connector.setPort(0);
		return connector;
	}

	/**
	 * Return the SSL bundles that the server uses.
	 * @return the bundles, whose update is a reload
	 */
	public SslBundleRegistry bundles() {
		ServerBundles bundles = bean(CertificateWatcher.class).serverBundles();
		return bundles.getBundleNames().isEmpty() ? bean(SslBundleRegistry.class) : bundles;
	}

	public String property(String name) {
		return this.context.getEnvironment().getRequiredProperty(name);
	}

	public void restart() {
		this.context.stop();
		this.context.start();
	}

	/**
	 * Stop the server, even if a thread still uses a session of its. {@link #close()}
	 * then waits until nothing is left.
	 */
	public void stop() {
		this.context.close();
	}

	@Override
	public void close() {
		stop();
		requireNothingLeft();
	}

	// Whichever way a server and its connections end, they give back what they have taken
	private static void requireNothingLeft() {
		OPEN.removeIf((context) -> !context.isActive());
		if (OPEN.isEmpty()) {
			Awaitility.await()
				.atMost(Duration.ofSeconds(40))
				.untilAsserted(() -> assertThat(NativeMemory.sessions() + NativeMemory.contexts())
					.as("sessions and contexts in native memory")
					.isZero());
		}
	}

	private static String subject(X509Certificate @Nullable [] chain) {
		return (chain != null) ? chain[0].getSubjectX500Principal().getName() : "none";
	}

	/**
	 * The two engines, each required.
	 */
	public enum Engine {

		OPENSSL {

			@Override
			public List<String> properties() {
				return List.of("server.ssl.openssl.mode=always",
						"server.ssl.openssl.library-path=" + Provided.tomcatNative());
			}

			@Override
			public String logLine() {
				return "OpenSSL is active on port %d (https): OpenSSL ";
			}

		},

		JSSE {

			@Override
			public List<String> properties() {
				return List.of("server.ssl.openssl.mode=never");
			}

			@Override
			public String logLine() {
				return "OpenSSL is not active on port %d (https), JSSE serves TLS: server.ssl.openssl.mode is 'never'";
			}

		};

		public abstract List<String> properties();

		public abstract String logLine();

	}

	/**
	 * Deletes the folders of a Tomcat that is not configured to its end: then Spring Boot
	 * has no web server yet, which would do it.
	 */
	private static final class UnfinishedTomcat
			implements ApplicationContextInitializer<ConfigurableApplicationContext>,
			WebServerFactoryCustomizer<ConfigurableTomcatWebServerFactory>, Ordered {

		private final List<Server> servers = new ArrayList<>();

		private @Nullable ConfigurableApplicationContext context;

		@Override
		public void initialize(ConfigurableApplicationContext context) {
			this.context = context;
			context.getBeanFactory().registerSingleton(getClass().getName(), this);
		}

		@Override
		public void customize(ConfigurableTomcatWebServerFactory factory) {
			factory.addConnectorCustomizers((connector) -> this.servers.add(connector.getService().getServer()));
		}

		@Override
		public int getOrder() {
			return HIGHEST_PRECEDENCE;
		}

		// The check does not see the beans of a test
		void requireSameOfCheck(RuntimeException failure, WebApplicationType type) {
			ConfigurableApplicationContext context = this.context;
			if (context != null && context.getParent() == null
					&& !context.getEnvironment().containsProperty("test.acme")) {
				CheckedStart.requireSame(failure, context.getEnvironment(), type);
			}
		}

		void destroy() {
			for (Server server : this.servers) {
				if (server.getState() == LifecycleState.NEW) {
					try {
						server.destroy();
					}
					catch (LifecycleException ex) {
						throw new IllegalStateException(ex);
					}
				}
			}
		}

	}

	@Configuration(proxyBeanMethods = false)
	@EnableAutoConfiguration
	@Import({ AcmeConfiguration.class, StoreConfiguration.class, ServletClientController.class,
			ReactiveClientController.class })
	public static class Application {

		@Bean
		public HelloController helloController() {
			return new HelloController();
		}

	}

	/**
	 * Instead of a database.
	 */
	@Configuration(proxyBeanMethods = false)
	public static class StoreConfiguration {

		@Bean
		@Primary
		@ConditionalOnProperty("test.store")
		public SharedStore testStore(@Value("${test.store}") Path folder) throws IOException {
			return new FolderStore(Files.createDirectories(folder));
		}

	}

	/**
	 * Instead of the module that obtains certificates.
	 */
	@Configuration(proxyBeanMethods = false)
	public static class AcmeConfiguration {

		@Bean
		@ConditionalOnProperty("test.acme")
		public CertificateSource acmeCertificateSource(@Value("${test.acme}") String certificate,
				@Value("${server.ssl.acme.certificates[0].domains:}") String others,
				ObjectProvider<CertificateHosts> hosts) {
			return new CertificateSource() {

				@Override
				public List<Path> validateAndWriteFiles() {
					return List.of(Path.of(certificate));
				}

				@Override
				public boolean hasOthers() {
					return !others.isEmpty();
				}

				@Override
				public void serveOthers() {
					String file = "file:" + certificate;
					PemSslStore store = PemSslStore.load(PemSslStoreDetails.forCertificate(file).withPrivateKey(file));
					HostKey key = new HostKey(store.privateKey(), store.certificates());
					hosts.getObject().put(CertificateHost.of("others", List.of(key), (problem) -> {
					}));
				}

			};
		}

	}

	@RestController
	@ConditionalOnWebApplication(type = Type.SERVLET)
	public static class ServletClientController {

		@GetMapping("/client")
		public String client(HttpServletRequest request) {
			return subject((X509Certificate[]) request.getAttribute("jakarta.servlet.request.X509Certificate"));
		}

	}

	@RestController
	@ConditionalOnWebApplication(type = Type.REACTIVE)
	public static class ReactiveClientController {

		@GetMapping("/client")
		public String client(ServerHttpRequest request) {
			SslInfo sslInfo = request.getSslInfo();
			return subject((sslInfo != null) ? sslInfo.getPeerCertificates() : null);
		}

	}

	@RestController
	public static class HelloController {

		@GetMapping("/hello")
		public String hello() {
			return "hello";
		}

	}

}
