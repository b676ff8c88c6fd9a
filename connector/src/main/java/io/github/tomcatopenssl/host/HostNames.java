// Copyright 2026-present the original author or authors.
// SPDX-License-Identifier: Apache-2.0

package io.github.tomcatopenssl.host;

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

import org.apache.tomcat.util.net.SSLContext;
import org.apache.tomcat.util.net.SSLHostConfig;
import org.apache.tomcat.util.net.SSLHostConfigCertificate;
import org.apache.tomcat.util.net.SSLUtilBase;
import org.jspecify.annotations.Nullable;

/**
 * A set of host names and addresses that a client can ask for. A name can start with a
 * wildcard, which stands for one label (RFC 6125, 6.4.3).
 */
public final class HostNames {

	private static final String DEFAULT_HOST = new SSLHostConfig().getHostName();

	private static final Pattern IPV4 = Pattern.compile("((25[0-5]|2[0-4]\\d|1\\d\\d|[1-9]?\\d)(\\.(?!$)|$)){4}");

	private static final Pattern IPV6 = Pattern.compile("\\[?[0-9a-f:.]*:[0-9a-f:.]*]?");

	/**
	 * Maximum length of a host name with its final dot, in characters (RFC 1035, 2.3.4).
	 */
	private static final int MAX_LENGTH = 254;

	private static final String INVALID = "";

	private static final int DNS_NAME = 2;

	private static final int IP_ADDRESS = 7;

	/**
	 * The names in their canonical form.
	 */
	private final Set<String> names;

	HostNames(Set<String> names) {
		this.names = names;
	}

	/**
	 * Return the names of a virtual host: its own, and those that its certificates cover.
	 * @param host the virtual host, with its contexts
	 * @return the names
	 */
	static HostNames of(SSLHostConfig host) {
		Set<String> names = new HashSet<>();
		if (!host.getHostName().equals(DEFAULT_HOST)) {
			names.add(host.getHostName());
		}
		for (SSLHostConfigCertificate certificate : host.getCertificates()) {
			for (List<?> name : subjectAlternativeNames(certificate)) {
				if (name.get(0).equals(DNS_NAME)) {
					names.add(withoutDot(name.get(1).toString().toLowerCase(Locale.ROOT)));
				}
				else if (name.get(0).equals(IP_ADDRESS)) {
					names.add(canonical(name.get(1).toString()));
				}
			}
		}
		return new HostNames(names);
	}

	private static Collection<List<?>> subjectAlternativeNames(SSLHostConfigCertificate certificate) {
		SSLContext context = certificate.getSslContext();
		String alias = certificate.getCertificateKeyAlias();
		X509Certificate @Nullable [] chain = (context != null)
				? context.getCertificateChain((alias != null) ? alias : SSLUtilBase.DEFAULT_KEY_ALIAS) : null;
		try {
			Collection<List<?>> names = (chain != null) ? chain[0].getSubjectAlternativeNames() : null;
			return (names != null) ? names : List.of();
		}
		catch (CertificateParsingException ex) {
			return List.of();
		}
	}

	/**
	 * Return the canonical form of a name or an address that a client asks for: in lower
	 * case, without the final dot of a fully qualified name, and with brackets around an
	 * address. Never queries a name server.
	 * @param host a host name or address, with or without brackets
	 * @return the canonical form, which is empty if the host is invalid
	 */
	public static String canonical(String host) {
		if (host.length() > MAX_LENGTH) {
			return INVALID;
		}
		String name = host.toLowerCase(Locale.ROOT);
		if (IPV4.matcher(name).matches()) {
			return "[" + name + "]";
		}
		boolean bracketed = name.startsWith("[");
		if (!IPV6.matcher(name).matches()) {
			return bracketed ? INVALID : withoutDot(name);
		}
		try {
			return "[" + InetAddress.getByName(bracketed ? name : "[" + name + "]").getHostAddress() + "]";
		}
		catch (UnknownHostException ex) {
			return INVALID;
		}
	}

	private static String withoutDot(String name) {
		return name.endsWith(".") ? name.substring(0, name.length() - 1) : name;
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

	boolean contains(String canonical) {
		int dot = canonical.indexOf('.');
		return canonical.indexOf('*') == -1
				&& (this.names.contains(canonical) || dot > 0 && this.names.contains("*" + canonical.substring(dot)));
	}

}
