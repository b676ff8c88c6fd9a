// Copyright 2026-present the original author or authors.
// SPDX-License-Identifier: Apache-2.0

package io.github.tomcatopenssl.autoconfigure;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.UUID;

import javax.sql.DataSource;

import io.github.tomcatopenssl.TlsSettingException;
import io.github.tomcatopenssl.internal.store.JdbcStore;
import io.github.tomcatopenssl.internal.store.SharedStore;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.h2.jdbcx.JdbcDataSource;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.context.properties.bind.Binder;
import org.springframework.boot.context.properties.source.InvalidConfigurationPropertyValueException;
import org.springframework.boot.context.properties.source.MapConfigurationPropertySource;
import org.springframework.boot.diagnostics.FailureAnalysis;
import org.springframework.boot.jdbc.init.DataSourceScriptDatabaseInitializer;
import org.springframework.boot.sql.init.DatabaseInitializationMode;
import org.springframework.boot.sql.init.DatabaseInitializationSettings;
import org.springframework.boot.test.context.FilteredClassLoader;
import org.springframework.boot.test.context.assertj.AssertableWebApplicationContext;
import org.springframework.boot.test.context.runner.WebApplicationContextRunner;
import org.springframework.boot.web.context.servlet.AnnotationConfigServletWebApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowable;

/**
 * Tests for {@link StoreAutoConfiguration} and {@link StoreKeys}.
 */
class StoreAutoConfigurationTests {

	private static final String KEY = "MDEyMzQ1Njc4OTAxMjM0NTY3ODkwMTIzNDU2Nzg5MDE=";

	private static final String SCRIPT = "classpath:io/github/tomcatopenssl/store/schema-h2.sql";

	private final WebApplicationContextRunner runner = new WebApplicationContextRunner(
			AnnotationConfigServletWebApplicationContext::new)
		.withConfiguration(AutoConfigurations.of(StoreAutoConfiguration.class))
		.withPropertyValues("server.ssl.store=jdbc", "server.ssl.store-keys=" + KEY);

	private final WebApplicationContextRunner withDatabase = this.runner.withBean(DataSource.class,
			StoreAutoConfigurationTests::database);

	@TempDir
	private Path folder;

	private static DataSource database() {
		JdbcDataSource dataSource = new JdbcDataSource();
		dataSource.setURL("jdbc:h2:mem:%s;DB_CLOSE_DELAY=-1".formatted(UUID.randomUUID()));
		return dataSource;
	}

	@Test
	void whenDatabaseIsEmbeddedThenTableIsCreated() {
		this.withDatabase.run((context) -> {
			SharedStore store = context.getBean(SharedStore.class);
			store.write("ca/name.pem", "content", List.of());
			assertThat(store.read("ca/name.pem").content()).isEqualTo("content");
			assertThat(store.file("")).exists();
			context.close();
			assertThat(store.file("")).doesNotExist();
		});
	}

	@Test
	void whenStoreIsAFolderThenThereIsNoBean() {
		for (String store : List.of("folder", "")) {
			this.withDatabase.withPropertyValues("server.ssl.store=" + store)
				.run((context) -> assertThat(context).doesNotHaveBean(SharedStore.class));
		}
	}

	@Test
	void whenNobodyNeedsTheStoreThenNothingIsOpened() {
		this.runner.run((context) -> assertThat(context).hasNotFailed());
	}

	@Test
	void whenApplicationCreatesTheTableThenItIsThereBefore() {
		this.withDatabase.withPropertyValues("server.ssl.store-initialize-schema=never")
			.withUserConfiguration(MigrationConfiguration.class)
			.run((context) -> assertThat(context).hasSingleBean(JdbcStore.class).getBean(JdbcStore.class).isNotNull());
	}

	@Test
	void whenThereIsNoTableThenThePropertyIsNamed() {
		this.withDatabase.withPropertyValues("server.ssl.store-initialize-schema=never")
			.run((context) -> assertFails(context,
					"'server.ssl.store': the table 'tomcat_openssl_store' cannot be used",
					"Or set 'server.ssl.store-initialize-schema' to 'always', so that the table is created"));
	}

	@Test
	void whenThereIsNoDatabaseThenTheRemedyIsNamed() {
		this.runner.run((context) -> assertFails(context, "'server.ssl.store': the application has no database",
				"Set 'spring.datasource.url'"));
		this.withDatabase.withBean("other", DataSource.class, StoreAutoConfigurationTests::database)
			.run((context) -> assertFails(context, "'server.ssl.store': the application has several databases",
					"primary"));
	}

	@Test
	void whenDatabaseDoesNotAnswerThenTheRemedyIsNamed() {
		this.runner.withBean(DataSource.class, () -> {
			JdbcDataSource dataSource = new JdbcDataSource();
			dataSource.setURL("jdbc:h2:tcp://localhost:1/nothing");
			return dataSource;
		})
			.run((context) -> assertFails(context, "'server.ssl.store': the database fails: ",
					"Check that the application can reach its database"));
	}

	@Test
	void whenDependencyIsMissingThenItIsNamed() {
		this.runner.withClassLoader(new FilteredClassLoader(DataSourceScriptDatabaseInitializer.class))
			.run((context) -> assertFails(context,
					"'server.ssl.store': the dependency that has access to databases is missing",
					"spring-boot-starter-jdbc"));
	}

	@ParameterizedTest
	@CsvSource(nullValues = "-", delimiter = '|', quoteCharacter = '"', textBlock = """
			""                 | server.ssl.store-keys | it is not set
			c2VjcmV0c2VjcmV0   | server.ssl.store-keys[0] | it is neither 32 bytes in Base64 nor a file that can be read
			/c2VjcmV0c2VjcmV0= | server.ssl.store-keys[0] | it is neither 32 bytes in Base64 nor a file that can be read
			{key},c2VjcmV0     | server.ssl.store-keys[1] | it is neither 32 bytes in Base64 nor a file that can be read
			{key},{key}        | server.ssl.store-keys | both keys are the same
			{key},{key},{key}  | server.ssl.store-keys | it has 3 keys, but can have two
			""")
	void whenKeyIsMissingOrDamagedThenTheRemedyIsNamed(String value, String property, String reason) {
		this.withDatabase.withPropertyValues("server.ssl.store-keys=" + value.replace("{key}", KEY)).run((context) -> {
			Throwable failure = assertFails(context, "'%s': %s".formatted(property, reason), "");
			assertThat(failure).hasMessageNotContaining("c2VjcmV0").hasMessageNotContaining(KEY);
		});
	}

	@Test
	void whenKeyHasNoEffectThenItIsNotShown() {
		TomcatOpenSslProperties properties = new Binder(
				new MapConfigurationPropertySource(Map.of("server.ssl.store-keys", KEY)))
			.bind("server.ssl", TomcatOpenSslProperties.class)
			.get();
		for (ThrowingCallable check : List.<ThrowingCallable>of(() -> ServerSslProperty.requireEffect(properties),
				() -> ServerSslProperty.enforce(ServerSslProperty.Place.WITHOUT_TLS, properties))) {
			Throwable failure = catchThrowable(check);
			assertThat(failure).isInstanceOf(InvalidConfigurationPropertyValueException.class)
				.hasMessageContaining("server.ssl.store-keys");
			assertThat(failure.getMessage() + ((InvalidConfigurationPropertyValueException) failure).getValue())
				.doesNotContain(KEY);
		}
		assertThat(properties).asString().doesNotContain(KEY);
	}

	@Test
	void whenKeyIsInAFileThenItIsRead() throws Exception {
		Path file = Files.writeString(this.folder.resolve("store-key"), KEY + "\n");
		this.withDatabase.withPropertyValues("server.ssl.store-keys=" + file)
			.run((context) -> assertThat(context.getBean(JdbcStore.class)).isNotNull());
		Files.writeString(file, "c2VjcmV0");
		this.withDatabase.withPropertyValues("server.ssl.store-keys=" + file)
			.run((context) -> assertFails(context,
					"'server.ssl.store-keys[0]': the file does not contain 32 bytes in Base64",
					"openssl rand -base64 32"));
	}

	private static Throwable assertFails(AssertableWebApplicationContext context, String message, String action) {
		Throwable failure = catchThrowable(() -> context.getBean(SharedStore.class));
		while (!(failure instanceof TlsSettingException)) {
			failure = Objects.requireNonNull(failure).getCause();
		}
		assertThat(failure).hasMessageStartingWith(message);
		FailureAnalysis analysis = new TlsFailureAnalyzer(context.getEnvironment()).analyze(failure);
		assertThat(analysis.getAction()).contains(action);
		assertThat(analysis.getDescription()).doesNotContain(KEY);
		return failure;
	}

	@Configuration(proxyBeanMethods = false)
	static class MigrationConfiguration {

		@Bean
		DataSourceScriptDatabaseInitializer migration(DataSource dataSource) {
			DatabaseInitializationSettings settings = new DatabaseInitializationSettings();
			settings.setSchemaLocations(List.of(SCRIPT));
			settings.setMode(DatabaseInitializationMode.ALWAYS);
			return new DataSourceScriptDatabaseInitializer(dataSource, settings);
		}

	}

}
