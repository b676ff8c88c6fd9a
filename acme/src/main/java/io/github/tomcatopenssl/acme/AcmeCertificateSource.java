// Copyright 2026-present the original author or authors.
// SPDX-License-Identifier: Apache-2.0

package io.github.tomcatopenssl.acme;

import java.io.IOException;
import java.nio.file.Path;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.util.List;

import io.github.tomcatopenssl.TlsSettingException;
import io.github.tomcatopenssl.internal.certificate.CertificateSource;
import io.github.tomcatopenssl.internal.host.CertificateHosts;
import io.github.tomcatopenssl.internal.store.DryRun;
import io.github.tomcatopenssl.internal.store.FolderStore;
import io.github.tomcatopenssl.internal.store.SharedStore;
import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;
import org.jspecify.annotations.Nullable;

import org.springframework.beans.factory.BeanFactoryUtils;
import org.springframework.beans.factory.ListableBeanFactory;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.boot.context.properties.bind.Binder;
import org.springframework.boot.ssl.NoSuchSslBundleException;
import org.springframework.boot.ssl.SslBundle;
import org.springframework.boot.ssl.SslBundles;
import org.springframework.core.env.Environment;
import org.springframework.util.ClassUtils;
import org.springframework.util.StringUtils;

/**
 * The certificates of {@code server.ssl.acme}, if the server asks for them.
 */
class AcmeCertificateSource implements CertificateSource {

	private static final Log logger = LogFactory.getLog(AcmeCertificateSource.class);

	/**
	 * How long a handshake waits for a certificate at most, unless its own time limit is
	 * set.
	 */
	private static final Duration PATIENCE = Duration.ofSeconds(10);

	private final AcmeProperties properties;

	private final Environment environment;

	private final ListableBeanFactory beanFactory;

	private final AcmeSchedule schedule;

	private final CaClock clock;

	private final AcmeWork work;

	private boolean moved;

	private volatile @Nullable AcmeStore store;

	private volatile @Nullable AcmeCa ca;

	private volatile @Nullable AcmeCertificates certificates;

	private volatile @Nullable AcmeSets sets;

	AcmeCertificateSource(AcmeProperties properties, Environment environment, ListableBeanFactory beanFactory,
			AcmeSchedule schedule, Clock clock) {
		this.properties = properties;
		this.environment = environment;
		this.beanFactory = beanFactory;
		this.schedule = schedule;
		this.clock = new CaClock(clock);
		this.work = new AcmeWork(this.clock, schedule);
	}

	@Override
	public Class<?> propertiesType() {
		return AcmeProperties.class;
	}

	@Override
	public List<Path> validateAndWriteFiles() {
		AcmeSettings settings = validator().validate();
		AcmeCertificates certificates = certificates(settings, null);
		try {
			move(settings);
			List<Path> files = certificates.writeFiles();
			this.certificates = certificates;
			this.work.add(certificates, Duration.ZERO);
			return files;
		}
		catch (IOException ex) {
			throw failure(settings, ex);
		}
	}

	@Override
	public boolean hasOthers() {
		return !this.properties.certificates().isEmpty() || bean(AcmeDomains.class) != null
				|| bean(AcmeOnDemandDomains.class) != null;
	}

	@Override
	public void serveOthers() {
		AcmePropertiesValidator validator = validator();
		AcmeSettings settings = validator.validate();
		ObjectProvider<AcmeDomains> application = bean(AcmeDomains.class);
		ObjectProvider<AcmeOnDemandDomains> onDemand = bean(AcmeOnDemandDomains.class);
		AcmeSets sets = new AcmeSets(this.beanFactory.getBean(CertificateHosts.class), this.work, this.schedule,
				new Factory(settings, validator), (application != null) ? () -> application.getObject().find() : null,
				(onDemand != null) ? (serverName) -> onDemand.getObject().isAllowed(serverName) : null);
		try {
			move(settings);
			commonStore(settings).create();
			sets.load(validator.others(),
					Binder.get(this.environment)
						.bind(AcmeProperties.HANDSHAKE_TIMEOUT, Duration.class)
						.orElse(PATIENCE));
			this.sets = sets;
		}
		catch (IOException ex) {
			throw failure(settings, ex);
		}
	}

	@Override
	public List<String> due() {
		if (this.sets != null || this.certificates != null) {
			requireTrust();
		}
		return this.work.due();
	}

	// Not created before it is asked: it may need a database
	private <T> @Nullable ObjectProvider<T> bean(Class<T> type) {
		String[] names = BeanFactoryUtils.beanNamesForTypeIncludingAncestors(this.beanFactory, type, true, false);
		ObjectProvider<T> bean = this.beanFactory.getBeanProvider(type);
		if (names.length > 1) {
			// Fails if it is not clear which one to ask
			bean.getObject();
		}
		return (names.length > 0) ? bean : null;
	}

	private AcmePropertiesValidator validator() {
		SharedStore database = database();
		return new AcmePropertiesValidator(this.properties, this.environment, this::isOverDns,
				(database != null) ? database.file("") : null);
	}

	private boolean isOverDns() {
		DryRun dryRun = dryRun();
		if (dns() == null && dryRun != null) {
			dryRun.warn(
					"A certificate for a wildcard needs a bean of type '%s', and the check does not see whether the application has one"
						.formatted(DnsChallengeProvider.class.getName()));
			return true;
		}
		return dns() != null;
	}

	private @Nullable DryRun dryRun() {
		return this.beanFactory.getBeanProvider(DryRun.class).getIfAvailable();
	}

	// Not opened before it is needed
	private @Nullable SharedStore database() {
		return this.beanFactory.getBeanProvider(SharedStore.class).getIfAvailable();
	}

	private SharedStore shared(AcmeSettings settings) {
		SharedStore database = database();
		FolderStore folder = new FolderStore(settings.directory());
		SharedStore store = folder;
		DryRun dryRun = dryRun();
		boolean isMoving = StringUtils.hasText(this.properties.directory());
		// The database of a check is empty
		if (database != null && !(isMoving && dryRun != null)) {
			store = isMoving ? new MovingStore(database, folder) : database;
		}
		return (dryRun != null) ? dryRun.view(store) : store;
	}

	private AcmeStore store(AcmeSettings settings, List<String> domains) {
		return new AcmeStore(shared(settings), this.properties.directoryUrl(), domains);
	}

	private void move(AcmeSettings settings) throws IOException {
		if (shared(settings) instanceof MovingStore moving && !this.moved) {
			logger.info(
					"Files of '%s' that were copied to the database: %d. This replica keeps the folder up to date for those that do not use the database yet. When all of them have used it for a day, remove '%s'"
						.formatted(settings.directory(), moving.move(), AcmeProperties.DIRECTORY));
			this.moved = true;
		}
	}

	// That of all domains
	private AcmeStore commonStore(AcmeSettings settings) {
		AcmeStore store = this.store;
		if (store == null) {
			store = store(settings, List.of());
			this.store = store;
		}
		return store;
	}

	private AcmeCertificates certificates(AcmeSettings settings, AcmeCertificates.@Nullable Host host) {
		DnsChallengeProvider dns = dns();
		AcmeStore store = store(settings, settings.domains());
		AcmeCa ca = this.ca;
		if (ca == null) {
			ca = new AcmeCa(new CaSessions(this.properties.directoryUrl(), this::trust, this.clock), this.clock,
					this.schedule,
					new AcmeLimits(commonStore(settings), this.properties.ordersPerHour(), this.clock, this.schedule));
			this.ca = ca;
		}
		return new AcmeCertificates(settings, store, ca, (session) -> new AcmeClient(settings, store, session,
				new DomainVerifier(settings.domains(), store, dns), this.clock, this.schedule), host);
	}

	private TlsSettingException failure(AcmeSettings settings, IOException ex) {
		if (database() != null) {
			return new TlsSettingException(AcmeProperties.STORE, null, String.valueOf(ex.getMessage()),
					AcmeStoreException.action(ex), ex);
		}
		return new TlsSettingException(AcmeProperties.DIRECTORY, settings.directory().toString(),
				"the certificate cannot be stored in this folder: %s".formatted(ex.getMessage()),
				AcmeStoreException.action(ex), ex);
	}

	private @Nullable DnsChallengeProvider dns() {
		DnsChallengeProvider ofApplication = this.beanFactory.getBeanProvider(DnsChallengeProvider.class)
			.getIfAvailable();
		AcmeProperties.DnsUpdate update = this.properties.dnsUpdate();
		if (update == null) {
			return ofApplication;
		}
		if (ofApplication != null) {
			throw new TlsSettingException(AcmeProperties.DNS_UPDATE, null,
					"the application has a bean of type '%s' as well".formatted(DnsChallengeProvider.class.getName()),
					"Remove one of the two", null);
		}
		if (!ClassUtils.isPresent("org.xbill.DNS.Update", getClass().getClassLoader())) {
			throw new TlsSettingException(AcmeProperties.DNS_UPDATE, null,
					"the dependency that sends dynamic updates is missing",
					"Add the dependency 'dnsjava:dnsjava', or remove the properties", null);
		}
		return DnsUpdateProvider.of(update);
	}

	/**
	 * Serve what is in the folder for the domains that the application knows.
	 */
	void prepare() {
		AcmeSets sets = this.sets;
		if (sets != null) {
			sets.prepare();
		}
	}

	/**
	 * Begin to make attempts.
	 * @throws TlsSettingException if the bundle of the properties is missing
	 */
	void start() {
		AcmeSets sets = this.sets;
		if (sets == null && this.certificates == null) {
			return;
		}
		requireTrust();
		if (sets != null) {
			sets.start();
		}
		this.work.start();
	}

	void stop() {
		AcmeSets sets = this.sets;
		if (sets != null) {
			sets.stop();
		}
		this.work.stop();
	}

	boolean isRunning() {
		return this.work.isRunning();
	}

	private void requireTrust() {
		try {
			trust();
		}
		catch (NoSuchSslBundleException ex) {
			throw new TlsSettingException(AcmeProperties.SSL_BUNDLE, null,
					"there is no SSL bundle '%s'".formatted(ex.getBundleName()),
					"Define it with 'spring.ssl.bundle', or remove the property", null);
		}
	}

	// The CAs that the ACME server is verified against, or null for Java's CAs
	private @Nullable SslBundle trust() {
		String bundle = this.properties.sslBundle();
		return StringUtils.hasText(bundle) ? this.beanFactory.getBean(SslBundles.class).getBundle(bundle) : null;
	}

	/**
	 * Return the certificates of the default host.
	 * @return the certificates, or {@code null} if the server does not ask for them
	 */
	@Nullable AcmeCertificates certificates() {
		return this.certificates;
	}

	/**
	 * Return the other sets of domains.
	 * @return the sets, or {@code null} if there are none
	 */
	@Nullable AcmeSets sets() {
		return this.sets;
	}

	/**
	 * Return what all sets of domains have in common.
	 * @return the CA, or {@code null} if the server asks for no certificate
	 */
	@Nullable AcmeCa ca() {
		return this.ca;
	}

	/**
	 * Return the folder with the open challenges.
	 * @return the folder, or {@code null} if the server asks for no certificate
	 */
	@Nullable AcmeStore store() {
		return this.store;
	}

	/**
	 * Creates what a set needs.
	 *
	 * @param settings the settings that all have
	 * @param validator checks domains
	 */
	private final class Factory implements AcmeSets.Factory {

		private final AcmeSettings settings;

		private final AcmePropertiesValidator validator;

		private Factory(AcmeSettings settings, AcmePropertiesValidator validator) {
			this.settings = settings;
			this.validator = validator;
		}

		@Override
		public List<String> validate(List<String> domains) {
			return this.validator.domains("domains", domains);
		}

		@Override
		public AcmeCertificates create(List<String> domains, AcmeCertificates.Host host) {
			return certificates(new AcmeSettings(this.settings.properties(), domains, this.settings.directory()), host);
		}

		@Override
		public List<AcmeCertificate> valid() throws IOException {
			Instant now = AcmeCertificateSource.this.clock.instant();
			return commonStore(this.settings).certificates()
				.stream()
				.filter((certificate) -> !certificate.isPlaceholder() && certificate.isValid(now))
				.toList();
		}

		@Override
		public SharedStore.Changes changed(@Nullable String since) throws IOException {
			return commonStore(this.settings).changedCertificates(since);
		}

	}

}
