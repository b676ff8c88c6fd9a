// Copyright 2026-present the original author or authors.
// SPDX-License-Identifier: Apache-2.0

package io.github.tomcatopenssl.autoconfigure;

import javax.sql.DataSource;

import io.github.tomcatopenssl.TlsSettingException;
import io.github.tomcatopenssl.internal.store.DryRun;
import io.github.tomcatopenssl.internal.store.EntryCipher;
import io.github.tomcatopenssl.internal.store.JdbcStore;
import io.github.tomcatopenssl.internal.store.SharedStore;
import io.github.tomcatopenssl.internal.store.StoreException;
import io.github.tomcatopenssl.internal.store.StoreSchedule;

import org.springframework.beans.factory.ObjectProvider;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnNotWarDeployment;
import org.springframework.boot.autoconfigure.condition.ConditionalOnProperty;
import org.springframework.boot.autoconfigure.condition.ConditionalOnWebApplication;
import org.springframework.boot.context.properties.EnableConfigurationProperties;
import org.springframework.boot.jdbc.init.DataSourceScriptDatabaseInitializer;
import org.springframework.boot.jdbc.init.PlatformPlaceholderDatabaseDriverResolver;
import org.springframework.boot.sql.init.DatabaseInitializationMode;
import org.springframework.boot.sql.init.DatabaseInitializationSettings;
import org.springframework.boot.sql.init.dependency.DatabaseInitializationDependencyConfigurer;
import org.springframework.boot.sql.init.dependency.DependsOnDatabaseInitialization;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Import;
import org.springframework.context.annotation.Lazy;
import org.springframework.core.NestedExceptionUtils;
import org.springframework.jdbc.BadSqlGrammarException;

/**
 * {@link EnableAutoConfiguration Auto-configuration} for what replicas share in the
 * database of the application ({@code server.ssl.store}). Nothing is opened unless
 * somebody needs it.
 */
@AutoConfiguration(before = CertificateFileAutoConfiguration.class)
@ConditionalOnWebApplication
@ConditionalOnNotWarDeployment
@ConditionalOnProperty(name = "server.ssl.store", havingValue = "jdbc")
@EnableConfigurationProperties(TomcatOpenSslProperties.class)
@Import(KeyExchangeGroupConverter.class)
public final class StoreAutoConfiguration {

	private static final String INITIALIZER = "org.springframework.boot.jdbc.init.DataSourceScriptDatabaseInitializer";

	@Configuration(proxyBeanMethods = false)
	@ConditionalOnClass(name = INITIALIZER)
	@ConditionalOnBean(DryRun.class)
	static class CheckConfiguration {

		@Bean
		@Lazy
		SharedStore tlsStore(DryRun dryRun, TomcatOpenSslProperties properties) {
			StoreKeys.read(properties.storeKeys());
			dryRun.warn("The database is not opened, and the check does not know which certificates are in it");
			return dryRun.database();
		}

	}

	@Configuration(proxyBeanMethods = false)
	@ConditionalOnClass(name = INITIALIZER)
	@ConditionalOnMissingBean(DryRun.class)
	@Import(DatabaseInitializationDependencyConfigurer.class)
	static class JdbcConfiguration {

		private static final String SCRIPT = "optional:classpath:io/github/tomcatopenssl/store/schema-@@platform@@.sql";

		@Bean
		@Lazy
		DataSourceScriptDatabaseInitializer tlsStoreInitializer(ObjectProvider<DataSource> dataSources,
				TomcatOpenSslProperties properties) {
			DataSource dataSource = dataSource(dataSources);
			DatabaseInitializationSettings settings = new DatabaseInitializationSettings();
			settings.setMode(DatabaseInitializationMode.valueOf(properties.storeInitializeSchema().name()));
			// Replicas that start together may create the table together
			settings.setContinueOnError(true);
			try {
				settings
					.setSchemaLocations(new PlatformPlaceholderDatabaseDriverResolver().resolveAll(dataSource, SCRIPT));
			}
			catch (IllegalStateException ex) {
				throw ServerSslProperty.STORE.failure(
						"the database fails: %s".formatted(NestedExceptionUtils.getMostSpecificCause(ex).getMessage()),
						"Check that the application can reach its database");
			}
			return new DataSourceScriptDatabaseInitializer(dataSource, settings);
		}

		@Bean
		@Lazy
		@DependsOnDatabaseInitialization
		JdbcStore tlsStore(ObjectProvider<DataSource> dataSources, TomcatOpenSslProperties properties) {
			EntryCipher cipher = StoreKeys.read(properties.storeKeys());
			try {
				return JdbcStore.open(dataSource(dataSources), cipher, StoreSchedule.DEFAULT);
			}
			catch (StoreException ex) {
				String create = (ex.getCause() instanceof BadSqlGrammarException)
						? ". Or set '%s' to 'always', so that the table is created"
							.formatted(ServerSslProperty.STORE_INITIALIZE_SCHEMA)
						: "";
				throw new TlsSettingException(ServerSslProperty.STORE.toString(), null, String.valueOf(ex.getMessage()),
						ex.action() + create, ex);
			}
		}

		private static DataSource dataSource(ObjectProvider<DataSource> dataSources) {
			DataSource dataSource = dataSources.getIfUnique();
			if (dataSource == null) {
				boolean isMissing = dataSources.stream().findAny().isEmpty();
				throw ServerSslProperty.STORE.failure(
						isMissing ? "the application has no database" : "the application has several databases",
						isMissing ? "Set 'spring.datasource.url', or define a bean of type 'DataSource'"
								: "Mark the bean of type 'DataSource' that is to be used as primary");
			}
			return dataSource;
		}

	}

	@Configuration(proxyBeanMethods = false)
	@ConditionalOnMissingClass(INITIALIZER)
	static class MissingConfiguration {

		@Bean
		@Lazy
		SharedStore tlsStore() {
			throw ServerSslProperty.STORE.failure("the dependency that has access to databases is missing",
					"Add the dependency 'org.springframework.boot:spring-boot-starter-jdbc', or remove the property");
		}

	}

}
