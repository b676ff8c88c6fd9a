// Copyright 2026-present the original author or authors.
// SPDX-License-Identifier: Apache-2.0

package io.github.tomcatopenssl.internal.certificate;

import java.security.cert.X509CRL;
import java.security.cert.X509Certificate;
import java.time.Clock;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.Function;
import java.util.function.Supplier;
import java.util.stream.Stream;

import io.github.tomcatopenssl.SettingName;
import io.github.tomcatopenssl.TlsSettingException;
import io.github.tomcatopenssl.internal.pem.PrivateKeys;
import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;

import org.springframework.boot.ssl.SslBundle;
import org.springframework.boot.ssl.SslBundleRegistry;
import org.springframework.core.NestedExceptionUtils;

/**
 * The SSL bundle of a host, which is updated when the certificate files of the host
 * change.
 */
final class HostCertificate extends ReloadableFiles<Map<String, FileContent>> {

	private static final Log logger = LogFactory.getLog(HostCertificate.class);

	/**
	 * The types of keys that can be combined.
	 */
	private static final Set<String> COMBINABLE = Set.of("EC", "RSA", PrivateKeys.ML_DSA);

	private final VirtualHostFiles host;

	/**
	 * Where the content is in use, that of the servers first.
	 */
	private final List<SslBundleRegistry> registries = new CopyOnWriteArrayList<>();

	private final CertificateFileBundles bundles;

	private final Supplier<Map<String, FileContent>> reader;

	private final boolean reloadOnUpdate;

	private final Function<SettingName, String> names;

	/**
	 * The content in use, or the content that the consumers of the bundle are just being
	 * given.
	 */
	private volatile Content current;

	/**
	 * Read the files.
	 * @param host the files of the host
	 * @param bundles creates a bundle from the content of the files
	 * @param reader reads at least the files of the host, by property
	 * @param reloadOnUpdate whether to reload the files when they change
	 * @param clock the clock that certificates and revocation lists are checked against
	 * @param names returns the name of the property that a setting comes from
	 * @throws TlsSettingException if the files cannot be used
	 */
	HostCertificate(VirtualHostFiles host, CertificateFileBundles bundles, Supplier<Map<String, FileContent>> reader,
			boolean reloadOnUpdate, Clock clock, Function<SettingName, String> names) {
		super(host.bundleName(), host.serverName(),
				"SSL bundle '%s' was not reloaded, and its previous content stays in use".formatted(host.bundleName()),
				"The files of SSL bundle '%s' again have the content that is in use".formatted(host.bundleName()),
				clock);
		this.host = host;
		this.bundles = bundles;
		this.reader = reader;
		this.reloadOnUpdate = reloadOnUpdate;
		this.names = names;
		Map<String, FileContent> files = read();
		this.current = parse(files);
		this.current.trust().requireInForce(now());
		warnOfClients();
		warnOfOpenKeys(files);
		started(files);
	}

	/**
	 * Register the content as an SSL bundle, which is updated at a reload.
	 * @param registry the registry of SSL bundles
	 * @throws TlsSettingException if there is another bundle with its name
	 */
	void register(SslBundleRegistry registry) {
		String name = this.host.bundleName();
		try {
			registry.registerBundle(name, this.current.bundle());
			this.registries.add(registry);
		}
		catch (IllegalStateException ex) {
			throw this.host
				.failure("there is already an SSL bundle with the name '%s', which the certificate file needs"
					.formatted(name), "Give your bundle '%s' another name".formatted(name), ex);
		}
	}

	private boolean isDefaultHost() {
		return this.host.bundleName().equals(VirtualHostFiles.BUNDLE_NAME);
	}

	Stream<String> origins(X509Certificate certificate) {
		Content content = this.current;
		ConfiguredFile cas = this.host.caCertificates();
		int ca = content.trust().caCertificates().indexOf(certificate);
		return Stream.concat(content.keys().stream().map((key) -> key.origin(certificate)).filter(Objects::nonNull),
				(cas != null && ca >= 0) ? Stream.of("number %d in '%s' of '%s'".formatted(ca + 1,
						TlsSettingException.describe(cas.location()), cas.property())) : Stream.empty());
	}

	List<X509CRL> revocationLists() {
		return this.current.trust().revocationLists();
	}

	@Override
	protected Map<String, FileContent> read() {
		Map<String, FileContent> files = new LinkedHashMap<>(this.reader.get());
		files.keySet().retainAll(this.host.files().stream().map(ConfiguredFile::property).toList());
		return files;
	}

	private Content parse(Map<String, FileContent> files) {
		List<KeyMaterial> keys = new ArrayList<>();
		for (CertificateFiles certificate : this.host.certificates()) {
			KeyMaterial key = KeyMaterial.parse(certificate, files);
			requireOtherKeyType(key, keys);
			keys.add(key);
		}
		TrustMaterial trust = TrustMaterial.parse(this.host, files);
		return new Content(keys, trust, this.bundles.create(keys, trust, this.host.clientAuth()));
	}

	private void requireOtherKeyType(KeyMaterial key, List<KeyMaterial> others) {
		String type = key.keyAlgorithm();
		if (this.host.certificates().size() > 1 && !COMBINABLE.contains(type)) {
			throw key.files()
				.failure(
						"the type of its key is '%s', but a host can have either one certificate of any type, or one for each of the types EC, RSA and ML-DSA"
							.formatted(type),
						"Make it the only certificate of its host, or remove it");
		}
		if (others.stream().anyMatch((other) -> other.keyAlgorithm().equals(type))) {
			throw key.files()
				.failure("its host already has a certificate with a key of the type '%s'".formatted(type),
						"Remove one of the two. Several certificates of one host need different key types");
		}
	}

	@Override
	protected Runnable validate(Map<String, FileContent> files) {
		Content next = parse(files);
		// A certificate that is already in use must not keep other files out
		next.keys()
			.stream()
			.filter((key) -> !isInUse(key.leaf()))
			.flatMap((key) -> key.leafProblem(now()).stream())
			.findFirst()
			.ifPresent((problem) -> {
				throw problem;
			});
		if (!next.trust().revocationLists().equals(this.current.trust().revocationLists())) {
			next.trust().requireInForce(now());
		}
		return () -> use(next);
	}

	private boolean isInUse(X509Certificate leaf) {
		return this.current.keys().stream().anyMatch((key) -> key.leaf().equals(leaf));
	}

	private void use(Content next) {
		Content before = this.current;
		this.current = next;
		try {
			update(next);
		}
		catch (Throwable ex) {
			this.current = before;
			try {
				update(before);
			}
			catch (Throwable rollbackFailure) {
				ex.addSuppressed(rollbackFailure);
			}
			refuse(next, ex);
			throw ex;
		}
		logger.info("SSL bundle '%s' was reloaded%s".formatted(this.host.bundleName(),
				next.keys().isEmpty() ? "" : ": " + describe(next.keys().get(0))));
		warnOfClients();
	}

	private static String describe(KeyMaterial key) {
		X509Certificate leaf = key.leaf();
		return "the certificate '%s' in '%s' is valid until %s, from %s, serial number %x".formatted(
				CertificateChain.name(leaf), TlsSettingException.describe(key.files().certificateFile()),
				leaf.getNotAfter().toInstant(), leaf.getNotBefore().toInstant(), leaf.getSerialNumber());
	}

	private void update(Content content) {
		this.registries.forEach((registry) -> registry.updateBundle(this.host.bundleName(), content.bundle()));
	}

	// Throws an exception that names the file if the connector refuses the content
	private void refuse(Content next, Throwable failure) {
		for (Throwable cause = failure; cause != null; cause = cause.getCause()) {
			if (cause instanceof TlsSettingException refusal) {
				throw next.refusal(this.host, refusal, this.names);
			}
		}
	}

	@Override
	protected TlsSettingException failure(Throwable ex, boolean byConsumer) {
		if (ex instanceof TlsSettingException refusal) {
			return refusal;
		}
		Throwable cause = NestedExceptionUtils.getMostSpecificCause(ex);
		String reason = byConsumer ? "a consumer of the SSL bundle refuses it: "
				: "the SSL bundle cannot be created from it: ";
		String action = byConsumer
				? "Use a certificate and a key that the TLS engine supports, or correct the handler that was passed to 'SslBundles.addBundleUpdateHandler'. The reload is tried again automatically"
				: "Correct the properties and files of 'server.ssl'";
		return this.host.failure(reason + cause, action(cause, action), ex);
	}

	// The default host logs the problems of the files that all hosts share
	@Override
	protected boolean isLogged(TlsSettingException problem) {
		return isDefaultHost() || isOwn(problem.getSetting(this.names));
	}

	private boolean isOwn(String property) {
		return this.host.certificates().stream().anyMatch((certificate) -> property.startsWith(certificate.prefix()));
	}

	// Revocation lists expire although their files do not change
	@Override
	protected void checkInUse() {
		try {
			this.current.trust().requireInForce(now());
			super.checkInUse();
		}
		catch (TlsSettingException ex) {
			report("Java refuses clients while no revocation list is in force"
					+ (this.reloadOnUpdate ? "" : ". Restart the application with a current list"), ex, 0);
		}
	}

	// Warns of clients that refuse the certificate, and of clients that are refused
	private void warnOfClients() {
		for (KeyMaterial key : this.current.keys()) {
			key.leafProblem(now()).ifPresent(HostCertificate::warn);
			key.duplicates().forEach(HostCertificate::warn);
			key.chainProblems(now()).forEach(HostCertificate::warn);
			key.staplingProblem().ifPresent(HostCertificate::warn);
			Optional.ofNullable(this.host.serverName()).flatMap(key::nameProblem).ifPresent(HostCertificate::warn);
		}
		TrustMaterial trust = this.current.trust();
		Stream.concat(trust.invalidCas(this.host, now()).stream(), trust.missingLists().stream())
			.filter(this::isLogged)
			.forEach(HostCertificate::warn);
	}

	// Kubernetes mounts secrets for all users of a container by default, so this must not
	// prevent startup
	private void warnOfOpenKeys(Map<String, FileContent> files) {
		for (CertificateFiles certificate : this.host.certificates()) {
			FileContent content = Objects.requireNonNull(files.get(certificate.keyProperty()));
			if (content.isOpenToOthers()) {
				String file = String.valueOf(content.file());
				warn(new TlsSettingException(certificate.keyProperty(), file,
						PrivateFiles.OPEN_TO_OTHERS + ", and it contains a private key", PrivateFiles.protect(file),
						null));
			}
		}
	}

	private static void warn(TlsSettingException problem) {
		logger.warn(problem.getMessage() + ". " + problem.getAction(SettingName::toString));
	}

	/**
	 * The content of the files.
	 *
	 * @param keys the certificates with their keys, in the order of their files
	 * @param trust the CAs and the revocation lists
	 * @param bundle the SSL bundle with all of it
	 */
	private record Content(List<KeyMaterial> keys, TrustMaterial trust, SslBundle bundle) {

		TlsSettingException refusal(VirtualHostFiles host, TlsSettingException ex,
				Function<SettingName, String> names) {
			String reason = ex.getReason(names);
			String action = ex.getAction(names);
			ConfiguredFile file = ex.isAbout(SettingName.CA_CERTIFICATES) ? host.caCertificates()
					: ex.isAbout(SettingName.PROXY_CA_CERTIFICATES) ? host.proxyCaCertificates() : null;
			if (file != null) {
				return new TlsSettingException(file.property(), file.location(), reason, action, ex);
			}
			return this.keys.stream()
				.filter((key) -> key.leaf().equals(ex.getCertificate()))
				.findFirst()
				.map((key) -> new TlsSettingException(key.files().certificateFileProperty(),
						key.files().certificateFile(), reason, action, ex))
				.orElseGet(() -> host.failure(reason, action, ex));
		}

	}

}
