// Copyright 2026-present the original author or authors.
// SPDX-License-Identifier: Apache-2.0

package io.github.tomcatopenssl.acme;

import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;

import io.github.tomcatopenssl.test.Provided;
import org.awaitility.Awaitility;
import org.xbill.DNS.DClass;
import org.xbill.DNS.Message;
import org.xbill.DNS.Name;
import org.xbill.DNS.Record;
import org.xbill.DNS.Section;
import org.xbill.DNS.SimpleResolver;
import org.xbill.DNS.Type;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Name servers of BIND on this machine.
 */
final class Bind implements AutoCloseable {

	static final String ADDRESS = "127.0.0.1";

	/**
	 * The key of all updates, which has the name 'acme'.
	 */
	static final String KEY = "MDEyMzQ1Njc4OTAxMjM0NTY3ODkwMTIzNDU2Nzg5MDE=";

	private static final Pattern ZONE = Pattern.compile("zone \"(.+?)\"");

	private final Path folder;

	private final String nameServers;

	private final List<Process> servers = new ArrayList<>();

	/**
	 * Create an instance without servers.
	 * @param folder the folder of their files
	 * @param nameServers the address of the name servers of all zones
	 */
	Bind(Path folder, String nameServers) {
		Provided.named();
		this.folder = folder;
		this.nameServers = nameServers;
	}

	/**
	 * Start a server and wait until it has its zones.
	 * @param port its port
	 * @param options its options
	 * @param zones its zones, each a statement of its configuration
	 */
	void start(int port, String options, String... zones) throws IOException {
		Path work = Files.createDirectory(this.folder.resolve(String.valueOf(port)));
		Path configuration = Files.writeString(work.resolve("named.conf"), """
				options {
				  directory "%1$s"; pid-file none; session-keyfile "%1$s/session.key";
				  dnssec-validation no; listen-on port %2$d { %3$s; }; listen-on-v6 { none; };
				  %4$s
				};
				controls { };
				key "acme" { algorithm hmac-sha256; secret "%5$s"; };
				%6$s
				""".formatted(work, port, ADDRESS, options, KEY, String.join("", zones)));
		this.servers.add(new ProcessBuilder("named", "-g", "-c", configuration.toString()).redirectErrorStream(true)
			.redirectOutput(work.resolve("log").toFile())
			.start());
		Awaitility.await()
			.atMost(Duration.ofSeconds(30))
			.untilAsserted(() -> assertThat(zones).as(Files.readString(work.resolve("log")))
				.allMatch((zone) -> ZONE.matcher(zone).results().allMatch((name) -> answers(port, name.group(1)))));
	}

	/**
	 * Return a zone that its server itself has.
	 * @param name the name of the zone
	 * @param records its records
	 * @param updatable the names whose TXT records may be updated
	 */
	String zone(String name, String records, String... updatable) throws IOException {
		Path file = Files.writeString(this.folder.resolve(name), """
				$TTL 60
				@ IN SOA ns1 admin 1 60 60 600 60
				@ IN NS ns1
				@ IN NS ns2
				ns1 IN A %s
				ns2 IN A %s
				""".formatted(this.nameServers, this.nameServers) + records);
		String policy = Stream.of(updatable).map("grant acme name %s TXT; "::formatted).collect(Collectors.joining());
		return """
				zone "%s" { type primary; file "%s"; %s };
				""".formatted(name, file, policy.isEmpty() ? "" : "update-policy { " + policy + "};");
	}

	/**
	 * Return a zone that is copied from another server.
	 * @param name the name of the zone
	 * @param primary the port of the other server
	 */
	String copy(String name, int primary) {
		return """
				zone "%s" { type secondary; file "%s/copy-of-%1$s"; primaries { %s port %d; }; };
				""".formatted(name, this.folder, ADDRESS, primary);
	}

	/**
	 * Return the TXT records that a server has.
	 * @param port the port of the server
	 * @param name the name of the records
	 * @return the values, in quotes
	 */
	static List<String> texts(int port, String name) throws IOException {
		return answer(port, name, Type.TXT).stream().map(Record::rdataToString).toList();
	}

	static SimpleResolver resolver(int port) {
		SimpleResolver resolver = new SimpleResolver(new InetSocketAddress(ADDRESS, port));
		resolver.setTimeout(Duration.ofSeconds(1));
		return resolver;
	}

	private static boolean answers(int port, String zone) {
		try {
			return !answer(port, zone + ".", Type.SOA).isEmpty();
		}
		catch (IOException ex) {
			return false;
		}
	}

	private static List<Record> answer(int port, String name, int type) throws IOException {
		return resolver(port).send(Message.newQuery(Record.newRecord(Name.fromString(name), type, DClass.IN)))
			.getSection(Section.ANSWER);
	}

	@Override
	public void close() {
		for (Process server : this.servers) {
			server.destroyForcibly().onExit().join();
		}
	}

}
