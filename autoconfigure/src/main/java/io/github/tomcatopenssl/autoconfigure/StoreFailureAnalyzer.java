// Copyright 2026-present the original author or authors.
// SPDX-License-Identifier: Apache-2.0

package io.github.tomcatopenssl.autoconfigure;

import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.KeyStore;
import java.security.KeyStoreException;
import java.security.NoSuchProviderException;
import java.security.UnrecoverableKeyException;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Objects;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.Function;
import java.util.stream.Stream;
import java.util.stream.StreamSupport;

import io.github.tomcatopenssl.TlsSettingException;
import io.github.tomcatopenssl.internal.certificate.FileFailure;
import io.github.tomcatopenssl.internal.pem.PemFile;
import io.github.tomcatopenssl.internal.pem.PemSource;
import io.github.tomcatopenssl.internal.pem.PemSource.Content;
import io.github.tomcatopenssl.internal.pem.PrivateKeys;
import org.jspecify.annotations.Nullable;

import org.springframework.boot.context.properties.bind.Binder;
import org.springframework.boot.context.properties.source.ConfigurationPropertyName;
import org.springframework.boot.context.properties.source.ConfigurationPropertyName.Form;
import org.springframework.boot.context.properties.source.ConfigurationPropertySources;
import org.springframework.boot.context.properties.source.IterableConfigurationPropertySource;
import org.springframework.boot.diagnostics.FailureAnalysis;
import org.springframework.boot.diagnostics.FailureAnalyzer;
import org.springframework.boot.io.ApplicationResourceLoader;
import org.springframework.boot.ssl.NoSuchSslBundleException;
import org.springframework.boot.ssl.jks.JksSslStoreBundle;
import org.springframework.boot.ssl.jks.JksSslStoreDetails;
import org.springframework.boot.ssl.pem.PemSslStoreBundle;
import org.springframework.boot.ssl.pem.PemSslStoreDetails;
import org.springframework.boot.web.server.Ssl;
import org.springframework.boot.web.server.WebServerSslBundle;
import org.springframework.core.NestedExceptionUtils;
import org.springframework.core.env.Environment;
import org.springframework.core.io.Resource;

/**
 * Analyzes failures of Spring Boot's own key stores, PEM files and bundles for servers,
 * which Spring Boot reports with a stack trace. The properties are those whose store
 * fails in the same way when it is loaded again.
 */
class StoreFailureAnalyzer implements FailureAnalyzer {

	private static final List<String> SERVERS = List.of("server.ssl.", "management.server.ssl.");

	private static final String BUNDLES = "spring.ssl.bundle.";

	/**
	 * The index of the name in a property of a bundle.
	 */
	private static final int BUNDLE_NAME = 4;

	/**
	 * The most names of bundles that a message shows.
	 */
	private static final int MOST_NAMES = 3;

	/**
	 * How far to look for a PEM block, in bytes.
	 */
	private static final int LONGEST_PREFACE = 64 * 1024;

	private static final int MEGABYTE = 1024 * 1024;

	/**
	 * What Spring Boot and Java throw if a store cannot be loaded.
	 */
	private static final List<Class<? extends Exception>> CAUSES = List.of(IOException.class,
			GeneralSecurityException.class, IllegalArgumentException.class, IllegalStateException.class);

	private final @Nullable Environment environment;

	StoreFailureAnalyzer(@Nullable Environment environment) {
		this.environment = environment;
	}

	@Override
	public @Nullable FailureAnalysis analyze(Throwable failure) {
		Environment environment = this.environment;
		if (environment == null) {
			return null;
		}
		TlsSettingException problem = problem(failure, environment);
		return (problem != null) ? new TlsFailureAnalyzer(environment).analyze(problem) : null;
	}

	private static @Nullable TlsSettingException problem(Throwable failure, Environment environment) {
		NoSuchSslBundleException missing = causes(failure).filter(NoSuchSslBundleException.class::isInstance)
			.map(NoSuchSslBundleException.class::cast)
			.findFirst()
			.orElse(null);
		if (missing != null) {
			return missingBundle(missing, environment);
		}
		Throwable root = NestedExceptionUtils.getMostSpecificCause(failure);
		if (CAUSES.stream().noneMatch((type) -> type.isInstance(root))) {
			return null;
		}
		return Stream
			.of(stores(environment).map((store) -> store.problem(root)),
					pemStores(environment).map((store) -> store.problem(root)),
					SERVERS.stream().map((server) -> incompleteStore(server, environment, root)))
			.flatMap(Function.identity())
			.filter(Objects::nonNull)
			.findFirst()
			.orElse(null);
	}

	private static @Nullable TlsSettingException incompleteStore(String server, Environment environment,
			Throwable root) {
		boolean isPem = value(environment, server + "certificate") != null;
		String present = server + (isPem ? "certificate" : "key-store-type");
		String missing = server + (isPem ? "certificate-private-key" : "key-store");
		if (value(environment, present) == null || value(environment, missing) != null) {
			return null;
		}
		try {
			WebServerSslBundle.get(Binder.get(environment)
				.bind(server.substring(0, server.length() - 1), Ssl.class)
				.orElseGet(Ssl::new));
			return null;
		}
		catch (RuntimeException ex) {
			if (!isSame(NestedExceptionUtils.getMostSpecificCause(ex), root)) {
				return null;
			}
			return new TlsSettingException(missing, null, "it is not set, but '%s' is".formatted(present),
					"Set '%s' to the %s".formatted(missing,
							isPem ? "PEM file with the private key of the certificate, which can be the same file"
									: "key store"),
					ex);
		}
	}

	private static Stream<Throwable> causes(Throwable failure) {
		return Stream.iterate(failure, Objects::nonNull, Throwable::getCause);
	}

	private static @Nullable TlsSettingException missingBundle(NoSuchSslBundleException missing,
			Environment environment) {
		String name = missing.getBundleName();
		List<String> known = Stream.of("pem", "jks")
			.flatMap((type) -> names(environment, BUNDLES + type + "."))
			.map((property) -> property.getElement(BUNDLE_NAME, Form.ORIGINAL))
			.distinct()
			.limit(MOST_NAMES)
			.toList();
		return bundleProperties(environment).filter((property) -> name.equals(value(environment, property)))
			.findFirst()
			.map((property) -> new TlsSettingException(property, null,
					"there is no SSL bundle with the name '%s'%s".formatted(name,
							known.isEmpty() ? "" : ", only '" + String.join("', '", known) + "'"),
					"Correct '%s', or define the bundle with '%spem.%3$s.keystore.certificate' and '%2$spem.%3$s.keystore.private-key', or with '%2$sjks.%3$s.keystore.location'"
						.formatted(property, BUNDLES, name),
					missing))
			.orElse(null);
	}

	private static Stream<String> bundleProperties(Environment environment) {
		return SERVERS.stream()
			.flatMap((server) -> Stream.concat(Stream.of(server + "bundle"),
					names(environment, server + "server-name-bundles").map(ConfigurationPropertyName::toString)
						.filter((name) -> name.endsWith(".bundle"))));
	}

	private static Stream<ConfigurationPropertyName> names(Environment environment, String prefix) {
		ConfigurationPropertyName parent = ConfigurationPropertyName
			.of(prefix.endsWith(".") ? prefix.substring(0, prefix.length() - 1) : prefix);
		return StreamSupport.stream(ConfigurationPropertySources.get(environment).spliterator(), false)
			.filter(IterableConfigurationPropertySource.class::isInstance)
			.flatMap((source) -> ((IterableConfigurationPropertySource) source).stream())
			.filter(parent::isAncestorOf);
	}

	private static @Nullable String value(Environment environment, String property) {
		return Binder.get(environment).bind(property, String.class).orElse(null);
	}

	private static Set<String> bundles(Environment environment, String type) {
		Set<String> prefixes = new TreeSet<>();
		bundleProperties(environment).map((property) -> value(environment, property))
			.filter(Objects::nonNull)
			.forEach((name) -> prefixes.add(BUNDLES + type + "." + name + "."));
		return prefixes;
	}

	private static Stream<Store> stores(Environment environment) {
		List<Store> stores = new ArrayList<>();
		for (String server : SERVERS) {
			for (String kind : List.of("key-store", "trust-store")) {
				String property = server + kind;
				stores.add(Store.of(environment, property, property + "-password", property + "-type",
						property + "-provider"));
			}
		}
		for (String bundle : bundles(environment, "jks")) {
			for (String kind : List.of("keystore.", "truststore.")) {
				String prefix = bundle + kind;
				stores.add(Store.of(environment, prefix + "location", prefix + "password", prefix + "type",
						prefix + "provider"));
			}
		}
		return stores.stream().filter((store) -> store.details().location() != null);
	}

	private static Stream<PemStore> pemStores(Environment environment) {
		List<PemStore> stores = new ArrayList<>();
		for (String server : SERVERS) {
			stores.add(PemStore.of(environment, server + "certificate", server + "certificate-private-key", null,
					Content.CERTIFICATES));
			stores.add(PemStore.of(environment, server + "trust-certificate", server + "trust-certificate-private-key",
					null, Content.CAS));
		}
		for (String bundle : bundles(environment, "pem")) {
			stores.add(PemStore.of(environment, bundle + "keystore.certificate", bundle + "keystore.private-key",
					bundle + "keystore.private-key-password", Content.CERTIFICATES));
			stores.add(PemStore.of(environment, bundle + "truststore.certificate", bundle + "truststore.private-key",
					bundle + "truststore.private-key-password", Content.CAS));
		}
		return stores.stream();
	}

	private static boolean isSame(Throwable one, Throwable other) {
		return one.getClass() == other.getClass() && Objects.equals(one.getMessage(), other.getMessage());
	}

	private static TlsSettingException fileProblem(String property, String location, IOException ex) {
		Path file = path(location);
		if (file == null) {
			return new TlsSettingException(property, location, "it cannot be read: " + ex.getMessage(),
					"Correct '%s'".formatted(property), ex);
		}
		if (Files.isDirectory(file)) {
			return new TlsSettingException(property, file.toString(), "it is a folder",
					"Set '%s' to a file in it".formatted(property), ex);
		}
		FileFailure failure = FileFailure.of(file, property, inDetail(file, ex));
		return new TlsSettingException(property, file.toString(), failure.reason(), failure.action(), ex);
	}

	// Streams do not say which of these it is
	private static IOException inDetail(Path file, IOException failure) {
		try {
			Files.newByteChannel(file).close();
			return failure;
		}
		catch (IOException ex) {
			return ex;
		}
	}

	private static @Nullable Path path(String location) {
		try {
			Resource resource = ApplicationResourceLoader.get().getResource(location);
			return resource.isFile() ? resource.getFilePath().toAbsolutePath() : null;
		}
		catch (IOException | RuntimeException ex) {
			return null;
		}
	}

	/**
	 * A key store or trust store.
	 *
	 * @param details what it is loaded with
	 * @param location the property of its file
	 * @param password the property of its password
	 * @param type the property of its type
	 * @param provider the property of its provider
	 */
	private record Store(JksSslStoreDetails details, String location, String password, String type, String provider) {

		static Store of(Environment environment, String location, String password, String type, String provider) {
			return new Store(
					new JksSslStoreDetails(value(environment, type), value(environment, provider),
							value(environment, location), value(environment, password)),
					location, password, type, provider);
		}

		@Nullable TlsSettingException problem(Throwable root) {
			try {
				new JksSslStoreBundle(this.details, null).getKeyStore();
				return null;
			}
			catch (RuntimeException ex) {
				Throwable cause = NestedExceptionUtils.getMostSpecificCause(ex);
				return isSame(cause, root) ? describe(ex) : null;
			}
		}

		private TlsSettingException describe(RuntimeException failure) {
			List<Throwable> causes = causes(failure).toList();
			Throwable root = causes.get(causes.size() - 1);
			if (root instanceof NoSuchProviderException) {
				return new TlsSettingException(this.provider, null,
						"Java has no security provider with the name '%s'".formatted(this.details.provider()),
						"Correct '%s', or remove it".formatted(this.provider), failure);
			}
			if (causes.stream().anyMatch(KeyStoreException.class::isInstance)) {
				return new TlsSettingException(this.type, null,
						"Java has no key store of the type '%s'".formatted(this.details.type()),
						"Set '%s' to 'PKCS12' or 'JKS', or remove it".formatted(this.type), failure);
			}
			// The file would show the value of the property as well
			if (causes.stream().anyMatch(UnrecoverableKeyException.class::isInstance)) {
				boolean missing = this.details.password() == null;
				return new TlsSettingException(this.password, null,
						(missing ? "it is not set, but the key store '%s' has a password"
								: "it is not the password of the key store '%s'")
							.formatted(this.details.location()),
						(missing ? "Set '%s' to the password" : "Correct '%s'").formatted(this.password), failure);
			}
			return describeFile(failure, root);
		}

		private TlsSettingException describeFile(RuntimeException failure, Throwable root) {
			String file = Objects.requireNonNull(this.details.location());
			byte[] content;
			try (InputStream in = ApplicationResourceLoader.get().getResource(file).getInputStream()) {
				content = in.readNBytes(LONGEST_PREFACE);
			}
			catch (IOException ex) {
				return fileProblem(this.location, file, ex);
			}
			if (new String(content, StandardCharsets.ISO_8859_1).contains("-----BEGIN ")) {
				return new TlsSettingException(this.location, file, "it is a PEM file, not a key store", usePem(),
						failure);
			}
			return new TlsSettingException(this.location, file,
					"it is not a key store of the type '%s', or it is damaged".formatted(Objects
						.requireNonNullElse(this.details.type(), KeyStore.getDefaultType().toUpperCase(Locale.ROOT))),
					"Write the file again, or set '%s' to its type".formatted(this.type), failure);
		}

		private String usePem() {
			String server = this.location.substring(0, this.location.lastIndexOf('.') + 1);
			String name = !this.location.endsWith("trust-store") ? "certificate-file"
					: server.equals("server.ssl.") ? "ca-certificate-file" : "trust-certificate";
			return SERVERS.contains(server)
					? "Set '%s' to it instead, and remove '%s'".formatted(server + name, this.location)
					: "Define a bundle of PEM files below '%spem' instead".formatted(BUNDLES);
		}

	}

	/**
	 * A certificate and its private key, or CAs, in PEM files.
	 *
	 * @param details what they are loaded with
	 * @param certificate the property of the certificates
	 * @param privateKey the property of the private key
	 * @param password the property of the password of the private key, or {@code null} if
	 * there is none
	 * @param content what the certificates are for
	 */
	private record PemStore(PemSslStoreDetails details, String certificate, String privateKey,
			@Nullable String password, Content content) {

		static PemStore of(Environment environment, String certificate, String privateKey, @Nullable String password,
				Content content) {
			return new PemStore(
					new PemSslStoreDetails(null, value(environment, certificate), value(environment, privateKey),
							(password != null) ? value(environment, password) : null),
					certificate, privateKey, password, content);
		}

		@Nullable TlsSettingException problem(Throwable root) {
			try {
				new PemSslStoreBundle(this.details, null).getKeyStore();
				return null;
			}
			catch (RuntimeException ex) {
				return isSame(NestedExceptionUtils.getMostSpecificCause(ex), root) ? describe() : null;
			}
		}

		private @Nullable TlsSettingException describe() {
			if (this.details.certificates() == null) {
				return new TlsSettingException(this.certificate, null,
						"it is not set, but '%s' is".formatted(this.privateKey),
						"Set '%s' to the PEM file of the certificate".formatted(this.certificate), null);
			}
			try {
				read(this.certificate, this.details.certificates(), this.content).certificates();
				if (this.details.privateKey() != null) {
					readKey(read(this.privateKey, this.details.privateKey(), Content.PRIVATE_KEY));
				}
				return null;
			}
			catch (TlsSettingException ex) {
				return ex;
			}
		}

		private void readKey(PemFile file) {
			PemFile.Block block = file.privateKey(this.privateKey);
			if (this.password == null && block.label().startsWith("ENCRYPTED")) {
				String server = this.certificate.substring(0, this.certificate.lastIndexOf('.') + 1);
				String action = (this.content == Content.CAS)
						? "Remove '%3$s': certificates that clients are verified against need no private key"
						: "Set '%1$scertificate-file', '%1$scertificate-key-file' and '%1$scertificate-key-password' instead, and remove '%2$s' and '%3$s'";
				throw file.failure(
						"the private key %s is encrypted, but there is no property for its password".formatted(block),
						action.formatted(server, this.certificate, this.privateKey));
			}
			PrivateKeys.read(file, block, this.details.privateKeyPassword(), String.valueOf(this.password));
		}

		private static PemFile read(String property, String location, Content content) {
			boolean isContent = location.contains("-----BEGIN");
			Path file = isContent ? null : path(location);
			PemSource source = new PemSource(property,
					isContent ? null : (file != null) ? file.toString() : TlsSettingException.describe(location),
					file != null, content, null);
			if (isContent) {
				return PemFile.of(source, location.getBytes(StandardCharsets.UTF_8));
			}
			try (InputStream in = ApplicationResourceLoader.get().getResource(location).getInputStream()) {
				byte[] bytes = in.readNBytes(content.megabytes() * MEGABYTE);
				if (bytes.length == 0) {
					throw new TlsSettingException(property, source.file(), "it is empty",
							"Write the PEM content to the file", null);
				}
				return PemFile.of(source, bytes);
			}
			catch (IOException ex) {
				throw fileProblem(property, location, ex);
			}
		}

	}

}
