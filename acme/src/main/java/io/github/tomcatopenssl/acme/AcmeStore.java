// Copyright 2026-present the original author or authors.
// SPDX-License-Identifier: Apache-2.0

package io.github.tomcatopenssl.acme;

import java.io.Closeable;
import java.io.IOException;
import java.io.StringReader;
import java.io.StringWriter;
import java.net.URI;
import java.nio.channels.FileChannel;
import java.nio.channels.FileLock;
import java.nio.channels.OverlappingFileLockException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.security.KeyPair;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.security.PrivateKey;
import java.security.cert.X509Certificate;
import java.time.Instant;
import java.time.format.DateTimeParseException;
import java.util.HexFormat;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.stream.Stream;

import io.github.tomcatopenssl.certificate.PrivateFiles;
import org.bouncycastle.asn1.pkcs.PrivateKeyInfo;
import org.bouncycastle.asn1.x509.SubjectPublicKeyInfo;
import org.bouncycastle.openssl.PEMParser;
import org.bouncycastle.openssl.jcajce.JcaPEMKeyConverter;
import org.bouncycastle.openssl.jcajce.JcaPEMWriter;
import org.bouncycastle.openssl.jcajce.JcaPKCS8Generator;
import org.jspecify.annotations.Nullable;

/**
 * The folder with everything that has to survive a restart: the key of the account at the
 * CA, orders, and certificates with their keys. Each file is replaced as a whole, so that
 * a crash leaves the previous one. Replicas can share the folder.
 */
class AcmeStore {

	private static final int NAME_BYTES = 4;

	/**
	 * The files that this JVM has locked. Closing any channel of a file ends the lock of
	 * the process (POSIX), so no second one is opened.
	 */
	private static final Set<Path> LOCKED = ConcurrentHashMap.newKeySet();

	private final Path folder;

	private final String name;

	/**
	 * Create a new store.
	 * @param directory the folder of all CAs
	 * @param ca the ACME directory of the CA
	 * @param domains the domains of the certificates
	 */
	AcmeStore(Path directory, URI ca, List<String> domains) {
		this.folder = directory.resolve(ca.getHost() + "-" + digest(ca.toString()));
		this.name = domains.get(0).replace('*', '_') + "-"
				+ digest(String.join(" ", domains.stream().sorted().toList()));
	}

	private static String digest(String text) {
		try {
			byte[] digest = MessageDigest.getInstance("SHA-256").digest(text.getBytes(StandardCharsets.UTF_8));
			return HexFormat.of().formatHex(digest, 0, NAME_BYTES);
		}
		catch (NoSuchAlgorithmException ex) {
			throw new IllegalStateException(ex);
		}
	}

	/**
	 * Create the folder, which only its owner can enter.
	 * @throws IOException if it cannot be created, or cannot be written to
	 */
	void create() throws IOException {
		PrivateFiles.createFolder(this.folder);
		PrivateFiles.createFolder(this.folder.resolve("challenges"));
	}

	/**
	 * Return the file with a certificate, its chain and its key.
	 * @param keyType the type of the key
	 * @return the file
	 */
	Path certificate(String keyType) {
		return this.folder.resolve(this.name + "-" + keyType + ".pem");
	}

	Path account() {
		return this.folder.resolve("account.pem");
	}

	/**
	 * Return the file with the key that an order is for.
	 * @param keyType the type of the key
	 * @return the file
	 */
	Path orderKey(String keyType) {
		return this.folder.resolve(this.name + "-" + keyType + ".order.pem");
	}

	/**
	 * Return the file with the location of an order.
	 * @param keyType the type of the key
	 * @return the file
	 */
	Path order(String keyType) {
		return this.folder.resolve(this.name + "-" + keyType + ".order");
	}

	/**
	 * Return the file with the certificate of an open challenge and its key.
	 * @param domain the domain
	 * @return the file
	 */
	Path challenge(String domain) {
		return this.folder.resolve("challenges").resolve(domain + ".pem");
	}

	/**
	 * Return the content of a file.
	 * @param file the file
	 * @return the content, or {@code null} if there is no such file
	 * @throws IOException if the file cannot be read
	 */
	static @Nullable String read(Path file) throws IOException {
		try {
			return Files.readString(file);
		}
		catch (NoSuchFileException ex) {
			return null;
		}
	}

	/**
	 * Read a key.
	 * @param pem what {@link #pem(KeyPair)} has returned
	 * @return the key
	 * @throws IOException if it is something else
	 */
	static KeyPair key(String pem) throws IOException {
		try (PEMParser parser = new PEMParser(new StringReader(pem))) {
			JcaPEMKeyConverter converter = new JcaPEMKeyConverter();
			PrivateKey privateKey = converter.getPrivateKey((PrivateKeyInfo) parser.readObject());
			return new KeyPair(converter.getPublicKey((SubjectPublicKeyInfo) parser.readObject()), privateKey);
		}
		catch (ClassCastException | NullPointerException ex) {
			throw new IOException("the file does not contain a private and a public key", ex);
		}
	}

	static String pem(KeyPair key) throws IOException {
		return pem(new JcaPKCS8Generator(key.getPrivate(), null), key.getPublic());
	}

	static String pem(PrivateKey key, List<X509Certificate> certificates) throws IOException {
		return pem(Stream.concat(certificates.stream(), Stream.of(new JcaPKCS8Generator(key, null))).toArray());
	}

	private static String pem(Object... objects) throws IOException {
		StringWriter pem = new StringWriter();
		try (JcaPEMWriter writer = new JcaPEMWriter(pem)) {
			for (Object object : objects) {
				writer.writeObject(object);
			}
		}
		return pem.toString();
	}

	/**
	 * Replace a file. The content is on the disk when this method returns.
	 * @param file the file
	 * @param content the new content
	 * @throws IOException if it cannot be replaced
	 */
	void write(Path file, String content) throws IOException {
		// Applications with other domains have another lock, and write the same account
		PrivateFiles.replace(file, this.folder.resolve(this.name + ".tmp"), content);
	}

	/**
	 * Return the failures of all replicas since the last success.
	 * @return the failures
	 * @throws IOException if the file cannot be read
	 */
	Failures failures() throws IOException {
		String[] content = String.valueOf(read(failuresFile())).split(" ");
		try {
			return new Failures(Integer.parseInt(content[0]), Instant.parse(content[1]));
		}
		catch (NumberFormatException | DateTimeParseException | ArrayIndexOutOfBoundsException ex) {
			// There is no file, or it is damaged
			return Failures.NONE;
		}
	}

	void write(Failures failures) throws IOException {
		if (failures.count() > 0) {
			write(failuresFile(), failures.count() + " " + failures.next());
		}
		else {
			Files.deleteIfExists(failuresFile());
		}
	}

	private Path failuresFile() {
		return this.folder.resolve(this.name + ".failures");
	}

	/**
	 * Lock the files of these domains if nobody else has. The operating system ends the
	 * lock with the process.
	 * @return closes the lock, or {@code null} if another replica, or another application
	 * of this JVM, has it
	 * @throws IOException if they cannot be locked
	 */
	@Nullable Closeable tryLock() throws IOException {
		Path file = this.folder.resolve(this.name + ".lock").toAbsolutePath();
		if (!LOCKED.add(file)) {
			return null;
		}
		FileChannel channel = null;
		FileLock lock = null;
		try {
			channel = PrivateFiles.open(file);
			lock = channel.tryLock();
			return (lock != null) ? new Lock(file, channel) : null;
		}
		catch (OverlappingFileLockException ex) {
			// An application in another class loader of this JVM
			return null;
		}
		finally {
			if (lock == null) {
				new Lock(file, channel).close();
			}
		}
	}

	/**
	 * Attempts that have failed.
	 *
	 * @param count how many in a row
	 * @param next when the next attempt is
	 */
	record Failures(int count, Instant next) {

		static final Failures NONE = new Failures(0, Instant.EPOCH);

	}

	private record Lock(Path file, @Nullable FileChannel channel) implements Closeable {

		@Override
		public void close() throws IOException {
			try {
				if (this.channel != null) {
					this.channel.close();
				}
			}
			finally {
				LOCKED.remove(this.file);
			}
		}

	}

}
