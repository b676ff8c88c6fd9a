// Copyright 2026-present the original author or authors.
// SPDX-License-Identifier: Apache-2.0

package io.github.tomcatopenssl.internal.certificate;

import java.io.File;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.time.Clock;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Queue;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.stream.Collectors;

import io.github.tomcatopenssl.SettingName;
import io.github.tomcatopenssl.TlsSettingException;
import io.github.tomcatopenssl.certificate.CertificateReloads.Status;
import io.github.tomcatopenssl.internal.host.CertificateHost;
import io.github.tomcatopenssl.internal.host.CertificateHosts;
import io.github.tomcatopenssl.internal.host.HostKey;
import io.github.tomcatopenssl.internal.pem.PemFile;
import io.github.tomcatopenssl.internal.pem.PemSource.Content;
import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;
import org.jspecify.annotations.Nullable;

import org.springframework.core.io.Resource;
import org.springframework.core.io.ResourceLoader;

/**
 * A folder of certificates, each of which makes a host. It is polled, because network
 * file systems and some container mounts deliver no events: the time stamp of the folder
 * shows what was added, those of the certificates what was replaced or removed. A
 * certificate that cannot be used is refused alone.
 */
final class CertificateDirectory {

	private static final Log logger = LogFactory.getLog(CertificateDirectory.class);

	/**
	 * Begins the names of the hosts, and is the name of the status.
	 */
	static final String NAME = "certificate-directory";

	/**
	 * The files of a subfolder: those of a mounted secret, and those of certbot.
	 */
	private static final List<List<String>> PAIRS = List.of(List.of("tls.crt", "tls.key"),
			List.of("fullchain.pem", "privkey.pem"));

	/**
	 * How often to look at the time stamps. With the quiet period, changes take effect
	 * within 10 seconds.
	 */
	private static final Duration INTERVAL = Duration.ofSeconds(6);

	/**
	 * How often to list the folder even if its time stamp says that nothing was added, in
	 * nanoseconds.
	 */
	private static final long LISTING_INTERVAL = Duration.ofMinutes(1).toNanos();

	/**
	 * How long the folder is listed each time after a change, in milliseconds: twice the
	 * interval between two looks at it.
	 */
	private static final long LISTING_INTERVAL_IF_YOUNG = 2 * INTERVAL.toMillis();

	/**
	 * The longest pause between two attempts to use a certificate that cannot be used.
	 */
	private static final Duration LONGEST_PAUSE = Duration.ofMinutes(1);

	/**
	 * How much of each second is for the handshakes in memory with certificates that were
	 * there at the start, in nanoseconds.
	 */
	private static final long TRIAL_TIME = Duration.ofMillis(250).toNanos();

	/**
	 * The most certificates or problems that a message names.
	 */
	private static final int MOST_NAMED = 3;

	private final String property;

	private final File folder;

	private final CertificateHosts hosts;

	private final ResourceLoader resourceLoader;

	private final boolean reloadOnUpdate;

	private final Duration interval;

	private final Duration quietPeriod;

	private final Clock clock;

	/**
	 * The certificates by the names of their files or subfolders.
	 */
	private final Map<String, Entry> entries = new HashMap<>();

	/**
	 * Subfolders without a certificate.
	 */
	private final Set<String> empty = new HashSet<>();

	/**
	 * Certificates that have changed, or cannot be used.
	 */
	private final Set<Entry> pending = new LinkedHashSet<>();

	/**
	 * Why certificates cannot be used, by the names of their files or subfolders.
	 */
	private final SortedMap<String, String> problems = new TreeMap<>();

	/**
	 * Certificates that were there at the start, and are not verified yet.
	 */
	private final Queue<Entry> unverified = new ArrayDeque<>();

	/**
	 * Certificates that a first client or a trial has found unusable, with the reason.
	 */
	private final Queue<Map.Entry<String, TlsSettingException>> refused = new ConcurrentLinkedQueue<>();

	private long folderModified = -1;

	private long nextListing = System.nanoTime();

	private long nextScan = System.nanoTime();

	private volatile Status status = new Status(NAME, null, 0, 0, null, null);

	/**
	 * Why the last poll has failed.
	 */
	private @Nullable String failure;

	/**
	 * Why the folder itself cannot be used.
	 */
	private @Nullable String folderProblem;

	/**
	 * Create a new instance.
	 * @param property the name of the property that names the folder
	 * @param folder the folder
	 * @param hosts the hosts of the certificates
	 * @param resourceLoader reads the files
	 * @param reloadOnUpdate whether changes count
	 * @param interval how often to look at the time stamps
	 * @param quietPeriod how long files must stay unchanged before they are used
	 * @param clock the clock that certificates are checked against
	 */
	CertificateDirectory(String property, File folder, CertificateHosts hosts, ResourceLoader resourceLoader,
			boolean reloadOnUpdate, Duration interval, Duration quietPeriod, Clock clock) {
		this.property = property;
		this.folder = folder;
		this.hosts = hosts;
		this.resourceLoader = resourceLoader;
		this.reloadOnUpdate = reloadOnUpdate;
		this.interval = interval;
		this.quietPeriod = quietPeriod;
		this.clock = clock;
	}

	/**
	 * Create an instance for a location.
	 * @param property the name of the property that names the folder
	 * @param location a path or a resource location in the file system
	 * @param hosts the hosts of the certificates
	 * @param resourceLoader reads the files
	 * @param reloadOnUpdate whether changes count
	 * @param quietPeriod how long files must stay unchanged before they are used
	 * @param clock the clock that certificates are checked against
	 * @return the instance
	 * @throws TlsSettingException if the location is not in the file system
	 */
	static CertificateDirectory of(String property, String location, CertificateHosts hosts,
			ResourceLoader resourceLoader, boolean reloadOnUpdate, Duration quietPeriod, Clock clock) {
		Resource resource = resourceLoader.getResource(location);
		try {
			return new CertificateDirectory(property, resource.getFile().getAbsoluteFile(), hosts, resourceLoader,
					reloadOnUpdate, INTERVAL, quietPeriod, clock);
		}
		catch (IOException ex) {
			throw new TlsSettingException(property, location, "it is not a folder of the file system",
					"Set '%s' to the path of a folder".formatted(property), ex);
		}
	}

	/**
	 * Read all certificates. Clients can ask for them at once. Signatures are verified
	 * and handshakes tried later.
	 * @throws TlsSettingException if the folder cannot be read
	 */
	void load() {
		this.hosts.expect(SettingName.CERTIFICATE_DIRECTORY);
		String[] names = this.folder.list();
		if (names == null) {
			throw new TlsSettingException(this.property, this.folder.getPath(), folderProblem(),
					"Create the folder, and give the user that runs the application ('%s') access to it, or correct '%s'"
						.formatted(SystemUser.name(), this.property),
					null);
		}
		this.folderModified = this.folder.lastModified();
		Changes changes = new Changes();
		long now = System.nanoTime();
		addNew(names, now);
		List.copyOf(this.pending).forEach((entry) -> use(entry, now, changes, true));
		report(changes);
	}

	private String folderProblem() {
		return !this.folder.exists() ? "it does not exist"
				: !this.folder.isDirectory() ? "it is not a folder" : "it cannot be read: access is denied";
	}

	Status status() {
		return this.status;
	}

	/**
	 * Poll, whatever happens: the executor would not poll again after an error.
	 */
	void pollSafely() {
		try {
			poll();
			this.failure = null;
		}
		catch (Throwable ex) {
			try {
				failed(ex);
			}
			catch (Throwable unlogged) {
				// It cannot be logged: there is no memory, or an appender has failed
			}
		}
	}

	private void failed(Throwable ex) {
		String failure = String.valueOf(ex);
		if (!failure.equals(this.failure)) {
			this.failure = failure;
			String problem = "The certificates in '%s' could not be checked, and those in use stay in use: %s"
				.formatted(this.folder, failure);
			Status before = this.status;
			this.status = new Status(NAME, null, before.succeeded(), before.failed(), before.lastSuccess(), problem);
			logger.error(problem, ex);
		}
	}

	/**
	 * Use what has changed, and verify some of the certificates that were there at the
	 * start. Called about once a second.
	 */
	void poll() {
		long now = System.nanoTime();
		Changes changes = new Changes();
		try {
			if (this.reloadOnUpdate) {
				if (now - this.nextScan >= 0) {
					scan(now);
					this.nextScan = now + this.interval.toNanos();
				}
				for (Entry entry : List.copyOf(this.pending)) {
					if (now - entry.due >= 0) {
						use(entry, now, changes, false);
					}
				}
			}
			verify(now, changes);
			collectRefused(changes);
		}
		finally {
			report(changes);
		}
	}

	private void scan(long now) {
		long modified = this.folder.lastModified();
		// Two changes within the resolution of the file system's clock look like one
		boolean isYoung = this.clock.millis() - modified < LISTING_INTERVAL_IF_YOUNG;
		if (modified != this.folderModified || isYoung || !this.empty.isEmpty() || now - this.nextListing >= 0) {
			String[] names = this.folder.list();
			if (names == null) {
				this.folderProblem = folderProblem();
				return;
			}
			this.folderModified = modified;
			this.nextListing = now + LISTING_INTERVAL;
			addNew(names, now);
		}
		int used = 0;
		int missing = 0;
		for (Entry entry : this.entries.values()) {
			look(entry, now);
			if (this.hosts.get(hostName(entry)) != null) {
				used++;
				if (entry.isMissing()) {
					missing++;
				}
			}
		}
		// As when a file system is not mounted
		if (missing > 1 && missing == used) {
			this.folderProblem = "all %d certificates have vanished at once, and stay in use. If you have removed them, restart the application"
				.formatted(missing);
			this.entries.values().stream().filter(Entry::isMissing).forEach((entry) -> {
				entry.keep();
				this.pending.remove(entry);
			});
		}
		else {
			this.folderProblem = null;
		}
	}

	private void addNew(String[] names, long now) {
		this.empty.clear();
		for (String name : names) {
			if (!this.entries.containsKey(name)) {
				Entry entry = entry(name);
				if (entry != null) {
					this.entries.put(name, entry);
					look(entry, now);
				}
			}
		}
	}

	private void look(Entry entry, long now) {
		if (entry.look(now, this.quietPeriod)) {
			this.pending.add(entry);
		}
	}

	private @Nullable Entry entry(String name) {
		// A dot hides a file that is being written, and the generations of a secret
		if (name.startsWith(".") || name.endsWith(".key")) {
			return null;
		}
		File file = new File(this.folder, name);
		if (name.endsWith(".pem")) {
			return new Entry(name, file, null);
		}
		if (name.endsWith(".crt")) {
			String key = name.substring(0, name.length() - ".crt".length()) + ".key";
			return new Entry(name, file, new File(this.folder, key));
		}
		if (!file.isDirectory()) {
			return null;
		}
		for (List<String> pair : PAIRS) {
			File certificate = new File(file, pair.get(0));
			if (certificate.exists()) {
				return new Entry(name, certificate, new File(file, pair.get(1)));
			}
		}
		this.empty.add(name);
		return null;
	}

	private void use(Entry entry, long now, Changes changes, boolean initial) {
		if (!initial && (entry.look(now, this.quietPeriod) || !entry.isSettled(now, this.quietPeriod))) {
			return;
		}
		// A link that leads nowhere, or a file system that does not answer, is no removal
		if (entry.isMissing() && Files.notExists(entry.certificate.toPath(), LinkOption.NOFOLLOW_LINKS)) {
			remove(entry, changes);
			return;
		}
		try {
			put(entry, changes, initial);
			this.pending.remove(entry);
			this.problems.remove(entry.name);
		}
		catch (TlsSettingException ex) {
			refuse(entry, ex, now, changes);
		}
		catch (IllegalArgumentException ex) {
			refuse(entry, ex.getMessage(), "Use a certificate with a host name as an alternative name ('DNS:')", ex,
					now, changes);
		}
		// One certificate must not keep others out
		catch (Throwable ex) {
			refuse(entry, "it cannot be used: " + ex,
					ReloadableFiles.action(ex, "Correct the file, or remove it from the folder"), ex, now, changes);
		}
	}

	private void refuse(Entry entry, @Nullable String reason, String action, Throwable cause, long now,
			Changes changes) {
		refuse(entry, new TlsSettingException(this.property, entry.certificate.getPath(), String.valueOf(reason),
				action, cause), now, changes);
	}

	private void remove(Entry entry, Changes changes) {
		this.entries.remove(entry.name);
		this.pending.remove(entry);
		this.problems.remove(entry.name);
		ReloadRecording recording = new ReloadRecording();
		if (this.hosts.remove(hostName(entry))) {
			changes.removed.add(entry.name);
			recording.end(hostName(entry), ReloadRecording.REMOVED, null);
		}
	}

	private void put(Entry entry, Changes changes, boolean initial) {
		ReloadRecording recording = new ReloadRecording();
		CertificateHost before = this.hosts.get(hostName(entry));
		KeyMaterial material = read(entry, changes, initial);
		HostKey key = new HostKey(material.privateKey(), material.certificates());
		Optional<TlsSettingException> invalid = material.leafProblem(this.clock.instant());
		CertificateHost host = CertificateHost.of(hostName(entry), List.of(key),
				(problem) -> this.refused.add(Map.entry(entry.name, problem)));
		if (before != null && before.hasSameContent(host)) {
			return;
		}
		// One that is not valid yet would take the names of those that expire earlier
		boolean early = material.leaf().getNotBefore().toInstant().isAfter(this.clock.instant());
		if (invalid.isPresent() && (before != null || early)) {
			throw invalid.get();
		}
		changes.warnings.addAll(initial ? this.hosts.add(host) : this.hosts.put(host));
		invalid.map(this::text).ifPresent(changes.warnings::add);
		if (initial) {
			this.unverified.add(entry);
		}
		else {
			recording.end(host.name(), (before != null) ? ReloadRecording.REPLACED : ReloadRecording.ADDED, null);
		}
		((before != null) ? changes.replaced : changes.added).add(entry.name);
	}

	// What to do with the property is a remedy for a single file
	private String text(TlsSettingException problem) {
		String action = problem.getAction(SettingName::toString);
		return problem.getMessage() + ". " + (action.contains("'" + this.property + "'")
				? "Correct the file, or remove it from the folder" : action);
	}

	private static String hostName(Entry entry) {
		return NAME + "/" + entry.name;
	}

	private void refuse(Entry entry, TlsSettingException problem, long now, Changes changes) {
		String text = text(problem);
		if (!text.equals(this.problems.put(entry.name, text))) {
			changes.problems.add(text);
			new ReloadRecording().end(hostName(entry), ReloadRecording.REFUSED, text);
		}
		entry.refused(now, this.quietPeriod);
		this.pending.add(entry);
	}

	private KeyMaterial read(Entry entry, Changes changes, boolean initial) {
		File keyFile = (entry.key != null && entry.key.exists()) ? entry.key : null;
		CertificateFiles files = new CertificateFiles(this.property, entry.certificate.getPath(),
				(keyFile != null) ? keyFile.getPath() : null, null, null);
		Map<String, FileContent> certificate = content(entry.certificate, Content.CERTIFICATES);
		Map<String, FileContent> key = (keyFile != null) ? content(keyFile, Content.PRIVATE_KEY) : certificate;
		PemFile certificateFile = FileContent.pemFile(this.property, certificate);
		KeyMaterial material = KeyMaterial.parse(files, certificateFile,
				(keyFile != null) ? FileContent.pemFile(this.property, key) : certificateFile, null, initial);
		if (key.values().iterator().next().isOpenToOthers()) {
			String path = ((keyFile != null) ? keyFile : entry.certificate).getPath();
			changes.warnings.add(text(new TlsSettingException(this.property, path,
					PrivateFiles.OPEN_TO_OTHERS + ", and it contains a private key", PrivateFiles.protect(path),
					null)));
		}
		return material;
	}

	private Map<String, FileContent> content(File file, Content content) {
		return FileContent.read(List.of(new ConfiguredFile(this.property, file.toURI().toString(), content)), Map.of(),
				this.resourceLoader, System.nanoTime());
	}

	private void verify(long now, Changes changes) {
		for (int left = this.unverified.size(); left > 0 && System.nanoTime() - now < TRIAL_TIME; left--) {
			Entry entry = this.unverified.remove();
			CertificateHost host = this.hosts.get(hostName(entry));
			if (host == null) {
				continue;
			}
			if (this.pending.contains(entry) || entry.modified <= 0 || !entry.isUnchanged()) {
				// If its content is new, it is verified before it is used
				this.unverified.add(entry);
				continue;
			}
			try {
				read(entry, new Changes(), false);
				changes.warnings.addAll(this.hosts.tryOut(host));
			}
			catch (TlsSettingException ex) {
				if (entry.isUnchanged() && entry.isReadable()) {
					this.hosts.remove(host.name());
				}
				refuse(entry, ex, now, changes);
			}
			catch (Throwable ex) {
				logger.debug("The certificate '%s' could not be verified".formatted(entry.name), ex);
			}
		}
	}

	private void collectRefused(Changes changes) {
		Map.Entry<String, TlsSettingException> next;
		while ((next = this.refused.poll()) != null) {
			Entry entry = this.entries.get(next.getKey());
			TlsSettingException problem = next.getValue();
			if (entry != null) {
				refuse(entry, new TlsSettingException(this.property, entry.certificate.getPath(),
						problem.getReason(SettingName::toString), problem.getAction(SettingName::toString), problem),
						System.nanoTime(), changes);
			}
		}
	}

	private void report(Changes changes) {
		int changed = changes.added.size() + changes.replaced.size() + changes.removed.size();
		if (changed > 0) {
			logger.info("The certificates in '%s': %s. In all, %d are in use, for %d names and addresses"
				.formatted(this.folder, changes, this.hosts.all().size(), this.hosts.names()));
		}
		warn(changes.warnings);
		warn(changes.problems);
		Status before = this.status;
		String problem = problem();
		if (this.folderProblem != null && !String.valueOf(before.problem()).equals(problem)) {
			logger.warn(problem);
		}
		boolean succeeded = !changes.added.isEmpty() || !changes.replaced.isEmpty();
		this.status = new Status(NAME, null, before.succeeded() + changes.added.size() + changes.replaced.size(),
				before.failed() + changes.problems.size(), succeeded ? this.clock.instant() : before.lastSuccess(),
				problem);
	}

	private static void warn(List<String> sentences) {
		sentences.stream().limit(MOST_NAMED).forEach(logger::warn);
		if (sentences.size() > MOST_NAMED) {
			logger.warn("There are %d more warnings of this kind".formatted(sentences.size() - MOST_NAMED));
		}
	}

	private @Nullable String problem() {
		if (this.folderProblem != null) {
			return "The folder '%s' of '%s': %s".formatted(this.folder, this.property, this.folderProblem);
		}
		if (this.problems.isEmpty()) {
			return null;
		}
		return "%d of %d certificates are not used, or not in their current version. %s%s".formatted(
				this.problems.size(), this.entries.size(),
				this.problems.values().stream().limit(MOST_NAMED).collect(Collectors.joining(". ")),
				(this.problems.size() > MOST_NAMED) ? ". And others" : "");
	}

	/**
	 * A certificate.
	 */
	private static final class Entry {

		private final String name;

		private final File certificate;

		private final @Nullable File key;

		/**
		 * The time stamp of the certificate file; 0 if it does not exist.
		 */
		private long modified = -1;

		/**
		 * What was seen of both files when they last changed.
		 */
		private List<Long> stamp = List.of();

		private long due;

		private Duration pause = Duration.ZERO;

		Entry(String name, File certificate, @Nullable File key) {
			this.name = name;
			this.certificate = certificate;
			this.key = key;
		}

		/**
		 * Look at the time stamp.
		 * @param now the time in nanoseconds
		 * @param quietPeriod how long the files must stay unchanged
		 * @return whether it has changed
		 */
		boolean look(long now, Duration quietPeriod) {
			long current = this.certificate.lastModified();
			if (current == this.modified) {
				return false;
			}
			this.modified = current;
			changed(now, quietPeriod);
			return true;
		}

		private void changed(long now, Duration quietPeriod) {
			this.stamp = currentStamp();
			this.pause = Duration.ZERO;
			this.due = now + quietPeriod.toNanos();
		}

		private List<Long> currentStamp() {
			return (this.key == null) ? List.of(this.certificate.lastModified(), this.certificate.length())
					: List.of(this.certificate.lastModified(), this.certificate.length(), this.key.lastModified(),
							this.key.length());
		}

		boolean isMissing() {
			return this.modified == 0;
		}

		// The folder has vanished, not the certificate
		void keep() {
			this.modified = -1;
		}

		boolean isSettled(long now, Duration quietPeriod) {
			if (isUnchanged()) {
				return true;
			}
			changed(now, quietPeriod);
			return false;
		}

		boolean isUnchanged() {
			return currentStamp().equals(this.stamp);
		}

		boolean isReadable() {
			return this.certificate.canRead() && (this.key == null || !this.key.exists() || this.key.canRead());
		}

		void refused(long now, Duration quietPeriod) {
			this.pause = ReloadableFiles.next(this.pause, quietPeriod, LONGEST_PAUSE);
			this.due = now + this.pause.toNanos();
		}

	}

	/**
	 * What a poll has changed.
	 */
	private static final class Changes {

		private final List<String> added = new ArrayList<>();

		private final List<String> replaced = new ArrayList<>();

		private final List<String> removed = new ArrayList<>();

		private final List<String> warnings = new ArrayList<>();

		private final List<String> problems = new ArrayList<>();

		@Override
		public String toString() {
			Map<String, List<String>> kinds = new LinkedHashMap<>();
			kinds.put("added", this.added);
			kinds.put("replaced", this.replaced);
			kinds.put("removed", this.removed);
			List<String> parts = new ArrayList<>();
			kinds.forEach((kind, names) -> {
				if (!names.isEmpty()) {
					parts.add("%d %s (%s%s)".formatted(names.size(), kind,
							String.join(", ", names.subList(0, Math.min(MOST_NAMED, names.size()))),
							(names.size() > MOST_NAMED) ? ", ..." : ""));
				}
			});
			return String.join(", ", parts);
		}

	}

}
