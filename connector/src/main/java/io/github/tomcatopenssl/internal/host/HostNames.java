// Copyright 2026-present the original author or authors.
// SPDX-License-Identifier: Apache-2.0

package io.github.tomcatopenssl.internal.host;

import java.net.IDN;
import java.net.InetAddress;
import java.net.UnknownHostException;
import java.security.cert.CertificateParsingException;
import java.security.cert.X509Certificate;
import java.util.Collection;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;

import org.jspecify.annotations.Nullable;

/**
 * A set of host names and addresses that a client can ask for. A name can start with a
 * wildcard, which stands for one label (RFC 6125, 6.4.3).
 */
public final class HostNames {

	/**
	 * The forms of a name, as the end of a sentence without its full stop.
	 */
	public static final String EXAMPLES = "a host name such as 'www.example.com' or '*.example.com', without a port, in ASCII (A-labels) if it has one of the letters '\u00df' and '\u03c2'";

	/**
	 * The name of Tomcat's default host. Other web servers do not have its class.
	 */
	static final String DEFAULT_HOST = "_default_";

	private static final Pattern IPV4 = Pattern.compile("((25[0-5]|2[0-4]\\d|1\\d\\d|[1-9]?\\d)(\\.(?!$)|$)){4}");

	private static final Pattern IPV6 = Pattern.compile("[0-9a-f:.]*:[0-9a-f:.]*");

	// Host names of container networks have underscores
	private static final Pattern NAME = Pattern.compile("[a-z0-9_-]{1,63}(\\.[a-z0-9_-]{1,63})*");

	/**
	 * A name that an operator sets. A hyphen at the end of a label, or a number as the
	 * last one, is a mistake.
	 */
	private static final Pattern CONFIGURED = Pattern
		.compile("(\\*\\.)?([a-z0-9_]([a-z0-9_-]*[a-z0-9_])?\\.)*(?!\\d+$)[a-z0-9_]([a-z0-9_-]*[a-z0-9_])?");

	/**
	 * Characters that {@link IDN} replaces with others, while clients of today ask for
	 * them as they are (UTS 46, 4).
	 */
	private static final Pattern DEVIATIONS = Pattern.compile("[\u00df\u1e9e\u03c2\u200c\u200d]");

	private static final String WILDCARD = "*.";

	/**
	 * Maximum length of a host name with its final dot, in characters (RFC 1035, 2.3.4).
	 */
	private static final int MAX_LENGTH = 254;

	private static final String INVALID = "";

	/**
	 * The type of the alternative names that are host names (RFC 5280, 4.2.1.6).
	 */
	public static final Integer DNS_NAME = 2;

	/**
	 * The type of the alternative names that are addresses.
	 */
	public static final Integer IP_ADDRESS = 7;

	/**
	 * The names in their canonical form.
	 */
	private final Set<String> names;

	HostNames(Set<String> names) {
		this.names = names;
	}

	/**
	 * Return the names of a virtual host: its own, and those that its certificates cover.
	 * @param host the virtual host
	 * @return the names
	 */
	public static HostNames of(TlsHost host) {
		Set<String> names = new HashSet<>();
		if (!host.name().equals(DEFAULT_HOST)) {
			names.add(host.name());
		}
		for (HostKey key : host.keys()) {
			alternativeNames(key.leaf(), DNS_NAME, IP_ADDRESS).map(HostNames::pattern).forEach(names::add);
		}
		return new HostNames(names);
	}

	/**
	 * Create a set of the names in a certificate.
	 * @param names the names and addresses
	 * @return the set
	 */
	public static HostNames of(Collection<String> names) {
		return new HostNames(names.stream().map(HostNames::pattern).collect(Collectors.toSet()));
	}

	/**
	 * Return the names and addresses that clients can ask for with a certificate.
	 * @param certificate the certificate
	 * @return their canonical forms, which may start with a wildcard; without those that
	 * are not valid
	 */
	static Stream<String> served(X509Certificate certificate) {
		return alternativeNames(certificate, DNS_NAME, IP_ADDRESS).map(HostNames::pattern)
			.filter((name) -> !name.equals(INVALID) && !name.equals(WILDCARD));
	}

	private static String pattern(String name) {
		return name.startsWith(WILDCARD) ? WILDCARD + canonical(name.substring(WILDCARD.length())) : canonical(name);
	}

	/**
	 * Return the name of a certificate for messages and metrics.
	 * @param certificate the certificate
	 * @return its subject or, since some CAs leave that empty, its alternative names in
	 * alphabetical order
	 */
	public static String describe(X509Certificate certificate) {
		String subject = certificate.getSubjectX500Principal().getName();
		return !subject.isEmpty() ? subject : alternativeNames(certificate).sorted().collect(Collectors.joining(", "));
	}

	/**
	 * Return the alternative names of a certificate.
	 * @param certificate the certificate
	 * @param types the types of the names; all types that have a text if there is none
	 * @return the names as they are in the certificate; empty if they cannot be read
	 */
	public static Stream<String> alternativeNames(X509Certificate certificate, Integer... types) {
		try {
			Collection<List<?>> names = certificate.getSubjectAlternativeNames();
			return (names != null) ? names.stream()
				.filter((name) -> types.length == 0 || List.of(types).contains(name.get(0)))
				.map((name) -> name.get(1))
				.filter(String.class::isInstance)
				.map(String.class::cast) : Stream.empty();
		}
		catch (CertificateParsingException ex) {
			return Stream.empty();
		}
	}

	/**
	 * Return the canonical form of a name or an address that a client asks for. Two names
	 * are the same if their canonical forms are equal, and are compared in no other way.
	 * @param host a host name or address, with or without brackets
	 * @return the name in lower case, without the final dot of a fully qualified name, or
	 * the address in brackets; empty if it is neither, such as a name that is not ASCII:
	 * clients send A-labels (RFC 6066, 3). No name server is asked
	 */
	public static String canonical(String host) {
		if (host.length() > MAX_LENGTH || !host.chars().allMatch((character) -> character < 0x80)) {
			return INVALID;
		}
		String name = host.toLowerCase(Locale.ROOT);
		boolean inBrackets = name.startsWith("[") && name.endsWith("]") && name.contains(":");
		InetAddress address = address(inBrackets ? name.substring(1, name.length() - 1) : name);
		if (address != null) {
			return "[" + address.getHostAddress() + "]";
		}
		name = name.endsWith(".") ? name.substring(0, name.length() - 1) : name;
		return NAME.matcher(name).matches() ? name : INVALID;
	}

	/**
	 * Return an address. No name server is asked.
	 * @param name a host name or an address, in lower case and without brackets
	 * @return the address, or {@code null} if it is none
	 */
	public static @Nullable InetAddress address(String name) {
		boolean isIpv6 = IPV6.matcher(name).matches();
		if (!isIpv6 && !IPV4.matcher(name).matches()) {
			return null;
		}
		try {
			// Without brackets, Java might take it for a name
			return InetAddress.getByName(isIpv6 ? "[" + name + "]" : name);
		}
		catch (UnknownHostException ex) {
			return null;
		}
	}

	/**
	 * Return the canonical form of a name that an operator has set.
	 * @param value a host name, which may start with a wildcard and have labels that are
	 * not ASCII (U-labels)
	 * @return the form that clients ask for, with its wildcard
	 * @throws IllegalArgumentException if no client can ask for it
	 */
	public static String configured(String value) {
		if (DEVIATIONS.matcher(value).find()) {
			throw new IllegalArgumentException("Its labels have to be A-labels");
		}
		String name = pattern(IDN.toASCII(value.strip()).toLowerCase(Locale.ROOT));
		if (!CONFIGURED.matcher(name).matches() || name.equals(DEFAULT_HOST)) {
			throw new IllegalArgumentException("It is not a host name");
		}
		return name;
	}

	/**
	 * Return whether the canonical form is that of an address.
	 * @param canonical the canonical form of a name or an address
	 * @return whether it is
	 */
	public static boolean isAddress(String canonical) {
		return canonical.startsWith("[");
	}

	/**
	 * Return whether a value has the form of an address, or of a range of addresses with
	 * a prefix length. Tomcat's class for ranges would ask a name server for a name.
	 * @param value the value
	 * @return whether it has
	 */
	static boolean isRange(String value) {
		return isAddress(canonical(value.replaceFirst("/.*", ""))) && !value.contains(";");
	}

	/**
	 * Return whether the set has a name. A certificate can have entries that are not
	 * valid names.
	 * @param canonical the canonical form of a name or an address
	 * @return whether the name or its wildcard is in the set
	 */
	public boolean contains(String canonical) {
		return !canonical.equals(INVALID)
				&& (this.names.contains(canonical) || this.names.contains(wildcardOf(canonical)));
	}

	/**
	 * Return whether the set has a host name, which clients send to the server. They send
	 * no address (RFC 6066, 3).
	 * @return whether it has one
	 */
	public boolean hasHostName() {
		return this.names.stream().anyMatch((name) -> !name.equals(INVALID) && !isAddress(name));
	}

	/**
	 * Return the wildcard that stands for a name.
	 * @param canonical the canonical form of a name or an address
	 * @return the wildcard, or what was given if none stands for it
	 */
	public static String wildcardOf(String canonical) {
		int dot = canonical.indexOf('.');
		return (dot > 0 && !isAddress(canonical)) ? "*" + canonical.substring(dot) : canonical;
	}

}
