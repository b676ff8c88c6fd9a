// Copyright 2026-present the original author or authors.
// SPDX-License-Identifier: Apache-2.0

package io.github.tomcatopenssl.acme;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.UnknownHostException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Base64;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

import io.github.tomcatopenssl.TlsSettingException;
import org.jspecify.annotations.Nullable;
import org.xbill.DNS.AAAARecord;
import org.xbill.DNS.ARecord;
import org.xbill.DNS.CNAMERecord;
import org.xbill.DNS.DClass;
import org.xbill.DNS.ExtendedResolver;
import org.xbill.DNS.Flags;
import org.xbill.DNS.Message;
import org.xbill.DNS.NSRecord;
import org.xbill.DNS.Name;
import org.xbill.DNS.Rcode;
import org.xbill.DNS.Record;
import org.xbill.DNS.Resolver;
import org.xbill.DNS.SOARecord;
import org.xbill.DNS.Section;
import org.xbill.DNS.SimpleResolver;
import org.xbill.DNS.TSIG;
import org.xbill.DNS.TXTRecord;
import org.xbill.DNS.TextParseException;
import org.xbill.DNS.Type;
import org.xbill.DNS.Update;

import org.springframework.util.StringUtils;

/**
 * Publishes TXT records by dynamic updates (RFC 2136), which BIND, Knot, PowerDNS and
 * others take, signed with a key that the server knows (TSIG, RFC 8945).
 */
final class DnsUpdateProvider implements DnsChallengeProvider {

	/**
	 * Time to live of the records, in seconds.
	 */
	private static final int TTL = 60;

	private static final Duration QUERY_TIMEOUT = Duration.ofSeconds(5);

	/**
	 * The longest wait until the name servers of the zone have a record: a secondary gets
	 * it within seconds if it is notified.
	 */
	private static final Duration LONGEST_WAIT = Duration.ofMinutes(2);

	private static final Duration POLL_INTERVAL = Duration.ofSeconds(1);

	/**
	 * Maximum number of CNAME records in a chain: resolvers follow about as many.
	 */
	private static final int MOST_ALIASES = 10;

	private static final int DNS_PORT = 53;

	private static final int MOST_PORT = 65_535;

	private static final Pattern SERVER = Pattern
		.compile("(?<host>[\\w.-]+|\\[[\\da-fA-F:.]+]|[\\da-fA-F]*:[\\da-fA-F]*:[\\da-fA-F:.]*)(:(?<port>\\d{1,5}))?");

	private final InetSocketAddress server;

	private final @Nullable TSIG key;

	private final Duration longestWait;

	/**
	 * The port of the other name servers.
	 */
	private final int port;

	/**
	 * Knows the names that the server does not know.
	 */
	private final Resolver others;

	private DnsUpdateProvider(InetSocketAddress server, @Nullable TSIG key) {
		this(server, key, LONGEST_WAIT, DNS_PORT, new ExtendedResolver());
	}

	DnsUpdateProvider(InetSocketAddress server, @Nullable TSIG key, Duration longestWait, int port, Resolver others) {
		this.server = server;
		this.key = key;
		this.longestWait = longestWait;
		this.port = port;
		this.others = others;
	}

	/**
	 * Create an instance from the properties.
	 * @param properties the properties
	 * @return the instance
	 * @throws TlsSettingException if they cannot be used
	 */
	static DnsUpdateProvider of(AcmeProperties.DnsUpdate properties) {
		Matcher server = SERVER.matcher(String.valueOf(properties.server()).strip());
		if (!StringUtils.hasText(properties.server()) || !server.matches()
				|| server.group("port") != null && Integer.parseInt(server.group("port")) > MOST_PORT) {
			throw failure("server", "it is not the name or the address of a name server",
					"Set it to the primary name server of the domains, such as 'ns1.example.com', '192.0.2.53' or '[2001:db8::53]:5353'");
		}
		String port = server.group("port");
		InetSocketAddress address = InetSocketAddress.createUnresolved(server.group("host"),
				(port != null) ? Integer.parseInt(port) : DNS_PORT);
		return new DnsUpdateProvider(address, key(properties));
	}

	private static @Nullable TSIG key(AcmeProperties.DnsUpdate properties) {
		if (!StringUtils.hasText(properties.keyName()) && !StringUtils.hasText(properties.key())) {
			return null;
		}
		if (!StringUtils.hasText(properties.keyName()) || !StringUtils.hasText(properties.key())) {
			throw failure(StringUtils.hasText(properties.key()) ? "key-name" : "key",
					"it is not set, but the other half of the key is", "Set both, as they are on the name server");
		}
		try {
			byte[] key = Base64.getDecoder().decode(properties.key().strip());
			return new TSIG(algorithm(properties.keyAlgorithm()),
					Name.fromString(properties.keyName().strip(), Name.root), key);
		}
		catch (IllegalArgumentException ex) {
			// The message would quote the key
			throw failure("key", "it is not valid Base64", "Copy it from the name server again");
		}
		catch (TextParseException ex) {
			throw failure("key-name", "it is not a name", "Copy it from the name server again");
		}
	}

	private static Name algorithm(AcmeProperties.KeyAlgorithm algorithm) {
		return switch (algorithm) {
			case HMAC_SHA256 -> TSIG.HMAC_SHA256;
			case HMAC_SHA384 -> TSIG.HMAC_SHA384;
			case HMAC_SHA512 -> TSIG.HMAC_SHA512;
		};
	}

	private static TlsSettingException failure(String property, String reason, String action) {
		return new TlsSettingException(AcmeProperties.DNS_UPDATE + "." + property, null, reason, action, null);
	}

	@Override
	public void publish(String name, String value) throws IOException, InterruptedException {
		Name record = target(Name.fromString(name, Name.root));
		Name zone = zone(record);
		Update update = new Update(zone);
		update.add(new TXTRecord(record, DClass.IN, TTL, value));
		send(update, zone);
		awaitAll(zone, record, value);
	}

	@Override
	public void remove(String name, String value) throws IOException {
		Name record = target(Name.fromString(name, Name.root));
		Name zone = zone(record);
		Update update = new Update(zone);
		update.delete(new TXTRecord(record, DClass.IN, TTL, value));
		send(update, zone);
	}

	private void send(Update update, Name zone) throws IOException {
		int code = primaryResolver().send(update).getRcode();
		if (code != Rcode.NOERROR) {
			throw new IOException("The name server '%s' refuses to update the zone '%s': %s. %s".formatted(
					this.server.getHostString(), zone, Rcode.string(code),
					"Check that it is the primary server of the zone, and that the key may change TXT records in it"));
		}
	}

	private static SimpleResolver resolver(InetSocketAddress server) {
		SimpleResolver resolver = new SimpleResolver(server);
		resolver.setTCP(true);
		resolver.setTimeout(QUERY_TIMEOUT);
		return resolver;
	}

	// Also for questions: a server can have views that depend on the key
	private SimpleResolver primaryResolver() throws UnknownHostException {
		SimpleResolver resolver = resolver(primary());
		resolver.setTSIGKey(this.key);
		return resolver;
	}

	// Each time, because the address may change
	private InetSocketAddress primary() throws UnknownHostException {
		return new InetSocketAddress(InetAddress.getByName(this.server.getHostString()), this.server.getPort());
	}

	private Message askPrimary(Name name, int type) throws IOException {
		Message answer = primaryResolver().send(question(name, type));
		if (answer.getRcode() == Rcode.NOTAUTH) {
			throw new IOException("The name server '%s' refuses the key. Compare '%s' with what the server has"
				.formatted(this.server.getHostString(), AcmeProperties.DNS_UPDATE));
		}
		return answer;
	}

	private static Message question(Name name, int type) {
		return Message.newQuery(Record.newRecord(name, type, DClass.IN));
	}

	// The CA follows CNAME records too
	private Name target(Name record) throws IOException {
		Set<Name> names = new LinkedHashSet<>(List.of(record));
		Name target = record;
		for (Name alias = alias(record); alias != null; alias = alias(alias)) {
			if (!names.add(alias)) {
				throw new IOException("The CNAME records of '%s' lead back to '%s': %s. Remove one of them"
					.formatted(record, alias, names));
			}
			if (names.size() > MOST_ALIASES + 1) {
				throw new IOException("The CNAME records of '%s' are more than %d: %s. Shorten the chain"
					.formatted(record, MOST_ALIASES, names));
			}
			target = alias;
		}
		return target;
	}

	private @Nullable Name alias(Name name) throws IOException {
		Message answer = askPrimary(name, Type.CNAME);
		if (!answer.getHeader().getFlag(Flags.AA)) {
			return aliasElsewhere(name);
		}
		Name alias = alias(name, answer);
		return (alias != null && !isOfWildcard(name, alias)) ? alias : null;
	}

	// Any name that does not exist has the alias of a wildcard, until it gets a record
	private boolean isOfWildcard(Name name, Name alias) throws IOException {
		Name missing = Name.fromString("_", new Name(name, 1));
		return alias.equals(alias(missing, askPrimary(missing, Type.CNAME)));
	}

	private @Nullable Name aliasElsewhere(Name name) throws IOException {
		try {
			Message answer = this.others.send(question(name, Type.CNAME));
			if (answer.getRcode() != Rcode.NOERROR && answer.getRcode() != Rcode.NXDOMAIN) {
				throw new IOException(Rcode.string(answer.getRcode()));
			}
			return alias(name, answer);
		}
		catch (IOException ex) {
			throw new IOException(
					"The name server '%s' is not responsible for '%s', and it cannot be found out whether '%2$s' is an alias (CNAME): %s"
						.formatted(this.server.getHostString(), name, ex.getMessage()),
					ex);
		}
	}

	private static @Nullable Name alias(Name name, Message answer) {
		for (Record found : answer.getSection(Section.ANSWER)) {
			if (found instanceof CNAMERecord alias && alias.getName().equals(name)) {
				return alias.getTarget();
			}
		}
		return null;
	}

	// The zone is the nearest name above the record that has an SOA record
	private Name zone(Name record) throws IOException {
		for (int labels = 1; labels < record.labels(); labels++) {
			Name candidate = new Name(record, labels);
			Message answer = askPrimary(candidate, Type.SOA);
			for (Record found : answer.getSection(Section.ANSWER)) {
				if (found instanceof SOARecord && found.getName().equals(candidate)) {
					return candidate;
				}
			}
		}
		throw new IOException("The name server '%s' has no zone for '%s'. %s".formatted(this.server.getHostString(),
				record, "Check that it is the primary server of the domain"));
	}

	private void awaitAll(Name zone, Name record, String value) throws IOException, InterruptedException {
		long deadline = System.nanoTime() + this.longestWait.toNanos();
		Set<InetSocketAddress> missing = new LinkedHashSet<>(nameServers(zone));
		while (true) {
			missing.removeIf((server) -> !lacks(server, record, value));
			if (missing.isEmpty()) {
				return;
			}
			if (System.nanoTime() - deadline >= 0) {
				throw new IOException(
						"These name servers of '%s' still do not have the record '%s': %s. Check that the primary server notifies them"
							.formatted(zone, record, missing));
			}
			Thread.sleep(POLL_INTERVAL.toMillis());
		}
	}

	// One that does not answer here may have an address of a family that this machine has
	// no route for. The CA finds out whether it answers elsewhere
	private boolean lacks(InetSocketAddress server, Name record, String value) {
		try {
			Message answer = resolver(server).send(question(record, Type.TXT));
			return answer.getSection(Section.ANSWER)
				.stream()
				.noneMatch((found) -> found instanceof TXTRecord text && text.getStrings().contains(value));
		}
		catch (IOException ex) {
			return false;
		}
	}

	private List<InetSocketAddress> nameServers(Name zone) throws IOException {
		List<InetSocketAddress> servers = new ArrayList<>();
		servers.add(primary());
		Message answer = askPrimary(zone, Type.NS);
		for (Record found : answer.getSection(Section.ANSWER)) {
			if (found instanceof NSRecord secondary) {
				servers.addAll(addresses(secondary.getTarget(), answer));
			}
		}
		return servers;
	}

	// Preferably from the same answer, because names of servers may be in the zone itself
	private List<InetSocketAddress> addresses(Name server, Message answer) {
		List<InetSocketAddress> addresses = new ArrayList<>();
		for (Record found : answer.getSection(Section.ADDITIONAL)) {
			if (found.getName().equals(server) && found instanceof ARecord address) {
				addresses.add(new InetSocketAddress(address.getAddress(), this.port));
			}
			if (found.getName().equals(server) && found instanceof AAAARecord address) {
				addresses.add(new InetSocketAddress(address.getAddress(), this.port));
			}
		}
		try {
			if (addresses.isEmpty()) {
				for (InetAddress address : InetAddress.getAllByName(server.toString(true))) {
					addresses.add(new InetSocketAddress(address, this.port));
				}
			}
		}
		catch (UnknownHostException ex) {
			// A secret one, which the CA cannot ask either
		}
		return addresses;
	}

}
