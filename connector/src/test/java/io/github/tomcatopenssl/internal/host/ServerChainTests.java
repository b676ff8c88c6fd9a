// Copyright 2026-present the original author or authors.
// SPDX-License-Identifier: Apache-2.0

package io.github.tomcatopenssl.internal.host;

import java.security.KeyStore;
import java.security.cert.CertificateException;
import java.security.cert.X509Certificate;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

import javax.net.ssl.TrustManagerFactory;
import javax.net.ssl.X509TrustManager;

import io.github.tomcatopenssl.SettingName;
import io.github.tomcatopenssl.TlsSettingException;
import io.github.tomcatopenssl.internal.engine.Engine;
import io.github.tomcatopenssl.test.Commands;
import io.github.tomcatopenssl.test.TestCertificates;
import org.apache.tomcat.util.net.SSLHostConfig.CertificateVerification;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/**
 * Tests for {@link ServerChain}.
 */
@Tag("jdk")
class ServerChainTests {

	private static final String CA = "basicConstraints=critical,CA:TRUE";

	private static final String NAMES = "subjectAltName=DNS:localhost";

	private static final TestCertificates certificates = TestCertificates.get();

	@BeforeAll
	static void issue() {
		root("chain-root", CA + "\nkeyUsage=keyCertSign");
		issue("chain-root", "chain-int", CA);
		issue("chain-int", "chain-leaf", NAMES);
		issue("chain-int", "chain-int-2", CA + ",pathlen:0");
		issue("chain-int-2", "chain-leaf-2", NAMES);
		issue("chain-root", "no-ca", "basicConstraints=CA:FALSE");
		issue("no-ca", "leaf-of-no-ca", NAMES);
		issue("chain-root", "nothing", NAMES);
		issue("nothing", "leaf-of-nothing", NAMES);
		issue("chain-root", "short", CA + ",pathlen:0");
		issue("short", "below-short", CA);
		issue("below-short", "leaf-below-short", NAMES);
		issue("chain-root", "narrow", CA + "\nnameConstraints=critical,permitted;DNS:example.com");
		issue("narrow", "leaf-of-narrow", NAMES);
		issue("narrow", "example-of-narrow", "subjectAltName=DNS:www.example.com");
		issue("narrow", "wildcard-of-narrow", "subjectAltName=DNS:*.example.com,DNS:example.com");
		issue("chain-root", "dotted", CA + "\nnameConstraints=permitted;DNS:.example.com");
		issue("dotted", "leaf-of-dotted", "subjectAltName=DNS:www.example.com");
		issue("chain-root", "by-type", CA
				+ "\nnameConstraints=critical,permitted;otherName:1.3.6.1.4.1.311.20.2.3;UTF8:a,permitted;URI:example.com");
		issue("by-type", "leaf-of-by-type",
				"subjectAltName=DNS:localhost,otherName:1.3.6.1.4.1.311.20.2.3;UTF8:a@b,URI:https://www.example.com");
		issue("chain-root", "excluding", CA + "\nnameConstraints=excluded;IP:10.0.0.0/255.0.0.0");
		issue("excluding", "leaf-of-excluding", "subjectAltName=IP:10.1.2.3");
		issue("chain-root", "only-usage", "keyUsage=keyCertSign");
		issue("only-usage", "leaf-of-only-usage", NAMES);
		issue("chain-root", "wrong-usage", CA + "\nkeyUsage=cRLSign");
		issue("wrong-usage", "leaf-of-wrong-usage", NAMES);
		issue("chain-root", "for-clients-only", CA + "\nextendedKeyUsage=clientAuth");
		issue("for-clients-only", "leaf-of-for-clients-only", NAMES);
		issue("chain-root", "leaf-is-ca", CA + "\n" + NAMES);
		issue("chain-root", "unknown-critical", NAMES + "\n1.2.3.4=critical,DER:0500");
		issue("chain-root", "policy", CA + "\npolicyConstraints=critical,requireExplicitPolicy:0");
		issue("policy", "leaf-of-policy", NAMES);
		root("for-clients", "extendedKeyUsage=clientAuth");
		root("for-both", "extendedKeyUsage=clientAuth,serverAuth");
		root("for-any", "extendedKeyUsage=anyExtendedKeyUsage");
		root("not-to-sign", "keyUsage=keyEncipherment");
		root("to-sign", "keyUsage=digitalSignature");
		root("false-root", "basicConstraints=CA:FALSE");
		issue("false-root", "leaf-of-false-root", NAMES);
		root("short-root", CA + ",pathlen:0");
		issue("short-root", "below-short-root", CA);
		issue("below-short-root", "leaf-below-short-root", NAMES);
		certificates.issue("chain-root", "old-int", CA, "20200101000000Z", "20210101000000Z");
		issue("old-int", "leaf-of-old-int", NAMES);
		certificates.issue("chain-int", "old-leaf", NAMES, "20200101000000Z", "20210101000000Z");
		certificates.issue("chain-int", "new-leaf", NAMES, "20400101000000Z", "20410101000000Z");
	}

	private static void root(String name, String extensions) {
		issue(null, name, extensions, "ec", "-pkeyopt", "ec_paramgen_curve:P-256");
	}

	private static void issue(String issuer, String name, String extensions) {
		issue(issuer, name, extensions, "ec", "-pkeyopt", "ec_paramgen_curve:P-256");
	}

	private static void issue(String issuer, String name, String extensions, String... key) {
		certificates.write(name + ".ext", extensions + "\n");
		List<String> request = new ArrayList<>(List.of("req", "-nodes", "-subj", "/CN=" + name, "-keyout",
				name + ".key", "-out", name + ".csr", "-newkey"));
		request.addAll(List.of(key));
		certificates.openssl(request.toArray(String[]::new));
		List<String> sign = new ArrayList<>(List.of("x509", "-req", "-in", name + ".csr", "-days", "30", "-extfile",
				name + ".ext", "-out", name + ".crt"));
		sign.addAll((issuer != null) ? List.of("-CA", issuer + ".crt", "-CAkey", issuer + ".key", "-CAcreateserial")
				: List.of("-signkey", name + ".key"));
		certificates.openssl(sign.toArray(String[]::new));
	}

	@ParameterizedTest
	@CsvSource({ "leaf-of-no-ca no-ca, basic constraints lack 'CA:TRUE'",
			"leaf-of-no-ca no-ca chain-root, basic constraints lack 'CA:TRUE'",
			"leaf-of-nothing nothing, basic constraints lack 'CA:TRUE'",
			"leaf-below-short below-short short, allows 0 intermediate CAs between it and the leaf but there are 1",
			"leaf-below-short below-short short chain-root, allows 0 intermediate CAs",
			"leaf-of-narrow narrow, name constraints do not allow the names of 'CN=leaf-of-narrow'",
			"leaf-of-narrow narrow chain-root, name constraints do not allow",
			"leaf-of-excluding excluding, name constraints do not allow" })
	void whenNoClientVerifiesTheChainThenItIsRefused(String names, String reason) throws Exception {
		String[] chain = names.split(" ");
		assertThat(clientsThatVerify(chain)).isEmpty();
		assertThatExceptionOfType(TlsSettingException.class).isThrownBy(() -> warnings(chain)).satisfies((failure) -> {
			assertThat(failure.isAbout(SettingName.CERTIFICATE)).isTrue();
			assertThat(failure.getCertificate()).isEqualTo(certificates.certificate(chain[0] + ".crt"));
			assertThat(failure.getReason(SettingName::toString).replace(",", ""))
				.startsWith(
						"no client could verify the chain of the virtual host 'www' because of the certificate 'CN=")
				.contains(reason);
		});
	}

	@ParameterizedTest
	@CsvSource({ "leaf-of-only-usage only-usage, basic constraints lack 'CA:TRUE'",
			"leaf-of-wrong-usage wrong-usage, key usage lacks 'keyCertSign'",
			"leaf-of-for-clients-only for-clients-only, extended key usage lacks 'serverAuth'",
			"leaf-of-false-root false-root, basic constraints lack 'CA:TRUE'",
			"leaf-below-short-root below-short-root short-root, allows 0 intermediate CAs",
			"leaf-is-ca chain-root, certificate of a CA", "unknown-critical chain-root, critical extension",
			"leaf-of-policy policy chain-root, Java's verification fails",
			"chain-leaf chain-root chain-int, is followed by 'CN=chain-root'",
			"for-clients, is not for servers because its extended key usage lacks 'serverAuth'",
			"not-to-sign, its key usage lacks 'digitalSignature'",
			"chain-leaf, need the certificate of 'CN=chain-int'" })
	void whenSomeClientsRefuseTheChainThenThereIsAWarning(String names, String reason) {
		assertThat(warnings(names.split(" "))).singleElement()
			.asString()
			.satisfies((warning) -> assertThat(warning.replace(",", "")).contains("the virtual host 'www'", reason,
					"in 'www.crt')"));
	}

	// Such as those of a private PKI, whose root is not in the file
	@ParameterizedTest
	@ValueSource(strings = { "chain-leaf chain-int", "chain-leaf chain-int chain-root", "nothing chain-root",
			"chain-leaf-2 chain-int-2 chain-int", "chain-leaf-2 chain-int-2 chain-int chain-root",
			"example-of-narrow narrow", "example-of-narrow narrow chain-root", "leaf-of-old-int old-int chain-root",
			"wildcard-of-narrow narrow", "leaf-of-dotted dotted chain-root", "leaf-of-by-type by-type", "for-both",
			"for-any", "to-sign", "p256", "rsa", "ed25519", "old-leaf chain-int", "new-leaf chain-int", "ml-dsa-44",
			"ml-dsa-65" })
	void whenClientsVerifyTheChainThenNothingIsSaid(String names) {
		assertThat(warnings(names.split(" "))).isEmpty();
	}

	@ParameterizedTest
	@ValueSource(strings = { "chain-leaf chain-int", "nothing chain-root", "chain-leaf-2 chain-int-2 chain-int",
			"example-of-narrow narrow", "wildcard-of-narrow narrow", "leaf-of-dotted dotted" })
	void whenNothingIsSaidThenClientsVerifyTheChain(String names) throws Exception {
		assertThat(clientsThatVerify(names.split(" "))).containsExactly("OpenSSL", "Java");
	}

	// Real clients that trust the root
	private static List<String> clientsThatVerify(String... chain) throws Exception {
		List<String> clients = new ArrayList<>();
		String[] files = Arrays.stream(chain).map((name) -> name + ".crt").toArray(String[]::new);
		String untrusted = certificates.join("untrusted.crt", files).toString();
		if (Commands.run("",
				List.of("openssl", "verify", "-purpose", "sslserver", "-CAfile",
						certificates.file("chain-root.crt").toString(), "-untrusted", untrusted,
						certificates.file(files[0]).toString()))
			.status() == 0) {
			clients.add("OpenSSL");
		}
		try {
			manager("chain-root").checkServerTrusted(
					Arrays.stream(files).map(certificates::certificate).toArray(X509Certificate[]::new), "ECDHE_ECDSA");
			clients.add("Java");
		}
		catch (CertificateException ex) {
			// It is not among them
		}
		return clients;
	}

	@ParameterizedTest
	@ValueSource(strings = { "ed448", "rsa-pss -pkeyopt rsa_keygen_bits:2048",
			"ec -pkeyopt ec_paramgen_curve:brainpoolP384r1", "ec -pkeyopt ec_paramgen_curve:secp256k1" })
	void whenJavaCannotVerifyASignatureThenNothingIsSaid(String key) {
		issue(null, "rare-root", CA, key.split(" "));
		issue("rare-root", "leaf-of-rare-root", NAMES);
		assertThat(warnings("leaf-of-rare-root", "rare-root")).isEmpty();
	}

	@Test
	void whenRootIsOldThenNothingIsSaid() {
		certificates.openssl("req", "-x509", "-newkey", "rsa:1024", "-sha1", "-nodes", "-days", "30", "-subj",
				"/CN=sha1-root", "-keyout", "sha1-root.key", "-out", "sha1-root.crt");
		issue("sha1-root", "leaf-of-sha1-root", NAMES);
		assertThat(warnings("leaf-of-sha1-root", "sha1-root")).isEmpty();
	}

	// An intermediate that two CAs have issued, and a file with both ways
	@Test
	void whenIntermediateIsCrossSignedThenNothingIsSaid() {
		certificates.openssl("x509", "-req", "-in", "chain-int.csr", "-days", "30", "-extfile", "chain-int.ext", "-CA",
				"ca.crt", "-CAkey", "ca.key", "-CAcreateserial", "-out", "crossed.crt");
		assertThat(warnings("chain-leaf", "crossed")).isEmpty();
		assertThat(warnings("chain-leaf", "crossed", "ca")).isEmpty();
		assertThat(warnings("chain-leaf", "crossed", "chain-root")).singleElement()
			.asString()
			.contains("followed by 'CN=chain-root'");
	}

	@Test
	void whenServerVerifiesItsClientsByTheSameCaThenItIsNotMissing() throws Exception {
		ClientVerification clients = new ClientVerification(CertificateVerification.OPTIONAL, manager("ca"), null, true,
				null);
		assertThat(chain("client").require(clients)).isEmpty();
		assertThat(chain("client").require(ClientVerification.NONE)).hasSize(1);
	}

	@ParameterizedTest
	@CsvSource({ "chain-leaf, basic constraints lack 'CA:TRUE'", "for-servers, extended key usage lacks 'clientAuth'",
			"wrong-usage, key usage lacks 'keyCertSign'" })
	void whenNoCaCanIssueForClientsThenThereIsAWarning(String name, String reason) throws Exception {
		root("for-servers", CA + "\nextendedKeyUsage=serverAuth");
		assertThat(ofClients(name)).contains("the virtual host 'www'", "'CN=" + name + "'", reason);
		assertThat(ofClients(name, "ca")).isNull();
	}

	// Those of a user's trust manager may not be all that it accepts
	@Test
	void whenClientsCanBeVerifiedThenNothingIsSaid() throws Exception {
		root("own-client", "basicConstraints=CA:FALSE");
		issue("ca", "listed-client", "extendedKeyUsage=clientAuth");
		for (String name : List.of("ca", "chain-root", "for-clients-only", "own-client", "listed-client", "p256")) {
			assertThat(ofClients(name)).as(name).isNull();
		}
		ClientVerification users = new ClientVerification(CertificateVerification.REQUIRED, manager("chain-leaf"), null,
				false, null);
		assertThat(ServerChain.warning(new TlsHost("www", List.of(), users, Engine.anyPolicy()), (certificate) -> null))
			.isNull();
	}

	private static String ofClients(String... names) throws Exception {
		ClientVerification clients = new ClientVerification(CertificateVerification.REQUIRED, manager(names), null,
				true, null);
		return ServerChain.warning(new TlsHost("www", List.of(), clients, Engine.anyPolicy()), (certificate) -> null);
	}

	private static X509TrustManager manager(String... names) throws Exception {
		KeyStore trustStore = KeyStore.getInstance("PKCS12");
		trustStore.load(null, null);
		for (String name : names) {
			trustStore.setCertificateEntry(name, certificates.certificate(name + ".crt"));
		}
		TrustManagerFactory factory = TrustManagerFactory.getInstance(TrustManagerFactory.getDefaultAlgorithm());
		factory.init(trustStore);
		return (X509TrustManager) factory.getTrustManagers()[0];
	}

	private static List<String> warnings(String... names) {
		return chain(names).require(ClientVerification.NONE);
	}

	private static ServerChain chain(String... names) {
		HostKey key = new HostKey(null,
				Arrays.stream(names).map((name) -> certificates.certificate(name + ".crt")).toList());
		return new ServerChain("www", key,
				(certificate) -> "number %d in 'www.crt'".formatted(key.chain().indexOf(certificate) + 1));
	}

}
