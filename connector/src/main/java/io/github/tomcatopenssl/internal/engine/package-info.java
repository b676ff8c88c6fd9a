// Copyright 2026-present the original author or authors.
// SPDX-License-Identifier: Apache-2.0

/**
 * The TLS engines: a context for each virtual host and a session for each connection, of
 * OpenSSL by the functions of Tomcat Native, or of JSSE. They know no socket.
 */
@NullMarked
package io.github.tomcatopenssl.internal.engine;

import org.jspecify.annotations.NullMarked;
