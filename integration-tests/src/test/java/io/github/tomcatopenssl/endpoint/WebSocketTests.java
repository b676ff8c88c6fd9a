// Copyright 2026-present the original author or authors.
// SPDX-License-Identifier: Apache-2.0

package io.github.tomcatopenssl.endpoint;

import java.io.ByteArrayOutputStream;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.WebSocket;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Stream;

import io.github.tomcatopenssl.test.AbstractTlsServerTests;
import io.github.tomcatopenssl.test.TestServer;
import io.github.tomcatopenssl.test.TestServer.Engine;
import jakarta.servlet.ServletContext;
import jakarta.websocket.CloseReason;
import jakarta.websocket.DeploymentException;
import jakarta.websocket.Endpoint;
import jakarta.websocket.EndpointConfig;
import jakarta.websocket.MessageHandler;
import jakarta.websocket.PongMessage;
import jakarta.websocket.RemoteEndpoint;
import jakarta.websocket.Session;
import jakarta.websocket.server.ServerContainer;
import jakarta.websocket.server.ServerEndpointConfig;
import org.apache.coyote.AbstractProtocol;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

import org.springframework.beans.factory.SmartInitializingSingleton;
import org.springframework.boot.WebApplicationType;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests that both sides of a connection can send at once, from threads other than those
 * that read, even if neither side reads until both are blocked.
 */
@Tag("jdk")
class WebSocketTests extends AbstractTlsServerTests {

	private static final int CLIENTS = 8;

	/**
	 * Of each side, after those that get it stuck.
	 */
	private static final int MESSAGES = 50;

	/**
	 * That is 30 MB, more than the buffers of both sockets may ever hold.
	 */
	private static final int MOST_UNTIL_STUCK = 1000;

	private static final int LARGEST = 200_000;

	private static final int PING_EACH = 10;

	private static final int LAST_PING = -1;

	WebSocketTests() {
		super(WebApplicationType.SERVLET);
	}

	@Test
	void whenBothSidesSendAtOnceThenEachGetsAll() throws Exception {
		try (TestServer server = start(WebSocketConfiguration.class, Engine.OPENSSL, pem("p256"))) {
			HttpClient http = HttpClient.newBuilder().sslContext(certificates().trusting("p256.crt")).build();
			// Without it, Tomcat writes from the buffers of the connection
			for (boolean asyncIo : new boolean[] { true, false }) {
				server.connectors().get(0).setProperty("useAsyncIO", Boolean.toString(asyncIo));
				exchange(server, http, asyncIo);
			}
		}
	}

	private static void exchange(TestServer server, HttpClient http, boolean asyncIo) throws Exception {
		Map<Integer, ServerSide> servers = server.bean(ServerSides.class).opened;
		servers.clear();
		List<ClientSide> clients = new ArrayList<>();
		for (int i = 0; i < CLIENTS; i++) {
			clients.add(new ClientSide(i));
			clients.get(i).connect(http, server.port(), asyncIo);
		}
		Awaitility.await().until(() -> servers.size() == CLIENTS);
		List<Side> sides = Stream.concat(clients.stream(), servers.values().stream()).toList();
		List<Side> slow = sides.stream().filter(Side::isSlow).toList();
		awaitStuck(slow);
		slow.forEach(Side::goOn);
		for (Side side : sides) {
			side.awaitAll();
		}
		clients.forEach(ClientSide::close);
		for (Side side : sides) {
			assertThat(side.closed.get(30, TimeUnit.SECONDS)).as(side.name).isEqualTo(WebSocket.NORMAL_CLOSURE);
		}
		var protocol = (AbstractProtocol<?>) server.connectors().get(0).getProtocolHandler();
		Awaitility.await().atMost(Duration.ofSeconds(30)).until(() -> protocol.getConnectionCount() <= 1);
	}

	private static void awaitStuck(List<Side> sides) {
		AtomicInteger before = new AtomicInteger();
		Awaitility.await().atMost(Duration.ofSeconds(30)).pollInterval(Duration.ofMillis(300)).until(() -> {
			int sent = sides.stream().mapToInt((side) -> side.sent.get()).sum();
			return before.getAndSet(sent) == sent && sent > 0;
		});
		assertThat(sides).hasSize(CLIENTS).noneMatch((side) -> side.sender.isDone());
	}

	/**
	 * The messages of one side of a connection, which the other knows.
	 */
	private static final class Messages {

		private final Random random;

		private int count;

		Messages(String sender) {
			this.random = new Random(sender.hashCode());
		}

		byte[] next() {
			int size = switch (this.count++) {
				case 0 -> 1;
				case 1 -> LARGEST;
				default -> 1 + this.random.nextInt((this.random.nextInt(4) == 0) ? LARGEST : 10_000);
			};
			byte[] message = new byte[size];
			this.random.nextBytes(message);
			return message;
		}

	}

	/**
	 * A side of a connection: what it sends, and what it gets of the other.
	 */
	private abstract static class Side {

		final int id;

		final String name;

		final AtomicInteger sent = new AtomicInteger();

		final CountDownLatch goesOn;

		CompletableFuture<Void> sender;

		final CompletableFuture<Integer> closed = new CompletableFuture<>();

		private final Messages outgoing;

		private final Messages expected;

		private final CompletableFuture<Void> received = new CompletableFuture<>();

		private final CompletableFuture<Void> lastPong = new CompletableFuture<>();

		private final ByteArrayOutputStream message = new ByteArrayOutputStream();

		Side(String name, String other, int id) {
			this.name = name + " " + id;
			this.id = id;
			this.goesOn = new CountDownLatch(isSlow() ? 1 : 0);
			this.outgoing = new Messages(this.name);
			this.expected = new Messages(other + " " + id);
		}

		boolean isSlow() {
			return this.id % 2 == 1;
		}

		void startSending() {
			this.sender = CompletableFuture.runAsync(() -> {
				try {
					sendAll();
				}
				catch (Exception | AssertionError ex) {
					fail(new IllegalStateException("%s after %s messages".formatted(this, this.sent), ex));
				}
			}, (task) -> new Thread(task).start());
		}

		private void sendAll() throws Exception {
			for (int left = MESSAGES; left > 0;) {
				assertThat(this.sent).hasValueLessThan(MOST_UNTIL_STUCK);
				send(this.sent.get(), this.outgoing.next());
				if (this.sent.incrementAndGet() % PING_EACH == 0) {
					ping(this.sent.get());
				}
				if (this.goesOn.getCount() == 0) {
					left--;
				}
			}
			send("" + this.sent);
			ping(LAST_PING);
		}

		abstract void send(int number, byte[] message) throws Exception;

		abstract void send(String text) throws Exception;

		abstract void ping(ByteBuffer data) throws Exception;

		private void ping(int number) throws Exception {
			ping(ByteBuffer.allocate(4).putInt(number).flip());
		}

		void goOn() {
			this.goesOn.countDown();
		}

		void receive(ByteBuffer part, boolean last) {
			byte[] bytes = new byte[part.remaining()];
			part.get(bytes);
			this.message.writeBytes(bytes);
			if (!last) {
				return;
			}
			try {
				byte[] expected = this.expected.next();
				assertThat(this.message.size()).as("Size of message %d of %s", this.expected.count, this)
					.isEqualTo(expected.length);
				assertThat(Arrays.mismatch(this.message.toByteArray(), expected))
					.as("The first wrong byte of message %d of %s", this.expected.count, this)
					.isEqualTo(-1);
				this.message.reset();
			}
			catch (AssertionError ex) {
				fail(ex);
			}
		}

		void receive(String count) {
			if (Integer.parseInt(count) == this.expected.count) {
				this.received.complete(null);
			}
			else {
				fail(new IllegalStateException("%s got %d of %s".formatted(this, this.expected.count, count)));
			}
		}

		void pong(ByteBuffer data) {
			if (data.getInt() == LAST_PING) {
				this.lastPong.complete(null);
			}
		}

		void closed(int code) {
			this.closed.complete(code);
			fail(new IllegalStateException(this + " was closed with " + code));
		}

		void fail(Throwable ex) {
			this.received.completeExceptionally(ex);
			this.lastPong.completeExceptionally(ex);
			this.closed.completeExceptionally(ex);
		}

		void awaitAll() throws Exception {
			this.received.get(30, TimeUnit.SECONDS);
			this.sender.get(30, TimeUnit.SECONDS);
			this.lastPong.get(30, TimeUnit.SECONDS);
		}

		@Override
		public String toString() {
			return this.name;
		}

	}

	private static final class ClientSide extends Side implements WebSocket.Listener {

		private WebSocket socket;

		ClientSide(int id) {
			super("client", "server", id);
		}

		void connect(HttpClient http, int port, boolean asyncSend) throws Exception {
			String uri = "wss://localhost:%d/messages?id=%d&asyncSend=%s".formatted(port, this.id, asyncSend);
			this.socket = http.newWebSocketBuilder().buildAsync(URI.create(uri), this).get(30, TimeUnit.SECONDS);
			startSending();
		}

		@Override
		void send(int number, byte[] message) throws Exception {
			int part = message.length / 3;
			if (number % 2 == 0) {
				this.socket.sendBinary(ByteBuffer.wrap(message, 0, part), false).get();
				this.socket.sendBinary(ByteBuffer.wrap(message, part, message.length - part), true).get();
			}
			else {
				this.socket.sendBinary(ByteBuffer.wrap(message), true).get();
			}
		}

		@Override
		void send(String text) throws Exception {
			this.socket.sendText(text, true).get();
		}

		@Override
		void ping(ByteBuffer data) throws Exception {
			this.socket.sendPing(data).get();
		}

		@Override
		void goOn() {
			super.goOn();
			this.socket.request(1);
		}

		void close() {
			this.socket.sendClose(WebSocket.NORMAL_CLOSURE, "");
		}

		@Override
		public void onOpen(WebSocket socket) {
			if (!isSlow()) {
				socket.request(Long.MAX_VALUE);
			}
		}

		@Override
		public CompletionStage<?> onBinary(WebSocket socket, ByteBuffer data, boolean last) {
			receive(data, last);
			return next(socket);
		}

		@Override
		public CompletionStage<?> onText(WebSocket socket, CharSequence data, boolean last) {
			receive(data.toString());
			return next(socket);
		}

		@Override
		public CompletionStage<?> onPing(WebSocket socket, ByteBuffer message) {
			return next(socket);
		}

		@Override
		public CompletionStage<?> onPong(WebSocket socket, ByteBuffer message) {
			pong(message);
			return next(socket);
		}

		private CompletionStage<?> next(WebSocket socket) {
			if (isSlow()) {
				socket.request(1);
			}
			return null;
		}

		@Override
		public CompletionStage<?> onClose(WebSocket socket, int code, String reason) {
			closed(code);
			return null;
		}

		@Override
		public void onError(WebSocket socket, Throwable error) {
			fail(error);
		}

	}

	private static final class ServerSide extends Side {

		private final Session session;

		/**
		 * Not without asynchronous I/O: such a message may wait for the thread that
		 * reads, which waits for the message where it has a pong to send.
		 */
		private final boolean asyncSend;

		ServerSide(Session session, Map<String, List<String>> parameters) {
			super("server", "client", Integer.parseInt(parameters.get("id").get(0)));
			this.session = session;
			// Tomcat's is 20 seconds
			session.getUserProperties().put("org.apache.tomcat.websocket.BLOCKING_SEND_TIMEOUT", 60_000L);
			this.asyncSend = Boolean.parseBoolean(parameters.get("asyncSend").get(0));
		}

		void open() {
			this.session.addMessageHandler(ByteBuffer.class, (MessageHandler.Partial<ByteBuffer>) (part, last) -> {
				awaitGoesOn();
				receive(part, last);
			});
			this.session.addMessageHandler(String.class, (MessageHandler.Whole<String>) this::receive);
			this.session.addMessageHandler(PongMessage.class,
					(MessageHandler.Whole<PongMessage>) (message) -> pong(message.getApplicationData()));
			startSending();
		}

		private void awaitGoesOn() {
			try {
				this.goesOn.await(60, TimeUnit.SECONDS);
			}
			catch (InterruptedException ex) {
				throw new IllegalStateException(ex);
			}
		}

		@Override
		void send(int number, byte[] message) throws Exception {
			RemoteEndpoint.Basic remote = this.session.getBasicRemote();
			int part = message.length / 3;
			if (number % 2 == 0) {
				remote.sendBinary(ByteBuffer.wrap(message, 0, part), false);
				remote.sendBinary(ByteBuffer.wrap(message, part, message.length - part), true);
			}
			else if (this.asyncSend && number % 3 == 0) {
				this.session.getAsyncRemote().sendBinary(ByteBuffer.wrap(message)).get();
			}
			else {
				remote.sendBinary(ByteBuffer.wrap(message));
			}
		}

		@Override
		void send(String text) throws Exception {
			this.session.getBasicRemote().sendText(text);
		}

		@Override
		void ping(ByteBuffer data) throws Exception {
			this.session.getBasicRemote().sendPing(data);
		}

	}

	/**
	 * What Tomcat calls, with the sides of the server.
	 */
	private static final class ServerSides extends ServerEndpointConfig.Configurator {

		private final Map<Integer, ServerSide> opened = new ConcurrentHashMap<>();

		@Override
		public <T> T getEndpointInstance(Class<T> type) {
			return type.cast(new MessagesEndpoint(this.opened));
		}

	}

	static final class MessagesEndpoint extends Endpoint {

		private final Map<Integer, ServerSide> opened;

		private ServerSide side;

		private MessagesEndpoint(Map<Integer, ServerSide> opened) {
			this.opened = opened;
		}

		@Override
		public void onOpen(Session session, EndpointConfig config) {
			this.side = new ServerSide(session, session.getRequestParameterMap());
			this.side.open();
			this.opened.put(this.side.id, this.side);
		}

		@Override
		public void onError(Session session, Throwable ex) {
			this.side.fail(ex);
		}

		@Override
		public void onClose(Session session, CloseReason reason) {
			this.side.closed(reason.getCloseCode().getCode());
		}

	}

	@Configuration(proxyBeanMethods = false)
	static class WebSocketConfiguration {

		@Bean
		ServerSides serverSides() {
			return new ServerSides();
		}

		// Spring Boot has set up the container
		@Bean
		SmartInitializingSingleton messagesEndpoint(ServletContext context, ServerSides sides) {
			ServerContainer container = (ServerContainer) context.getAttribute(ServerContainer.class.getName());
			return () -> {
				try {
					container.addEndpoint(ServerEndpointConfig.Builder.create(MessagesEndpoint.class, "/messages")
						.configurator(sides)
						.build());
				}
				catch (DeploymentException ex) {
					throw new IllegalStateException(ex);
				}
			};
		}

	}

}
