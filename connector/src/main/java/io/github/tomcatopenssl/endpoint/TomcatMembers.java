// Copyright 2026-present the original author or authors.
// SPDX-License-Identifier: Apache-2.0

package io.github.tomcatopenssl.endpoint;

import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import java.util.stream.Stream;

import org.apache.catalina.util.ServerInfo;
import org.apache.tomcat.util.net.NioChannel;
import org.apache.tomcat.util.net.NioEndpoint;
import org.apache.tomcat.util.net.NioEndpoint.NioSocketWrapper;
import org.jspecify.annotations.Nullable;

/**
 * The methods and fields of Tomcat that the endpoint, the channel and the connection
 * depend on, beyond those that the compiler checks at each call. A version of Tomcat that
 * has renamed one of the methods would no longer call this project's version of it, and
 * OpenSSL would serve behind Tomcat's own channel, with all its holes.
 */
final class TomcatMembers {

	private static final Map<Class<?>, List<String>> REQUIRED = Map
		.of(NioEndpoint.class,
				List.of("setSocketOptions(SocketChannel)", "createSocketProcessor(SocketWrapperBase,SocketEvent)",
						"getNioChannels()", "startInternal()", "stopInternal()", "createSSLContext(SSLHostConfig)",
						"destroySsl()", "addSslHostConfig(SSLHostConfig,boolean)", "removeSslHostConfig(String)",
						"getUseSendfile()", "checkSni(String,String)",
						"processSocket(SocketWrapperBase,SocketEvent,boolean)", "connections", "socketProperties",
						"sslHostConfigs", "negotiableProtocols"),
				NioSocketWrapper.class,
				List.of("doClose()", "getServletConnection(String,String)", "getCurrentProcessor()",
						"newOperationState(boolean,ByteBuffer[],int,int,BlockingMode,long,TimeUnit,Object,"
								+ "CompletionCheck,CompletionHandler,Semaphore,VectoredIOCompletionHandler)",
						"getSslSupport()", "doClientAuth(SSLSupport)", "processSendfile(SendfileDataBase)",
						"servletConnection", "setError(IOException)", "updateLastRead()", "populateRemoteHost()",
						"remoteAddr", "remoteHost", "remotePort", "localAddr", "localName", "localPort"),
				NioChannel.class,
				List.of("reset(SocketChannel,NioSocketWrapper)", "free()", "handshake(boolean,boolean)",
						"isHandshakeComplete()", "isClosing()", "read(ByteBuffer)", "read(ByteBuffer[],int,int)",
						"write(ByteBuffer)", "write(ByteBuffer[],int,int)", "getOutboundRemaining()", "flushOutbound()",
						"close()", "close(boolean)", "sc"));

	private static final @Nullable String MISSING = REQUIRED.entrySet()
		.stream()
		.map((required) -> missing(required.getKey(), required.getValue()))
		.flatMap(Stream::ofNullable)
		.findFirst()
		.orElse(null);

	private TomcatMembers() {
	}

	/**
	 * Return what this version of Tomcat does not have.
	 * @return the missing method or field and the version, or {@code null} if nothing is
	 * missing
	 */
	static @Nullable String missing() {
		return MISSING;
	}

	static @Nullable String missing(Class<?> type, List<String> required) {
		List<String> members = Stream.<Class<?>>iterate(type, (next) -> next != null, Class::getSuperclass)
			.flatMap(TomcatMembers::members)
			.toList();
		return required.stream()
			.filter((member) -> !members.contains(member))
			.findFirst()
			.map((member) -> "Tomcat %s has no '%s' in %s".formatted(ServerInfo.getServerNumber(), member,
					type.getSimpleName()))
			.orElse(null);
	}

	private static Stream<String> members(Class<?> type) {
		return Stream.concat(Arrays.stream(type.getDeclaredFields()).map((field) -> field.getName()),
				Arrays.stream(type.getDeclaredMethods())
					.map((method) -> method.getName() + Arrays.stream(method.getParameterTypes())
						.map(Class::getSimpleName)
						.collect(Collectors.joining(",", "(", ")"))));
	}

}
