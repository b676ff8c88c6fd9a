// Copyright 2026-present the original author or authors.
// SPDX-License-Identifier: Apache-2.0

package io.github.tomcatopenssl.acme;

import java.io.Closeable;
import java.io.IOException;
import java.io.StringReader;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.security.KeyPair;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.security.PrivateKey;
import java.security.cert.X509Certificate;
import java.time.Duration;
import java.time.Instant;
import java.time.format.DateTimeParseException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.Function;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;

import io.github.tomcatopenssl.internal.host.PemBlocks;
import io.github.tomcatopenssl.internal.store.FolderStore;
import io.github.tomcatopenssl.internal.store.SharedStore;
import io.github.tomcatopenssl.internal.store.StoreLock;
import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;
import org.bouncycastle.asn1.pkcs.PrivateKeyInfo;
import org.bouncycastle.asn1.x509.SubjectPublicKeyInfo;
import org.bouncycastle.openssl.PEMParser;
import org.bouncycastle.openssl.jcajce.JcaPEMKeyConverter;
import org.jspecify.annotations.Nullable;

/**
 * Everything that has to survive a restart: the key of the account at the CA, orders, and
 * certificates with their keys. Each has a file, in a folder that replicas can share. In
 * a {@link SharedStore} of another kind, the path of the file in the folder is the name
 * of the entry.
 */
class AcmeStore {

	private static final Log logger = LogFactory.getLog(AcmeStore.class);

	/**
	 * How far ahead the time of the next attempt can be. Let's Encrypt's limits are for a
	 * week.
	 */
	static final Duration LONGEST_LIMIT = Duration.ofDays(8);

	private static final int NAME_BYTES = 4;

	private static final String FAILURES = ".failures";

	private static final String PAUSE = ".pause";

	private static final String LIMITS = "limits";

	/**
	 * How many characters of a host name, which has up to 253, the name of a file begins
	 * with. File systems allow 255, and the rest takes up to 27 of them.
	 */
	private static final int LONGEST_NAME = 200;

	/**
	 * The files of certificates, those of all CAs.
	 */
	private static final Pattern CERTIFICATE = Pattern.compile("([^/]+/)?[^/]+-(ec|rsa)\\.pem");

	/**
	 * The files of all CAs but those of open challenges.
	 */
	private static final Pattern KEPT = Pattern
		.compile("([^/]+/)?[^/]+(?<!\\.order)\\.(pem|failures|pause)|[^/]+/limits");

	private final SharedStore shared;

	private final Path folder;

	private final String name;

	private final List<StoreLock> held = new CopyOnWriteArrayList<>();

	private final OpenChallenges openChallenges = new OpenChallenges(this::readChallenges);

	/**
	 * Create a new store.
	 * @param directory the folder of all CAs
	 * @param ca the ACME directory of the CA
	 * @param domains the domains of the certificates, in any order; none, if only what
	 * all domains have in common is needed
	 */
	AcmeStore(Path directory, URI ca, List<String> domains) {
		this(new FolderStore(directory), ca, domains);
	}

	/**
	 * Create a new store.
	 * @param shared what the replicas share
	 * @param ca the ACME directory of the CA
	 * @param domains the domains of the certificates, in any order
	 */
	AcmeStore(SharedStore shared, URI ca, List<String> domains) {
		this.shared = shared;
		this.folder = shared.file(shortened(ca.getHost()) + "-" + digest(ca.toString()));
		List<String> sorted = domains.stream().sorted().toList();
		this.name = sorted.stream()
			.findFirst()
			.map((first) -> shortened(first).replaceAll("[*:]", "_") + "-" + digest(String.join(" ", sorted)))
			.orElse("");
	}

	private static String shortened(String name) {
		return (name.length() > LONGEST_NAME) ? name.substring(0, LONGEST_NAME) : name;
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

	// Of an entry, whose file is where the store has it
	private String name(Path file) {
		return this.shared.file("").relativize(file).toString().replace(file.getFileSystem().getSeparator(), "/");
	}

	/**
	 * Return where a file is, as messages show it.
	 * @param file the file
	 * @return the place
	 */
	String describe(Path file) {
		return this.shared.describe(name(file));
	}

	private AcmeStoreException failure(Path file, IOException ex) {
		return (ex instanceof AcmeStoreException failure) ? failure : new AcmeStoreException(describe(file), ex);
	}

	/**
	 * Return whether a file is for longer than an order.
	 * @param name the name of the file in the store
	 * @return {@code false} for an open challenge, and for a file of somebody else
	 */
	static boolean isKept(String name) {
		return KEPT.matcher(name).matches();
	}

	/**
	 * Return whether one content of a file was written after another, by the clock of the
	 * CA.
	 * @param name the name of the file in the store
	 * @param one the content
	 * @param other the other content
	 * @return {@code false} if they do not say it
	 */
	static boolean isNewer(String name, String one, String other) {
		return time(name, one).isAfter(time(name, other));
	}

	private static Instant time(String name, String content) {
		if (CERTIFICATE.matcher(name).matches()) {
			AcmeCertificate certificate = AcmeCertificate.parse(content, name);
			return (certificate != null && !certificate.isPlaceholder()) ? certificate.begin() : Instant.EPOCH;
		}
		if (name.endsWith(FAILURES)) {
			return Failures.parse(content).at();
		}
		return name.endsWith(PAUSE) ? Pause.parse(content).obtained()
				: name.endsWith("/" + LIMITS) ? Limits.parse(content).counted() : Instant.EPOCH;
	}

	/**
	 * Create the folder, which only its owner can enter.
	 * @throws IOException if it cannot be created, or cannot be written to
	 */
	void create() throws IOException {
		try {
			this.shared.createFolder(name(this.folder));
			this.shared.createFolder(name(challenges()));
		}
		catch (IOException ex) {
			throw failure(this.folder, ex);
		}
	}

	private Path challenges() {
		return this.folder.resolve("challenges");
	}

	/**
	 * Return the file with a certificate, its chain and its key.
	 * @param keyType the type of the key
	 * @return the file
	 */
	Path certificate(String keyType) {
		return this.folder.resolve(this.name + "-" + keyType + ".pem");
	}

	/**
	 * Read a certificate.
	 * @param file the file
	 * @return the certificate, or {@code null} if the file does not exist or is damaged
	 * @throws IOException if the file cannot be read
	 */
	@Nullable AcmeCertificate readCertificate(Path file) throws IOException {
		return AcmeCertificate.parse(read(file), describe(file));
	}

	/**
	 * Have the file of a certificate, which is also replaced when another replica has
	 * replaced the certificate.
	 * @param file the file
	 * @return the file
	 * @throws IOException if the certificate cannot be read
	 */
	Path follow(Path file) throws IOException {
		try {
			this.shared.keepCopy(name(file));
			return file;
		}
		catch (IOException ex) {
			throw failure(file, ex);
		}
	}

	/**
	 * Return all certificates, also those of other CAs and for other domains. Those that
	 * cannot be read are left out.
	 * @return the certificates
	 * @throws IOException if the folder cannot be read
	 */
	List<AcmeCertificate> certificates() throws IOException {
		List<AcmeCertificate> certificates = new ArrayList<>();
		for (String name : names("")) {
			if (CERTIFICATE.matcher(name).matches()) {
				try {
					certificates.addAll(Stream.ofNullable(readCertificate(this.shared.file(name))).toList());
				}
				catch (IOException ex) {
					logger.debug("'%s' cannot be read".formatted(name), ex);
				}
			}
		}
		return certificates;
	}

	private List<String> names(String prefix) throws IOException {
		try {
			return this.shared.changes(prefix, null).names();
		}
		catch (IOException ex) {
			throw failure(this.folder, ex);
		}
	}

	/**
	 * Return the certificates of this CA that replicas have replaced. A folder is not
	 * asked, because that would read all of its files: replicas find a renewed one there
	 * when they look whether it is due.
	 * @param since the mark of an earlier answer, or {@code null} at first
	 * @return their files, and the mark for the next question
	 * @throws IOException if the store cannot be read
	 */
	SharedStore.Changes changedCertificates(@Nullable String since) throws IOException {
		return this.shared.isFolder() ? new SharedStore.Changes(List.of(), "")
				: this.shared.changes(name(this.folder) + "/", since);
	}

	/**
	 * Return the name of a file in the store.
	 * @param keyType the type of the key
	 * @return the name of {@link #certificate}
	 */
	String certificateName(String keyType) {
		return name(certificate(keyType));
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
	 * @param serverName the server name that the CA asks for
	 * @return the file
	 */
	Path challenge(String serverName) {
		String shortened = shortened(serverName);
		String name = shortened.equals(serverName) ? serverName : shortened + "-" + digest(serverName);
		return challenges().resolve(name + ".pem");
	}

	/**
	 * Return the open challenge of a name, whichever replica has opened it.
	 * @param serverName the server name that somebody asks for
	 * @return the certificate and its key, or {@code null} if there is none
	 * @throws IOException if it cannot be read
	 */
	@Nullable String openChallenge(String serverName) throws IOException {
		Path file = challenge(serverName);
		return this.shared.isFolder() ? read(file) : this.openChallenges.find(name(file));
	}

	/**
	 * Open a challenge: all replicas answer it when this method returns.
	 * @param file the file of the challenge
	 * @param content the certificate and its key
	 * @throws IOException if it cannot be written
	 * @throws InterruptedException if the application stops
	 */
	void open(Path file, String content) throws IOException, InterruptedException {
		write(file, content);
		if (!this.shared.isFolder()) {
			Thread.sleep(OpenChallenges.VALIDITY.toMillis());
		}
	}

	private Map<String, String> readChallenges() throws IOException {
		Map<String, String> contents = new HashMap<>();
		for (String name : names(name(challenges()) + "/")) {
			String content = read(this.shared.file(name));
			if (content != null) {
				contents.put(name, content);
			}
		}
		return contents;
	}

	/**
	 * Return the content of a file.
	 * @param file the file
	 * @return the content, or {@code null} if there is no such file
	 * @throws IOException if the file cannot be read
	 */
	@Nullable String read(Path file) throws IOException {
		try {
			SharedStore.Entry entry = this.shared.read(name(file));
			return (entry != null) ? entry.content() : null;
		}
		catch (IOException ex) {
			throw failure(file, ex);
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

	static String pem(KeyPair key) {
		return PemBlocks.of(key.getPrivate()) + PemBlocks.of(key.getPublic());
	}

	static String pem(PrivateKey key, List<X509Certificate> certificates) {
		return certificates.stream().map(PemBlocks::of).collect(Collectors.joining()) + PemBlocks.of(key);
	}

	/**
	 * Replace a file. The content is on the disk when this method returns.
	 * @param file the file
	 * @param content the new content
	 * @throws IOException if it cannot be replaced
	 */
	void write(Path file, String content) throws IOException {
		try {
			this.shared.write(name(file), content, this.held);
		}
		catch (IOException ex) {
			throw failure(file, ex);
		}
	}

	/**
	 * Delete a file if it exists.
	 * @param file the file
	 * @throws IOException if it cannot be deleted
	 */
	void delete(Path file) throws IOException {
		try {
			this.shared.delete(name(file), this.held);
		}
		catch (IOException ex) {
			throw failure(file, ex);
		}
	}

	private static <T> T parse(@Nullable String text, Function<String[], T> parser, T none) {
		try {
			return parser.apply(String.valueOf(text).split(" "));
		}
		catch (NumberFormatException | DateTimeParseException | ArrayIndexOutOfBoundsException ex) {
			// There is no file, or it is damaged
			return none;
		}
	}

	/**
	 * Return the failures of all replicas since the last success.
	 * @return the failures
	 * @throws IOException if the file cannot be read
	 */
	Failures failures() throws IOException {
		return Failures.parse(read(failuresFile()));
	}

	void write(Failures failures) throws IOException {
		if (!failures.equals(Failures.NONE)) {
			write(failuresFile(), "%d %s %s %s %s".formatted(failures.count(), failures.restart(), failures.next(),
					failures.at(), failures.machine()));
		}
		else {
			delete(failuresFile());
		}
	}

	Path failuresFile() {
		return this.folder.resolve(this.name + FAILURES);
	}

	/**
	 * Return the certificates that were due as soon as they arrived.
	 * @param keyType the type of their keys
	 * @return the certificates since the last one that was not
	 * @throws IOException if the file cannot be read
	 */
	Pause pause(String keyType) throws IOException {
		return Pause.parse(read(pauseFile(keyType)));
	}

	void write(String keyType, Pause pause) throws IOException {
		if (pause.dueAtOnce() > 0) {
			write(pauseFile(keyType), "%d %s".formatted(pause.dueAtOnce(), pause.obtained()));
		}
		else {
			delete(pauseFile(keyType));
		}
	}

	Path pauseFile(String keyType) {
		return this.folder.resolve(this.name + "-" + keyType + PAUSE);
	}

	/**
	 * Return what was counted for all domains of the CA.
	 * @return the limits
	 * @throws IOException if the file cannot be read
	 */
	Limits limits() throws IOException {
		return Limits.parse(read(limitsFile()));
	}

	void write(Limits limits) throws IOException {
		write(limitsFile(), "%s %s %d".formatted(limits.counted(), limits.until(), limits.refusals()));
	}

	private Path limitsFile() {
		return this.folder.resolve(LIMITS);
	}

	/**
	 * Begin to order certificates for these domains, if nobody else does.
	 * @return the lock, or {@code null} if another replica, or another application of
	 * this JVM, has it
	 * @throws IOException if the folder cannot be used
	 */
	@Nullable Closeable tryLock() throws IOException {
		Path file = this.folder.resolve(this.name + ".lock");
		try {
			StoreLock lock = this.shared.tryLock(name(file));
			return (lock != null) ? hold(lock) : null;
		}
		catch (IOException ex) {
			throw failure(file, ex);
		}
	}

	private Closeable hold(StoreLock lock) {
		this.held.add(lock);
		return () -> {
			this.held.remove(lock);
			lock.close();
		};
	}

	/**
	 * Replace what several applications write: the account, and certificates.
	 * @param work reads and writes it, while nobody else does
	 * @param <T> the type of what it returns
	 * @return what it returns
	 * @throws IOException if the folder cannot be used, or if another process does not
	 * end its work
	 */
	<T> T exclusively(Work<T> work) throws IOException {
		Closeable lock = lock(this.folder.resolve("write.lock"));
		try (lock) {
			return work.run();
		}
	}

	private Closeable lock(Path file) throws IOException {
		try {
			return hold(this.shared.lock(name(file)));
		}
		catch (IOException ex) {
			throw failure(file, ex);
		}
	}

	/**
	 * Reads and writes files.
	 *
	 * @param <T> the type of what it returns
	 */
	interface Work<T> {

		T run() throws IOException;

	}

	/**
	 * Certificates that were due as soon as they arrived.
	 *
	 * @param dueAtOnce how many in a row
	 * @param obtained when the last one arrived, by the clock of the CA
	 */
	record Pause(int dueAtOnce, Instant obtained) {

		static final Pause NONE = new Pause(0, Instant.EPOCH);

		private static Pause parse(@Nullable String text) {
			return AcmeStore.parse(text, (words) -> {
				int dueAtOnce = Integer.parseInt(words[0]);
				return (dueAtOnce > 0) ? new Pause(dueAtOnce, Instant.parse(words[1])) : NONE;
			}, NONE);
		}

	}

	/**
	 * What {@link AcmeLimits} counts, by the clock of the CA.
	 *
	 * @param counted until when the orders that were made would take, one after another
	 * @param until when the next order can be made after the CA has refused one
	 * @param refusals how many orders in a row the CA has refused because there were too
	 * many
	 */
	record Limits(Instant counted, Instant until, int refusals) {

		static final Limits NONE = new Limits(Instant.EPOCH, Instant.EPOCH, 0);

		private static Limits parse(@Nullable String text) {
			return AcmeStore.parse(text,
					(words) -> new Limits(Instant.parse(words[0]), Instant.parse(words[1]), Integer.parseInt(words[2])),
					NONE);
		}

	}

	/**
	 * Attempts that have failed. All times but the last are by the clock of the CA.
	 *
	 * @param count how many in a row; 0 if the CA limits requests and nothing was due
	 * @param restart when a process that has just been started makes its next attempt
	 * @param next when the next attempt is
	 * @param at when the last one was
	 * @param machine when the last one was by the clock of the machine
	 */
	record Failures(int count, Instant restart, Instant next, Instant at, Instant machine) {

		static final Failures NONE = new Failures(0, Instant.EPOCH, Instant.EPOCH, Instant.EPOCH, Instant.EPOCH);

		private static Failures parse(@Nullable String text) {
			Failures failures = AcmeStore.parse(text, (words) -> new Failures(Integer.parseInt(words[0]),
					Instant.parse(words[1]), Instant.parse(words[2]), Instant.parse(words[3]), Instant.parse(words[4])),
					NONE);
			return failures.isPlausible() ? failures : NONE;
		}

		private boolean isPlausible() {
			return this.count >= 0 && !this.restart.isAfter(this.next)
					&& Duration.between(this.at, this.next).compareTo(LONGEST_LIMIT) <= 0;
		}

		/**
		 * Return these times for an attempt that was not necessary.
		 * @return the times
		 */
		Failures notCounted() {
			return new Failures(0, this.restart, this.next, this.at, this.machine);
		}

		/**
		 * Return the time to wait before the CA is asked, even for the time. A clock that
		 * is wrong or was changed makes this wait no longer than it was at first.
		 * @param restarted whether the process has just been started
		 * @param machine the time of the machine
		 * @return the time that is left
		 */
		Duration left(boolean restarted, Instant machine) {
			Duration all = Duration.between(this.at, restarted ? this.restart : this.next);
			Duration passed = Duration.between(this.machine, machine);
			return passed.isNegative() ? all : all.minus(passed);
		}

	}

}
