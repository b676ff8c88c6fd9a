// Copyright 2026-present the original author or authors.
// SPDX-License-Identifier: Apache-2.0

package io.github.tomcatopenssl.test;

import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.security.GeneralSecurityException;
import java.security.KeyFactory;
import java.security.KeyStore;
import java.security.PrivateKey;
import java.security.cert.Certificate;
import java.security.cert.CertificateFactory;
import java.security.cert.X509Certificate;
import java.security.spec.PKCS8EncodedKeySpec;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Base64;
import java.util.Comparator;
import java.util.List;
import java.util.stream.Stream;

import javax.net.ssl.KeyManager;
import javax.net.ssl.KeyManagerFactory;
import javax.net.ssl.SSLContext;
import javax.net.ssl.TrustManager;
import javax.net.ssl.TrustManagerFactory;

/**
 * Certificates and keys that are created with the openssl command, once for all tests of
 * a JVM.
 */
public final class TestCertificates {

	public static final String PASSWORD = "correct horse";

	private static final DateTimeFormatter DATE = DateTimeFormatter.ofPattern("yyyyMMddHHmmss'Z'")
		.withZone(ZoneOffset.UTC);

	private static TestCertificates instance;

	private final Path folder;

	private TestCertificates() throws IOException {
		this.folder = Files.createTempDirectory("certificates");
		Runtime.getRuntime().addShutdownHook(new Thread(this::delete));
		ca("ca", "CN=Test CA");
		ca("other-ca", "CN=Other CA");
		ca("proxy-ca", "CN=Proxy CA");
		intermediate();
		server("rsa", "rsa:2048");
		server("p256", "ec", "-pkeyopt", "ec_paramgen_curve:P-256");
		server("p384", "ec", "-pkeyopt", "ec_paramgen_curve:P-384");
		server("ed25519", "ed25519");
		server("other", "ec", "-pkeyopt", "ec_paramgen_curve:P-256");
		leafOf("intermediate", "leaf");
		leafOf("ca", "client");
		leafOf("other-ca", "other-client");
		leafOf("proxy-ca", "proxy");
		dated("expired", -40);
		dated("not-yet-valid", 40);
		// OpenSSL before 3.5 cannot create them
		for (String name : List.of("ml-dsa-44.crt", "ml-dsa-44.key", "ml-dsa-65.crt", "ml-dsa-65.key", "ml-dsa-87.crt",
				"ml-dsa-87.key")) {
			try (InputStream resource = TestCertificates.class.getResourceAsStream(name)) {
				write(name, new String(resource.readAllBytes(), StandardCharsets.US_ASCII));
			}
		}
	}

	private void delete() {
		try (Stream<Path> files = Files.walk(this.folder)) {
			files.sorted(Comparator.reverseOrder()).forEach((file) -> file.toFile().delete());
		}
		catch (IOException | UncheckedIOException ex) {
			System.err.println("Could not delete " + this.folder + ": " + ex);
		}
	}

	public static synchronized TestCertificates get() {
		Provided.openssl();
		try {
			if (instance == null) {
				instance = new TestCertificates();
			}
			return instance;
		}
		catch (IOException ex) {
			throw new UncheckedIOException(ex);
		}
	}

	/**
	 * Return a file: {@code rsa.crt} and {@code rsa.key} and so on are self-signed pairs,
	 * {@code leaf.crt} is issued by {@code intermediate.crt} and that by {@code ca.crt}.
	 * @param name the name of the file
	 * @return the file
	 */
	public Path file(String name) {
		return this.folder.resolve(name);
	}

	/**
	 * Return the folder, which is deleted with everything in it when the JVM ends.
	 * @return the folder
	 */
	public Path folder() {
		return this.folder;
	}

	public Path write(String name, String content) {
		try {
			Path file = Files.writeString(file(name), content);
			Files.setPosixFilePermissions(file, PosixFilePermissions.fromString("rw-------"));
			return file;
		}
		catch (IOException ex) {
			throw new UncheckedIOException(ex);
		}
	}

	public String read(String name) {
		try {
			return Files.readString(file(name));
		}
		catch (IOException ex) {
			throw new UncheckedIOException(ex);
		}
	}

	/**
	 * Join files.
	 * @param name the name of the new file
	 * @param parts the names of the files
	 * @return the new file
	 */
	public Path join(String name, String... parts) {
		return write(name, String.join("", Arrays.stream(parts).map(this::read).toList()));
	}

	/**
	 * Return a context of a client that trusts some certificates and no other.
	 * @param names the names of the certificates' files
	 * @return the context
	 */
	public SSLContext trusting(String... names) throws IOException, GeneralSecurityException {
		SSLContext context = SSLContext.getInstance("TLS");
		context.init(null, trustManagers(names), null);
		return context;
	}

	TrustManager[] trustManagers(String... names) throws IOException, GeneralSecurityException {
		KeyStore trustStore = emptyKeyStore();
		for (String name : names) {
			trustStore.setCertificateEntry(name, certificate(name));
		}
		TrustManagerFactory factory = TrustManagerFactory.getInstance(TrustManagerFactory.getDefaultAlgorithm());
		factory.init(trustStore);
		return factory.getTrustManagers();
	}

	KeyManager[] keyManagers(String name) throws IOException, GeneralSecurityException {
		KeyStore keyStore = emptyKeyStore();
		keyStore.setKeyEntry(name, privateKey(name), new char[0], new Certificate[] { certificate(name + ".crt") });
		KeyManagerFactory factory = KeyManagerFactory.getInstance(KeyManagerFactory.getDefaultAlgorithm());
		factory.init(keyStore, new char[0]);
		return factory.getKeyManagers();
	}

	/**
	 * Read a certificate.
	 * @param file the name of its file
	 * @return the certificate
	 */
	public X509Certificate certificate(String file) {
		return chain(file)[0];
	}

	X509Certificate[] chain(String file) {
		try (InputStream in = Files.newInputStream(file(file))) {
			return CertificateFactory.getInstance("X.509").generateCertificates(in).toArray(X509Certificate[]::new);
		}
		catch (IOException | GeneralSecurityException ex) {
			throw new IllegalStateException(ex);
		}
	}

	/**
	 * Read a private key.
	 * @param name the name of its file and of that of its certificate, without their
	 * extensions
	 * @return the key
	 */
	public PrivateKey privateKey(String name) {
		byte[] key = Base64.getMimeDecoder().decode(read(name + ".key").replaceAll("-----.*-----", ""));
		try {
			return KeyFactory.getInstance(certificate(name + ".crt").getPublicKey().getAlgorithm())
				.generatePrivate(new PKCS8EncodedKeySpec(key));
		}
		catch (GeneralSecurityException ex) {
			throw new IllegalStateException(ex);
		}
	}

	private static KeyStore emptyKeyStore() throws IOException, GeneralSecurityException {
		KeyStore keyStore = KeyStore.getInstance("PKCS12");
		keyStore.load(null, null);
		return keyStore;
	}

	/**
	 * Run the openssl command in the folder of the files.
	 * @param arguments the arguments; those that name a file with an extension mean one
	 * in the folder
	 */
	public void openssl(String... arguments) {
		List<String> command = new ArrayList<>(List.of("openssl"));
		for (String argument : arguments) {
			command.add(
					argument.matches("[\\w-]+\\.(crt|key|der|p12|csr|cnf|ext)") ? file(argument).toString() : argument);
		}
		Commands.run("", command).orFail();
	}

	/**
	 * Issue a certificate for a client.
	 * @param issuer the name of the CA
	 * @param name the name of the client
	 * @param extensions the extensions, as OpenSSL's configuration files have them
	 * @param start when it becomes valid, as in {@code 20260131000000Z}
	 * @param end when it expires
	 */
	public void issue(String issuer, String name, String extensions, String start, String end) {
		openssl("req", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes", "-subj", "/CN=" + name,
				"-keyout", name + ".key", "-out", name + ".csr");
		write(name + ".ext", extensions + "\n");
		database(issuer);
		openssl("ca", "-batch", "-notext", "-config", issuer + ".cnf", "-extfile", name + ".ext", "-startdate", start,
				"-enddate", end, "-in", name + ".csr", "-out", name + ".crt");
	}

	/**
	 * Revoke a certificate; it is on the next revocation list of its CA.
	 * @param issuer the name of the CA
	 * @param name the name of the client
	 */
	public void revoke(String issuer, String name) {
		database(issuer);
		openssl("ca", "-config", issuer + ".cnf", "-revoke", name + ".crt");
	}

	/**
	 * Make a revocation list.
	 * @param issuer the name of the CA
	 * @param name the name of the file
	 * @param options further options of {@code openssl ca}
	 * @return the file
	 */
	public Path revocationList(String issuer, String name, String... options) {
		database(issuer);
		List<String> arguments = new ArrayList<>(
				List.of("ca", "-gencrl", "-config", issuer + ".cnf", "-out", file(name).toString()));
		arguments.addAll(List.of((options.length > 0) ? options : new String[] { "-crldays", "7" }));
		openssl(arguments.toArray(String[]::new));
		return file(name);
	}

	private void database(String ca) {
		if (Files.exists(file(ca + ".cnf"))) {
			return;
		}
		write(ca + ".index", "");
		write(ca + ".crlnumber", "01\n");
		write(ca + ".cnf", """
				[ca]
				default_ca = test
				[test]
				database = %1$s/%2$s.index
				crlnumber = %1$s/%2$s.crlnumber
				new_certs_dir = %1$s
				rand_serial = yes
				unique_subject = no
				default_md = sha256
				policy = any
				certificate = %1$s/%2$s.crt
				private_key = %1$s/%2$s.key
				[any]
				commonName = supplied
				""".formatted(this.folder, ca));
	}

	/**
	 * Return CAs that differ only in their names, which take 128 bytes in a list of them.
	 * They cannot issue certificates, because their signatures are not valid.
	 * @param number how many
	 * @return the certificates
	 */
	public List<X509Certificate> cas(int number) throws IOException, GeneralSecurityException {
		if (!Files.exists(file("cas.der"))) {
			openssl("req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes", "-days", "30",
					"-subj", "/O=" + "x".repeat(64) + "/CN=CA number 000 of a list that is so big", "-keyout",
					"cas.key", "-outform", "DER", "-out", "cas.der");
		}
		String template = Files.readString(file("cas.der"), StandardCharsets.ISO_8859_1);
		CertificateFactory factory = CertificateFactory.getInstance("X.509");
		List<X509Certificate> cas = new ArrayList<>();
		for (int i = 0; i < number; i++) {
			String ca = template.replace("number 000", "number %03d".formatted(i));
			cas.add((X509Certificate) factory
				.generateCertificate(new ByteArrayInputStream(ca.getBytes(StandardCharsets.ISO_8859_1))));
		}
		return cas;
	}

	/**
	 * Return CAs of invented names that certify each other: each certificate of a name is
	 * issued by the next name. The certificates and key of the first name are in the
	 * files {@code crossed-NAMES-0} as well, and all certificates in
	 * {@code crossed-NAMES.crt}.
	 * @param names how many names
	 * @param each how many certificates of each name
	 * @return the certificates
	 */
	public List<X509Certificate> crossed(int names, int each) {
		String prefix = "crossed-" + names;
		for (int i = 0; i < names; i++) {
			String name = prefix + "-" + i;
			ca(name, "CN=" + name);
			openssl("req", "-new", "-key", name + ".key", "-subj", "/CN=" + name, "-out", name + ".csr");
		}
		write("crossed.ext", "basicConstraints=critical,CA:TRUE\nkeyUsage=keyCertSign\n");
		List<String> files = new ArrayList<>();
		for (int i = 0; i < each * names; i++) {
			String issuer = prefix + "-" + (i + 1) % names;
			files.add("%s-issued-%d.crt".formatted(prefix, i));
			openssl("x509", "-req", "-in", prefix + "-" + i % names + ".csr", "-CA", issuer + ".crt", "-CAkey",
					issuer + ".key", "-set_serial", String.valueOf(i + 1), "-days", "30", "-extfile", "crossed.ext",
					"-out", files.get(i));
		}
		join(prefix + ".crt", files.toArray(String[]::new));
		return files.stream().map(this::certificate).toList();
	}

	private void ca(String name, String subject) {
		openssl("req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes", "-days", "30",
				"-subj", "/" + subject, "-keyout", name + ".key", "-out", name + ".crt");
	}

	private void intermediate() {
		write("intermediate.ext", "basicConstraints=critical,CA:TRUE\nkeyUsage=keyCertSign,cRLSign\n");
		openssl("req", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes", "-subj", "/CN=Intermediate CA",
				"-keyout", "intermediate.key", "-out", "intermediate.csr");
		openssl("x509", "-req", "-in", "intermediate.csr", "-CA", "ca.crt", "-CAkey", "ca.key", "-CAcreateserial",
				"-days", "30", "-extfile", "intermediate.ext", "-out", "intermediate.crt");
	}

	private void server(String name, String... key) {
		List<String> arguments = new ArrayList<>(List.of("req", "-x509", "-newkey"));
		arguments.addAll(List.of(key));
		arguments.addAll(List.of("-nodes", "-days", "30", "-subj", "/CN=" + name, "-addext",
				"subjectAltName=DNS:localhost,DNS:" + name + ".example.com", "-keyout", name + ".key", "-out",
				name + ".crt"));
		openssl(arguments.toArray(String[]::new));
	}

	private void leafOf(String issuer, String name) {
		write("leaf.ext", "subjectAltName=DNS:localhost\n");
		openssl("req", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes", "-subj", "/CN=" + name,
				"-keyout", name + ".key", "-out", name + ".csr");
		openssl("x509", "-req", "-in", name + ".csr", "-CA", issuer + ".crt", "-CAkey", issuer + ".key",
				"-CAcreateserial", "-days", "30", "-extfile", "leaf.ext", "-out", name + ".crt");
	}

	// With the files of a CA, because openssl before 3.4 can make such a certificate only
	// so
	private void dated(String name, int start) {
		Instant begin = Instant.now().plus(Duration.ofDays(start));
		openssl("req", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes", "-subj", "/CN=" + name,
				"-keyout", name + ".key", "-out", name + ".csr");
		database(name);
		openssl("ca", "-batch", "-notext", "-selfsign", "-config", name + ".cnf", "-startdate", DATE.format(begin),
				"-enddate", DATE.format(begin.plus(Duration.ofDays(10))), "-in", name + ".csr", "-out", name + ".crt");
		join(name + ".crt", name + ".key", name + ".crt");
	}

}
