// Copyright 2026-present the original author or authors.
// SPDX-License-Identifier: Apache-2.0

package io.github.tomcatopenssl.endpoint;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.UncheckedIOException;
import java.lang.management.ManagementFactory;
import java.lang.management.ThreadInfo;
import java.lang.management.ThreadMXBean;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Arrays;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import java.util.stream.Stream;

import javax.management.JMException;
import javax.management.ObjectName;

import com.sun.management.UnixOperatingSystemMXBean;
import io.github.tomcatopenssl.test.ForkedApplication;
import io.github.tomcatopenssl.test.TestServer;
import org.apache.coyote.AbstractProtocol;
import org.apache.coyote.UpgradeProtocol;
import org.apache.coyote.http2.Http2Protocol;

import org.springframework.boot.WebApplicationType;

/**
 * A server in a JVM of its own that says what it uses. Its heap is resident from the
 * start, so that what else becomes resident is native memory.
 */
public final class FloodedServer implements AutoCloseable {

	private static final String ANSWER = "answer: ";

	private static final Duration PATIENCE = Duration.ofMinutes(2);

	/**
	 * Maximum number of open requests of an HTTP/2 connection.
	 */
	private static final int STREAMS = Integer.getInteger("load.streams", 100);

	/**
	 * How long the CPU of threads is measured.
	 */
	private static final Duration SILENCE = Duration.ofSeconds(2);

	private static final ThreadMXBean THREADS = ManagementFactory.getThreadMXBean();

	private final Process process;

	private final BlockingQueue<long[]> answers = new LinkedBlockingQueue<>();

	private final Collection<String> log = new ConcurrentLinkedQueue<>();

	private final int port;

	FloodedServer(List<String> properties) throws IOException, InterruptedException {
		this.process = new ProcessBuilder(ForkedApplication.command(FloodedServer.class,
				List.of("-Xms512m", "-Xmx512m", "-XX:+AlwaysPreTouch", "-XX:TieredStopAtLevel=4",
						"-Dspring.devtools.restart.enabled=false", "-Dload.streams=" + STREAMS),
				properties.stream().map((property) -> "--" + property).toList()))
			.redirectErrorStream(true)
			.start();
		Thread reader = new Thread(this::read, "output of the server");
		reader.setDaemon(true);
		reader.start();
		this.port = (int) answer()[0];
	}

	private void read() {
		try (BufferedReader output = new BufferedReader(
				new InputStreamReader(this.process.getInputStream(), StandardCharsets.UTF_8))) {
			output.lines().forEach((line) -> {
				if (line.startsWith(ANSWER)) {
					this.answers.add(
							Stream.of(line.substring(ANSWER.length()).split(" ")).mapToLong(Long::parseLong).toArray());
				}
				else {
					this.log.add(line);
				}
			});
		}
		catch (IOException | UncheckedIOException ex) {
			// The server has ended
		}
	}

	int port() {
		return this.port;
	}

	/**
	 * Return what the server has written to its log.
	 * @return the lines
	 */
	Collection<String> log() {
		return this.log;
	}

	/**
	 * Return the CPU time of the process so far, with all that the JVM does.
	 * @return the time
	 */
	Duration cpu() throws IOException, InterruptedException {
		return Duration.ofNanos(ask(Question.CPU)[0]);
	}

	/**
	 * Return the CPU time that the busiest thread of the connector takes now.
	 * @return the time for each second
	 */
	Duration busiestThread() throws IOException, InterruptedException {
		return Duration.ofNanos(ask(Question.BUSIEST_THREAD)[0]);
	}

	Usage usage() throws IOException, InterruptedException {
		long[] values = ask(Question.USAGE);
		return new Usage(values[0], values[1], values[2], values[3], values[4]);
	}

	private long[] ask(Question question) throws IOException, InterruptedException {
		this.process.getOutputStream().write((question + "\n").getBytes(StandardCharsets.UTF_8));
		this.process.getOutputStream().flush();
		return answer();
	}

	private long[] answer() throws IOException, InterruptedException {
		long deadline = System.nanoTime() + PATIENCE.toNanos();
		long[] answer = null;
		while (answer == null && System.nanoTime() < deadline && this.process.isAlive()) {
			answer = this.answers.poll(1, TimeUnit.SECONDS);
		}
		if (answer == null) {
			throw new IOException("No answer:%n%s".formatted(String.join("\n", this.log)));
		}
		return answer;
	}

	@Override
	public void close() {
		if (!this.process.isAlive()) {
			System.err.printf("The server ended with status %d:%n%s%n", this.process.exitValue(),
					String.join("\n", this.log));
		}
		this.process.destroyForcibly();
	}

	/**
	 * Start the server, and answer a question for each line of the input.
	 * @param arguments the arguments of the application
	 * @throws Exception if it does not start, or if there is no answer
	 */
	public static void main(String[] arguments) throws Exception {
		TestServer server = TestServer.start(WebApplicationType.SERVLET, LeftoverTests.LeftoverConfiguration.class,
				Stream.of(arguments)
					.filter((argument) -> !argument.contains("banner-mode"))
					.map((argument) -> argument.replaceFirst("--", ""))
					.toList());
		limitStreams(server);
		print(server.port());
		BufferedReader questions = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
		for (String line = questions.readLine(); line != null; line = questions.readLine()) {
			print(Question.valueOf(line).answer(server));
		}
		System.exit(0);
	}

	private static void limitStreams(TestServer server) {
		for (UpgradeProtocol protocol : server.connectors().get(0).findUpgradeProtocols()) {
			((Http2Protocol) protocol).setMaxConcurrentStreams(STREAMS);
		}
	}

	private static void print(long... values) {
		System.out.println(ANSWER + Arrays.stream(values).mapToObj(Long::toString).collect(Collectors.joining(" ")));
	}

	private static UnixOperatingSystemMXBean system() {
		return (UnixOperatingSystemMXBean) ManagementFactory.getOperatingSystemMXBean();
	}

	private static Map<Long, Long> cpuOfThreads() {
		Map<Long, Long> cpu = new HashMap<>();
		for (ThreadInfo thread : THREADS.getThreadInfo(THREADS.getAllThreadIds())) {
			if (thread != null && thread.getThreadName().contains("-nio-")) {
				cpu.put(thread.getThreadId(), THREADS.getThreadCpuTime(thread.getThreadId()));
			}
		}
		return cpu;
	}

	/**
	 * What a server uses.
	 *
	 * @param heap the bytes of the heap, garbage apart
	 * @param resident the bytes of memory that are resident, apart from files, and from
	 * what glibc only keeps for later
	 * @param descriptors how many files and sockets are open
	 * @param threads how many threads
	 * @param connections how many connections
	 */
	record Usage(long heap, long resident, long descriptors, long threads, long connections) {

	}

	private enum Question {

		CPU {

			@Override
			long[] answer(TestServer server) {
				return new long[] { system().getProcessCpuTime() };
			}

		},

		BUSIEST_THREAD {

			@Override
			long[] answer(TestServer server) throws InterruptedException {
				Map<Long, Long> before = cpuOfThreads();
				Thread.sleep(SILENCE.toMillis());
				Map<Long, Long> after = cpuOfThreads();
				after.replaceAll((thread, cpu) -> cpu - before.getOrDefault(thread, 0L));
				return new long[] {
						after.values().stream().mapToLong(Long::longValue).max().orElse(0) / SILENCE.toSeconds() };
			}

		},

		USAGE {

			@Override
			long[] answer(TestServer server) throws IOException, JMException {
				// What engines have is freed after they were found to be garbage
				System.gc();
				System.runFinalization();
				System.gc();
				long heap = ManagementFactory.getMemoryMXBean().getHeapMemoryUsage().getUsed();
				trimNativeHeap();
				AbstractProtocol<?> protocol = (AbstractProtocol<?>) server.connectors().get(0).getProtocolHandler();
				return new long[] { heap, resident(), system().getOpenFileDescriptorCount(), THREADS.getThreadCount(),
						protocol.getConnectionCount() };
			}

		};

		abstract long[] answer(TestServer server) throws Exception;

		private static void trimNativeHeap() throws JMException {
			ManagementFactory.getPlatformMBeanServer()
				.invoke(new ObjectName("com.sun.management:type=DiagnosticCommand"), "systemTrimNativeHeap",
						new Object[0], new String[0]);
		}

		private static long resident() throws IOException {
			try (Stream<String> lines = Files.lines(Path.of("/proc/self/status"))) {
				return 1024 * lines.filter((line) -> line.startsWith("RssAnon:"))
					.mapToLong((line) -> Long.parseLong(line.replaceAll("\\D", "")))
					.sum();
			}
		}

	}

}
