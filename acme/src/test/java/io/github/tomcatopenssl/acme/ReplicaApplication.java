// Copyright 2026-present the original author or authors.
// SPDX-License-Identifier: Apache-2.0

package io.github.tomcatopenssl.acme;

import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneId;
import java.time.ZoneOffset;
import java.util.List;

import io.github.tomcatopenssl.internal.store.EntryCipher;
import io.github.tomcatopenssl.internal.store.JdbcStore;
import io.github.tomcatopenssl.internal.store.StoreException;
import io.github.tomcatopenssl.internal.store.StoreSchedule;
import org.postgresql.ds.PGSimpleDataSource;

import org.springframework.beans.factory.ListableBeanFactory;
import org.springframework.beans.factory.annotation.Value;
import org.springframework.boot.autoconfigure.condition.ConditionalOnProperty;
import org.springframework.boot.context.properties.EnableConfigurationProperties;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Import;
import org.springframework.context.annotation.Primary;
import org.springframework.core.env.Environment;
import org.springframework.core.io.ClassPathResource;
import org.springframework.jdbc.datasource.init.ResourceDatabasePopulator;

/**
 * A server for which an hour lasts seconds, and whose clock can be wrong. As a process of
 * its own, it can be killed.
 */
public final class ReplicaApplication {

	private ReplicaApplication() {
	}

	public static void main(String[] arguments) throws Exception {
		AcmeApplication server = start(List.of(arguments).subList(1, arguments.length));
		Path unfinished = Files.writeString(Path.of(arguments[0] + ".tmp"), String.valueOf(server.port()));
		Files.move(unfinished, Path.of(arguments[0]), StandardCopyOption.ATOMIC_MOVE);
	}

	static AcmeApplication start(List<String> properties) {
		return AcmeApplication.start(FastConfiguration.class, properties);
	}

	@Configuration(proxyBeanMethods = false)
	@EnableConfigurationProperties(AcmeProperties.class)
	@Import(AcmeAutoConfiguration.HealthConfiguration.class)
	static class FastConfiguration {

		@Bean
		MachineClock machineClock() {
			return new MachineClock();
		}

		@Bean
		AcmeCertificateSource acmeCertificateSource(AcmeProperties properties, Environment environment,
				ListableBeanFactory beanFactory, MachineClock clock, @Value("${test.hour}") Duration hour) {
			AcmeSchedule schedule = new AcmeSchedule(hour.dividedBy(10), hour.dividedBy(4), hour.dividedBy(60),
					hour.multipliedBy(4), hour.dividedBy(2), hour.multipliedBy(24), hour.dividedBy(10));
			return new AcmeCertificateSource(properties, environment, beanFactory, schedule, clock);
		}

		@Bean
		@Primary
		@ConditionalOnProperty("test.database")
		JdbcStore store(@Value("${test.database}") String url, @Value("${test.hour}") Duration hour)
				throws StoreException {
			PGSimpleDataSource dataSource = new PGSimpleDataSource();
			dataSource.setUrl(url);
			ResourceDatabasePopulator schema = new ResourceDatabasePopulator(
					new ClassPathResource("io/github/tomcatopenssl/store/schema-postgresql.sql"));
			// Replicas that start together may create the table together
			schema.setContinueOnError(true);
			schema.execute(dataSource);
			return JdbcStore.open(dataSource, new EntryCipher(List.of(new byte[EntryCipher.KEY_LENGTH])),
					new StoreSchedule(hour.multipliedBy(3), hour.dividedBy(4)));
		}

		@Bean
		AcmeChallenges acmeChallenges(AcmeCertificateSource source) {
			return new AcmeChallenges(source);
		}

		@Bean
		AcmePreparation acmePreparation(AcmeCertificateSource source) {
			return new AcmePreparation(source);
		}

		@Bean
		AcmeRenewal acmeRenewal(AcmeCertificateSource source) {
			return new AcmeRenewal(source);
		}

	}

	/**
	 * A clock that can be ahead.
	 */
	static final class MachineClock extends Clock {

		volatile Duration ahead = Duration.ZERO;

		@Override
		public Instant instant() {
			return Instant.now().plus(this.ahead);
		}

		@Override
		public ZoneId getZone() {
			return ZoneOffset.UTC;
		}

		@Override
		public Clock withZone(ZoneId zone) {
			return this;
		}

	}

}
