// Copyright 2026-present the original author or authors.
// SPDX-License-Identifier: Apache-2.0

package io.github.tomcatopenssl.internal.certificate;

import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Arrays;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Objects;
import java.util.regex.Pattern;

import io.github.tomcatopenssl.TlsSettingException;
import io.github.tomcatopenssl.internal.pem.PemFile;
import io.github.tomcatopenssl.internal.pem.PemSource;
import org.jspecify.annotations.Nullable;

import org.springframework.core.io.Resource;
import org.springframework.core.io.ResourceLoader;

/**
 * The content of the file of a property, or the reason why the file could not be read.
 * Two instances are equal if their bytes and their problems are the same.
 * <p>
 * A file is not read again while its attributes are the same, so that a private key is
 * not copied every second. Attributes do not show every change: two changes within the
 * resolution of the file system's clock look like one, and a network file system may show
 * attributes late. The file is therefore read for some seconds after its attributes have
 * changed, and again a few seconds after it was last read.
 *
 * @param file the file, as messages show it, or {@code null} if they must not show it
 * @param inFileSystem whether the file is in the file system
 * @param bytes the content
 * @param problem why there is no content, or {@code null}
 * @param attributes what is known about the file from before it was read, or {@code null}
 * @param content what it is expected to contain
 */
record FileContent(@Nullable String file, boolean inFileSystem, byte[] bytes, @Nullable TlsSettingException problem,
		@Nullable Attributes attributes, PemSource.Content content) {

	private static final int MEGABYTE = 1024 * 1024;

	/**
	 * From this size on, in bytes, a file is not read again every few seconds.
	 */
	private static final int LARGE = 4 * MEGABYTE;

	private static final byte[] NOTHING = {};

	private static final String FILE = "file:";

	// The watcher could not tell whether such a file has changed, and a key is not to
	// travel
	private static final Pattern OTHER_MACHINE = Pattern.compile("(?i)(https?|ftp)://.*");

	/**
	 * The coarsest resolution of a file system's clock (FAT), in nanoseconds, with a
	 * reserve.
	 */
	private static final long RESOLUTION = Duration.ofSeconds(3).toNanos();

	/**
	 * How long to trust the attributes at most, in nanoseconds. An NFS client may show
	 * those of up to a minute ago, but not once the file has been opened. Replaced files
	 * take effect within 10 seconds, of which this is a part.
	 */
	private static final long TRUSTED = Duration.ofSeconds(5).toNanos();

	/**
	 * The same for large files, such as revocation lists: as long as an NFS client may
	 * show old attributes.
	 */
	private static final long TRUSTED_IF_LARGE = Duration.ofMinutes(1).toNanos();

	/**
	 * Return the contents of files.
	 * @param configured the files
	 * @param before the contents that were read before; only those in the file system are
	 * read again
	 * @param resourceLoader finds the files
	 * @param now the time in nanoseconds, as {@link System#nanoTime()} returns it
	 * @return the contents by property
	 */
	static Map<String, FileContent> read(Collection<ConfiguredFile> configured, Map<String, FileContent> before,
			ResourceLoader resourceLoader, long now) {
		Map<String, FileContent> files = new LinkedHashMap<>();
		for (ConfiguredFile file : configured) {
			FileContent last = before.get(file.property());
			files.put(file.property(),
					(last != null && !last.inFileSystem()) ? last : read(file, last, resourceLoader, now));
		}
		return files;
	}

	/**
	 * Return the PEM file of a property.
	 * @param property the property
	 * @param files the contents by property
	 * @return the file
	 * @throws TlsSettingException if it could not be read, or is not a PEM file
	 */
	static PemFile pemFile(String property, Map<String, FileContent> files) {
		FileContent file = Objects.requireNonNull(files.get(property));
		if (file.problem() != null) {
			throw file.problem();
		}
		return PemFile.of(new PemSource(property, file.file(), file.inFileSystem(), file.content(),
				keyStoreProperty(property, file.content())), file.bytes());
	}

	// A host name has no key store of its own
	private static @Nullable String keyStoreProperty(String property, PemSource.Content content) {
		String prefix = property.substring(0, property.lastIndexOf('.') + 1);
		if (!prefix.endsWith("server.ssl.")) {
			return null;
		}
		return prefix + ((content == PemSource.Content.CAS) ? "trust-store" : "key-store");
	}

	boolean isOpenToOthers() {
		try {
			return this.inFileSystem && PrivateFiles.isOpenToOthers(Path.of(String.valueOf(this.file)));
		}
		catch (IOException ex) {
			// It was just replaced
			return false;
		}
	}

	private static FileContent read(ConfiguredFile configured, @Nullable FileContent last,
			ResourceLoader resourceLoader, long now) {
		String property = configured.property();
		String location = configured.location();
		String file = null;
		boolean inFileSystem = false;
		Attributes attributes = null;
		try {
			requireLocation(property, location);
			file = TlsSettingException.describe(location);
			Resource resource = resourceLoader.getResource(location);
			inFileSystem = resource.isFile();
			if (inFileSystem) {
				file = resource.getFilePath().toAbsolutePath().toString();
				attributes = Attributes.of(resource.getFilePath(), (last != null) ? last.attributes() : null, now);
				requireRegularFile(property, file, attributes);
				if (last != null && attributes.prove(last.attributes(), now)) {
					return last;
				}
			}
			else if (!resource.exists()) {
				throw missing(property, file);
			}
			try (InputStream in = inFileSystem ? Files.newInputStream(resource.getFilePath())
					: resource.getInputStream()) {
				int most = configured.content().megabytes();
				byte[] bytes = in.readNBytes(most * MEGABYTE + 1);
				requireSize(property, file, bytes.length, most);
				return new FileContent(file, inFileSystem, bytes, null, attributes, configured.content());
			}
		}
		catch (TlsSettingException ex) {
			return failed(configured, file, inFileSystem, ex);
		}
		catch (InvalidPathException ex) {
			return failed(configured, file, inFileSystem, unusableName(property, file, ex));
		}
		catch (IllegalArgumentException ex) {
			return failed(configured, file, inFileSystem, failure(property, file,
					"it is not a valid location: " + ex.getMessage(), "Correct '%s'".formatted(property)));
		}
		catch (IOException ex) {
			return failed(configured, file, inFileSystem,
					inFileSystem ? unreadable(property, location, String.valueOf(file), ex)
							: failure(property, file, "it cannot be read: " + ex.getMessage(),
									"Correct '%1$s', or write the content to a file and set '%1$s' to that file"
										.formatted(property)));
		}
	}

	private static FileContent failed(ConfiguredFile configured, @Nullable String file, boolean inFileSystem,
			TlsSettingException problem) {
		return new FileContent(file, inFileSystem, NOTHING, problem, null, configured.content());
	}

	private static TlsSettingException unusableName(String property, @Nullable String file, InvalidPathException ex) {
		if (StandardCharsets.US_ASCII.newEncoder().canEncode(ex.getInput())) {
			return failure(property, file, "it is not a valid path: " + ex.getReason(),
					"Correct '%s'".formatted(property));
		}
		return failure(property, file,
				"its name cannot be used on this system, whose character encoding is '%s': %s"
					.formatted(System.getProperty("sun.jnu.encoding"), ex.getReason()),
				"Start the application with a UTF-8 locale, such as LC_ALL=C.UTF-8, or rename the file that '%s' names"
					.formatted(property));
	}

	private static void requireLocation(String property, String location) {
		if (location.isBlank()) {
			throw failure(property, null, "it is empty",
					"Set it to a PEM file, or remove it. To turn off TLS, set 'server.ssl.enabled' to 'false'");
		}
		if (OTHER_MACHINE.matcher(location).matches()) {
			throw failure(property, location, "it is a URL, and files of other machines are not supported",
					"Copy the file to this machine, and set '%s' to the copy".formatted(property));
		}
		if (location.contains("-----BEGIN")) {
			throw failure(property, null, "it contains PEM content, but must name a file",
					"Write the content to a file and set '%s' to that file".formatted(property));
		}
	}

	// Reading a file that is not a regular one, such as a pipe, may never end
	private static void requireRegularFile(String property, String file, Attributes attributes) {
		if (attributes.is("isDirectory")) {
			throw failure(property, file, "it is a folder", "Set '%s' to a file in it".formatted(property));
		}
		if (!attributes.is("isRegularFile")) {
			throw failure(property, file, "it is not a regular file", "Set '%s' to a PEM file".formatted(property));
		}
	}

	private static void requireSize(String property, String file, int size, int most) {
		if (size == 0) {
			throw failure(property, file, "it is empty", "Write the PEM content to the file");
		}
		if (size > most * MEGABYTE) {
			throw failure(property, file, "it is larger than %d MiB, too large for such a file".formatted(most),
					"Correct '%s'".formatted(property));
		}
	}

	private static TlsSettingException unreadable(String property, String location, String file, IOException ex) {
		String place = InvisibleText.place(location.startsWith(FILE) ? location.substring(FILE.length()) : location);
		if (!place.isEmpty() && Files.notExists(Path.of(file))) {
			return failure(property, file, "it does not exist: its name %s with white space".formatted(place),
					"Remove the white space in '%s'".formatted(property));
		}
		FileFailure failure = FileFailure.of(Path.of(file), property, ex);
		return failure(property, file, failure.reason(), failure.action());
	}

	private static TlsSettingException missing(String property, @Nullable String file) {
		return failure(property, file, "it does not exist", "Create the file or correct '%s'".formatted(property));
	}

	private static TlsSettingException failure(String property, @Nullable String file, String reason, String action) {
		return new TlsSettingException(property, file, reason, action, null);
	}

	@Override
	public boolean equals(@Nullable Object other) {
		return other instanceof FileContent that && Arrays.equals(this.bytes, that.bytes)
				&& String.valueOf(this.problem).equals(String.valueOf(that.problem));
	}

	@Override
	public int hashCode() {
		return Arrays.hashCode(this.bytes);
	}

	/**
	 * The attributes of a file before it was read.
	 *
	 * @param values the values by name, among them the time of the last change of the
	 * file's attributes where the file system has it, which no user can set
	 * @param since when the values were first seen, in nanoseconds
	 * @param read when the file was read, in nanoseconds
	 */
	record Attributes(Map<String, Object> values, long since, long read) {

		private static final String BASIC = "size,lastModifiedTime,fileKey,isDirectory,isRegularFile";

		static Attributes of(Path file, @Nullable Attributes last, long now) throws IOException {
			boolean unix = file.getFileSystem().supportedFileAttributeViews().contains("unix");
			Map<String, Object> values = Files.readAttributes(file, unix ? "unix:ctime," + BASIC : BASIC);
			return new Attributes(values, (last != null && values.equals(last.values())) ? last.since() : now, now);
		}

		boolean is(String name) {
			return Boolean.TRUE.equals(this.values.get(name));
		}

		// Whether the content is the same as that of the last time
		boolean prove(@Nullable Attributes last, long now) {
			boolean large = this.values.get("size") instanceof Long size && size > LARGE;
			return last != null && this.values.equals(last.values()) && last.read() - last.since() >= RESOLUTION
					&& now - last.read() < (large ? TRUSTED_IF_LARGE : TRUSTED);
		}

	}

}
