// Copyright 2026-present the original author or authors.
// SPDX-License-Identifier: Apache-2.0

package io.github.tomcatopenssl.endpoint;

import java.io.IOException;
import java.nio.channels.SelectionKey;
import java.nio.channels.SocketChannel;
import java.time.InstantSource;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;

import io.github.tomcatopenssl.ForwardedCertificateHeader;
import io.github.tomcatopenssl.SettingName;
import io.github.tomcatopenssl.SettingText;
import io.github.tomcatopenssl.TlsSettingException;
import io.github.tomcatopenssl.internal.engine.ServedHost;
import io.github.tomcatopenssl.internal.engine.TlsEngine;
import io.github.tomcatopenssl.internal.engine.TlsHosts;
import io.github.tomcatopenssl.internal.engine.TlsSession;
import io.github.tomcatopenssl.internal.engine.VirtualHosts;
import io.github.tomcatopenssl.internal.host.ForeignText;
import io.github.tomcatopenssl.internal.host.HostIdentity;
import io.github.tomcatopenssl.internal.host.HostKey;
import io.github.tomcatopenssl.internal.host.HostNames;
import io.github.tomcatopenssl.internal.host.HostReader;
import io.github.tomcatopenssl.internal.host.TlsSettings;
import io.github.tomcatopenssl.internal.host.TrustedProxies;
import org.apache.catalina.util.ServerInfo;
import org.apache.tomcat.util.collections.SynchronizedStack;
import org.apache.tomcat.util.net.Acceptor;
import org.apache.tomcat.util.net.NioChannel;
import org.apache.tomcat.util.net.NioEndpoint;
import org.apache.tomcat.util.net.SSLHostConfig;
import org.apache.tomcat.util.net.SocketEvent;
import org.apache.tomcat.util.net.SocketProcessorBase;
import org.apache.tomcat.util.net.SocketWrapperBase;
import org.jspecify.annotations.Nullable;

/**
 * Tomcat's default endpoint with this project's channel ({@link TlsChannel}) and virtual
 * hosts. The settings of a virtual host are applied whenever Tomcat creates its context,
 * and a reloaded virtual host still counts as the same host. With OpenSSL, handshakes
 * have threads of their own. The class is public because JMX calls its methods.
 */
public class TlsNioEndpoint extends NioEndpoint {

	/**
	 * How often to look for connections whose client is no longer valid.
	 */
	private static final int EXPIRY_SECONDS = 5;

	/**
	 * How often to look for verifications that take too long: as often as Tomcat checks
	 * its timeouts.
	 */
	private static final int OVERDUE_SECONDS = 1;

	/**
	 * Maximum number of verifications at once, unless there may be more workers: Tomcat's
	 * default for its workers.
	 */
	private static final int MOST_VERIFICATIONS = 200;

	/**
	 * Waits for nothing.
	 */
	private static final VerificationThreads.Waiting NOBODY = new VerificationThreads.Waiting() {

		@Override
		public boolean isOverdue() {
			return false;
		}

		@Override
		public void close() {
		}

	};

	private @Nullable VirtualHosts virtualHosts;

	private final HandshakeCounters handshakeCounters = new HandshakeCounters();

	private final HandshakeRecorder handshakeRecorder = new HandshakeRecorder();

	private final FailureReport failureReport = new FailureReport("handshake", this::getLocalPort,
			this::getUtilityExecutor);

	private final FailureReport requestReport = new FailureReport("request", "from", this::getLocalPort,
			this::getUtilityExecutor);

	private RequestGate gate = new RequestGate(new ServedHosts(), false);

	private @Nullable ForwardedCertificates forwardedCertificates;

	private volatile @Nullable TlsBuffers buffers;

	/**
	 * {@code null} without TLS, and if a step of the engine can block.
	 */
	private volatile @Nullable HandshakeThreads handshakes;

	private volatile @Nullable VerificationThreads verification;

	/**
	 * Ask the application for hosts.
	 */
	private volatile @Nullable VerificationThreads questions;

	private volatile @Nullable LingeringSockets lingering;

	private final SurvivedErrors survivedErrors = new SurvivedErrors(this::getLocalPort);

	/**
	 * {@code null} without TLS. Tomcat's own has no connections then.
	 */
	private volatile @Nullable LastingPoller poller;

	/**
	 * The threads of the poller and the acceptor.
	 */
	private final List<LastingThread> threads = new CopyOnWriteArrayList<>();

	/**
	 * Looks for connections whose client is no longer valid.
	 */
	private @Nullable ScheduledFuture<?> expiry;

	/**
	 * Ends handshakes whose verification takes too long.
	 */
	private @Nullable ScheduledFuture<?> overdue;

	TlsNioEndpoint() {
	}

	void configure(VirtualHosts virtualHosts) {
		this.virtualHosts = virtualHosts;
		ForwardedCertificateHeader header = virtualHosts.settings().forwardedCertificates();
		if (header != null) {
			this.handshakeCounters.countRefused(ForwardedCertificates.REASONS);
			this.forwardedCertificates = new ForwardedCertificates(header, this.handshakeCounters,
					new FailureReport("forwarded certificate verification", this::getLocalPort,
							this::getUtilityExecutor),
					InstantSource.system());
			this.gate = new RequestGate(new ServedHosts(), true);
		}
	}

	@Override
	public void startInternal() throws Exception {
		TlsEngine engine = isSSLEnabled() ? virtualHosts().engine() : null;
		TlsBuffers buffers = new TlsBuffers(this.socketProperties, engine != null && engine.needsDirectBuffers());
		this.handshakes = (engine != null && engine.signsAtOnce())
				? new HandshakeThreads(this, buffers, this.survivedErrors) : null;
		this.buffers = buffers;
		int most = Math.max(getMaxThreads(), MOST_VERIFICATIONS);
		VerificationThreads verification = new VerificationThreads(getName() + "-verify-", most,
				VerificationThreads.IDLE);
		this.verification = verification;
		VerificationThreads questions = new VerificationThreads(getName() + "-names-", most, VerificationThreads.IDLE);
		this.questions = questions;
		boolean started = false;
		try {
			if (isSSLEnabled()) {
				startPoller();
				LingeringSockets lingering = new LingeringSockets();
				this.lingering = lingering;
				start(lingering, getName() + "-close", Thread.NORM_PRIORITY, true);
			}
			super.startInternal();
			started = true;
		}
		finally {
			if (!started) {
				stopHandshakes();
				stopPoller();
				stopLingering();
			}
		}
		if (isSSLEnabled()) {
			this.expiry = getUtilityExecutor().scheduleWithFixedDelay(this::endExpired, EXPIRY_SECONDS, EXPIRY_SECONDS,
					TimeUnit.SECONDS);
			this.overdue = getUtilityExecutor().scheduleWithFixedDelay(() -> {
				endOverdue(verification);
				endOverdue(questions);
			}, OVERDUE_SECONDS, OVERDUE_SECONDS, TimeUnit.SECONDS);
		}
	}

	@Override
	public void stopInternal() {
		if (this.expiry != null) {
			this.expiry.cancel(false);
		}
		if (this.overdue != null) {
			this.overdue.cancel(false);
		}
		pause();
		stopHandshakes();
		stopPoller();
		try {
			super.stopInternal();
		}
		finally {
			stop(this.verification);
			stop(this.questions);
			this.buffers = null;
			// A closed selector keeps the keys of connections that are closed later
			this.handshakes = null;
			stopLingering();
			this.poller = null;
			this.threads.clear();
			// The poller has closed only those that it knew
			this.connections.values().forEach(SocketWrapperBase::close);
		}
	}

	private static void stop(@Nullable VerificationThreads threads) {
		if (threads != null) {
			threads.stop();
		}
	}

	private void stopHandshakes() {
		HandshakeThreads handshakes = this.handshakes;
		if (handshakes != null) {
			handshakes.stop();
		}
	}

	private void startPoller() throws IOException {
		LastingPoller poller = new LastingPoller(this, this.survivedErrors);
		this.poller = poller;
		start(poller, getName() + "-TLS-Poller", getPollerThreadPriority(), true);
	}

	private void stopPoller() {
		LastingPoller poller = this.poller;
		if (poller != null) {
			poller.stop();
		}
	}

	private void stopLingering() {
		LingeringSockets lingering = this.lingering;
		if (lingering != null) {
			lingering.stop();
		}
		this.lingering = null;
	}

	private void close(SocketChannel socket) {
		LingeringSockets lingering = this.lingering;
		Poller poller = getPoller();
		try {
			if (lingering == null || poller == null) {
				socket.close();
				return;
			}
			SelectionKey key = socket.keyFor(poller.getSelector());
			if (key != null) {
				key.cancel();
			}
			lingering.close(socket);
		}
		catch (IOException ex) {
			getLog().debug("A socket could not be closed", ex);
		}
	}

	private void start(Runnable work, String name, int priority, boolean daemon) {
		LastingThread thread = new LastingThread(work, this.survivedErrors, (lasting) -> {
			Thread created = new Thread(lasting, name);
			created.setPriority(priority);
			created.setDaemon(daemon);
			return created;
		});
		this.threads.add(thread);
		thread.start();
	}

	/**
	 * Return the threads that serve all connections, but have failed.
	 * @return their names
	 */
	List<String> failedThreads() {
		HandshakeThreads handshakes = this.handshakes;
		return Stream.concat(this.threads.stream(), (handshakes != null) ? handshakes.threads() : Stream.empty())
			.filter(LastingThread::hasFailed)
			.map(LastingThread::name)
			.toList();
	}

	@Override
	protected void startAcceptorThread() {
		Acceptor<SocketChannel> acceptor = new Acceptor<>(this);
		this.acceptor = acceptor;
		start(acceptor, getName() + "-Acceptor", getAcceptorThreadPriority(), getDaemon());
	}

	// Tomcat's acceptor does so only after an exception
	@Override
	protected SocketChannel serverSocketAccept() throws Exception {
		try {
			return super.serverSocketAccept();
		}
		catch (Error ex) {
			countDownConnection();
			throw ex;
		}
	}

	@Override
	protected Poller getPoller() {
		LastingPoller poller = this.poller;
		return (poller != null) ? poller : super.getPoller();
	}

	@Override
	public int getKeepAliveCount() {
		LastingPoller poller = this.poller;
		return (poller != null) ? poller.getKeyCount() : super.getKeepAliveCount();
	}

	// An error would also end the search for other connections, and all later ones
	private void endExpired() {
		try {
			if (this.forwardedCertificates != null) {
				this.forwardedCertificates.dropOutdated();
			}
			this.connections.values().forEach(this::endIfExpired);
		}
		catch (Throwable ex) {
			this.survivedErrors.add(ex);
		}
	}

	private void endOverdue(VerificationThreads verification) {
		try {
			verification.endOverdue();
		}
		catch (Throwable ex) {
			this.survivedErrors.add(ex);
		}
	}

	private void endIfExpired(SocketWrapperBase<NioChannel> connection) {
		try {
			if (connection instanceof TlsConnection accepted && accepted.negotiated() != null
					&& (accepted.hasEnded() || this.gate.lacksCertificate(accepted))) {
				accepted.endUnlessBusy();
			}
		}
		catch (Throwable ex) {
			this.survivedErrors.add(ex);
			connection.close();
		}
	}

	HandshakeCounters handshakeCounters() {
		return this.handshakeCounters;
	}

	HandshakeRecorder handshakeRecorder() {
		return this.handshakeRecorder;
	}

	// Called at startup, where a failure ends the start with its reason
	void requireReadableHosts() {
		virtualHosts().requireReadable(this.sslHostConfigs.values());
	}

	/**
	 * Create the contexts of all virtual hosts as a start does, without a socket.
	 * @throws Exception what would end the start
	 */
	void createContexts() throws Exception {
		initialiseSsl();
	}

	VirtualHosts virtualHosts() {
		if (this.virtualHosts == null) {
			throw new TlsSettingException(SettingName.CERTIFICATE,
					new SettingText("the connector '%s' did not receive its TLS settings", getName()),
					new SettingText(
							"Add to the context customizers of the web server factory instead of replacing them"),
					null);
		}
		return this.virtualHosts;
	}

	List<String> engines() {
		return (this.virtualHosts != null) ? this.virtualHosts.engines() : List.of();
	}

	FailureReport failureReport() {
		return this.failureReport;
	}

	FailureReport requestReport() {
		return this.requestReport;
	}

	/**
	 * Return the certificates that proxies forward.
	 * @return the certificates, or {@code null} if nobody may forward any
	 */
	@Nullable ForwardedCertificates forwardedCertificates() {
		return this.forwardedCertificates;
	}

	/**
	 * Return what decides about requests.
	 * @return the gate
	 */
	RequestGate gate() {
		return this.gate;
	}

	TlsSettings settings() {
		return virtualHosts().settings();
	}

	List<String> applicationProtocols() {
		return this.negotiableProtocols;
	}

	TlsHosts hosts() {
		return virtualHosts().current();
	}

	@Override
	public void addSslHostConfig(SSLHostConfig host, boolean replace) {
		if (!host.getHostName().equals(getDefaultSSLHostConfigName())) {
			HostReader.requireName(host);
		}
		if (!replace && this.sslHostConfigs.containsKey(host.getHostName())) {
			// Before it takes the place of the one that is served
			throw new IllegalArgumentException("There is already a virtual host '%s'".formatted(host.getHostName()));
		}
		if (replace && this.sslHostConfigs.get(host.getHostName()) == host) {
			HostReader.dropOutdatedAlias(host);
		}
		super.addSslHostConfig(host, replace);
	}

	@Override
	public SSLHostConfig removeSslHostConfig(String hostName) {
		SSLHostConfig removed = super.removeSslHostConfig(hostName);
		if (removed != null && this.virtualHosts != null) {
			this.virtualHosts.remove(removed.getHostName());
		}
		return removed;
	}

	@Override
	protected void createSSLContext(SSLHostConfig host) {
		VirtualHosts virtualHosts = virtualHosts();
		if (!virtualHosts.engine().isChosen(getSslImplementation())) {
			throw new TlsSettingException(SettingName.MODE,
					new SettingText("the connector '%s' uses the TLS engine '%s', but %s is to serve TLS", getName(),
							getSslImplementation().getClass().getName(), virtualHosts.engine().capabilities().name()),
					new SettingText(
							"Remove whatever sets 'sslImplementationName' of that connector, or look in Tomcat's log messages for the reason why Tomcat did not initialize OpenSSL"),
					null);
		}
		virtualHosts.create(host, this.negotiableProtocols, getDefaultSSLHostConfigName());
		logCertificates(host.getHostName());
	}

	// Tomcat's own method shows the key store of any host as "location unknown"
	private void logCertificates(String hostName) {
		ServedHost served = hosts().get(hostName);
		for (HostKey key : (served != null) ? served.host().keys() : List.<HostKey>of()) {
			String origin = settings().origin().of(key.leaf());
			getLog().info("The virtual host '%s' of the connector '%s' serves the certificate '%s'%s, valid until %s"
				.formatted(hostName, getName(), HostNames.describe(key.leaf()),
						(origin != null) ? " (" + origin + ")" : "", key.leaf().getNotAfter().toInstant()));
		}
	}

	// The last session frees each context
	@Override
	protected void destroySsl() throws Exception {
		super.destroySsl();
		if (this.virtualHosts != null) {
			this.virtualHosts.removeAll();
		}
	}

	@Nullable TlsSession createChallengeSession(String serverName) {
		HostKey challenge = settings().challenges().find(serverName);
		try {
			return (challenge != null) ? virtualHosts().newChallengeSession(challenge) : null;
		}
		catch (RuntimeException ex) {
			// Strangers can repeat it
			getLog().debug("The challenge for '%s' cannot be answered: %s".formatted(ForeignText.of(serverName),
					ForeignText.of(ex)));
			return null;
		}
	}

	// It would be sent past the session
	@Override
	public boolean getUseSendfile() {
		return super.getUseSendfile() && !isSSLEnabled();
	}

	// Tomcat would answer with the status 400. TlsRequestAdapter answers with 421
	@Override
	public boolean checkSni(@Nullable String sniHostName, @Nullable String protocolHostName) {
		return true;
	}

	/**
	 * Do the same as Tomcat's endpoint, but with a {@link TlsConnection}, which the
	 * threads for handshakes get instead of the poller if there are any.
	 */
	@Override
	protected boolean setSocketOptions(SocketChannel socket) {
		TlsBuffers buffers = this.buffers;
		if (!isSSLEnabled()) {
			return super.setSocketOptions(socket);
		}
		if (buffers == null) {
			// The endpoint is stopping
			destroySocket(socket);
			return false;
		}
		TlsConnection connection = null;
		try {
			TlsChannel channel = new TlsChannel(buffers, this::close);
			connection = new TlsConnection(channel, this, socket.getRemoteAddress());
			channel.reset(socket, connection);
			this.connections.put(socket, connection);
			socket.configureBlocking(false);
			if (getUnixDomainSocketPath() == null) {
				this.socketProperties.setProperties(socket.socket());
			}
			long timeout = getConnectionTimeout();
			long handshakeTimeout = Objects
				.requireNonNullElse(settings().handshakeTimeout(), TlsHttp11NioProtocol.DEFAULT_HANDSHAKE_TIMEOUT)
				.toMillis();
			connection.setReadTimeout(timeout);
			connection.setWriteTimeout(timeout);
			connection.setKeepAliveLeft(getMaxKeepAliveRequests());
			channel.begin(new Handshake(this, connection, proxyHeaderRule(connection),
					(timeout > 0) ? Math.min(timeout, handshakeTimeout) : handshakeTimeout));
			HandshakeThreads handshakes = this.handshakes;
			if (handshakes != null) {
				handshakes.add(connection);
			}
			else {
				connection.registerReadInterest();
			}
			return true;
		}
		catch (Throwable ex) {
			if (connection != null) {
				connection.close();
			}
			else {
				destroySocket(socket);
			}
			if (ex instanceof Exception) {
				getLog().error("A connection on port %d could not be served".formatted(getLocalPort()), ex);
			}
			else {
				this.survivedErrors.add(ex);
			}
			return false;
		}
	}

	private ProxyHeader.Rule proxyHeaderRule(TlsConnection connection) {
		TrustedProxies trustedProxies = settings().trustedProxies();
		if (trustedProxies == null) {
			return ProxyHeader.Rule.UNKNOWN;
		}
		return trustedProxies.contains(connection.clientAddress()) ? ProxyHeader.Rule.REQUIRED
				: ProxyHeader.Rule.REFUSED;
	}

	/**
	 * Do the same as Tomcat's endpoint, but on another thread while a client may be
	 * verified.
	 */
	@Override
	public boolean processSocket(SocketWrapperBase<NioChannel> connection, SocketEvent event, boolean dispatch) {
		VerificationThreads threads = (dispatch && connection instanceof TlsConnection accepted) ? threads(accepted)
				: null;
		if (threads == null) {
			return processOrClose(connection, event, dispatch);
		}
		try {
			threads.execute((TlsConnection) connection, createSocketProcessor(connection, event));
			return true;
		}
		catch (RejectedExecutionException ex) {
			// The endpoint is stopping
			return false;
		}
		catch (OutOfMemoryError ex) {
			getLog().error("A connection on port %d could not be served".formatted(getLocalPort()), ex);
			return false;
		}
	}

	/**
	 * Ask the application for a host that is served meanwhile.
	 * @param serverName the canonical form of its name
	 */
	void askLater(String serverName) {
		VerificationThreads questions = this.questions;
		if (questions != null) {
			try {
				questions.execute(NOBODY, () -> settings().hosts().ask(serverName));
			}
			catch (RejectedExecutionException ex) {
				// The endpoint is stopping
			}
		}
	}

	private @Nullable VerificationThreads threads(TlsConnection connection) {
		return connection.isAsking() ? this.questions : connection.isVerifying() ? this.verification : null;
	}

	// The poller no longer watches a connection whose time is over: nothing else would
	// close it
	private boolean processOrClose(SocketWrapperBase<NioChannel> connection, SocketEvent event, boolean dispatch) {
		try {
			return super.processSocket(connection, event, dispatch);
		}
		catch (Error ex) {
			if (dispatch && event == SocketEvent.ERROR) {
				connection.close();
			}
			throw ex;
		}
	}

	// Channels are never reused
	@Override
	protected @Nullable SynchronizedStack<NioChannel> getNioChannels() {
		return isSSLEnabled() ? null : super.getNioChannels();
	}

	@Override
	protected SocketProcessorBase<NioChannel> createSocketProcessor(SocketWrapperBase<NioChannel> connection,
			SocketEvent event) {
		return new SocketProcessor(connection, event) {

			@Override
			protected void doRun() {
				if (this.socketWrapper instanceof TlsConnection accepted) {
					accepted.serve(super::doRun);
				}
				else if (isSSLEnabled()) {
					getLog().error(
							"A connection that does not use this endpoint's channel is closed: Tomcat %s is not supported"
								.formatted(ServerInfo.getServerNumber()));
					this.socketWrapper.close();
				}
				else {
					super.doRun();
				}
			}

		};
	}

	private final class ServedHosts implements RequestGate.Hosts {

		@Override
		public @Nullable HostIdentity find(String name) {
			return hosts().find(name);
		}

		@Override
		public @Nullable HostIdentity get(String hostName) {
			return virtualHosts().identify(hostName);
		}

		@Override
		public boolean verifyClients() {
			return TlsNioEndpoint.this.virtualHosts != null && TlsNioEndpoint.this.virtualHosts.verifiesClients();
		}

		@Override
		public boolean areChecked() {
			return settings().serverNames() != null
					|| (TlsNioEndpoint.this.sslHostConfigs.size() > 1 || settings().hosts().areUsed())
							&& (getStrictSni() || verifyClients());
		}

	}

}
