// Copyright 2026-present the original author or authors.
// SPDX-License-Identifier: Apache-2.0

package io.github.tomcatopenssl.library;

import java.lang.reflect.InvocationTargetException;
import java.security.NoSuchAlgorithmException;
import java.util.Arrays;
import java.util.EnumSet;
import java.util.Set;

import javax.net.ssl.SSLParameters;

import io.github.tomcatopenssl.KeyExchangeGroup;
import org.apache.tomcat.jni.SSL;
import org.apache.tomcat.jni.SSLConf;
import org.apache.tomcat.util.compat.JreCompat;

/**
 * The groups that a TLS engine supports.
 */
public final class EngineGroups {

	private EngineGroups() {
	}

	/**
	 * Return the groups that the loaded OpenSSL supports. They may be more than its
	 * version implies (providers), or fewer (FIPS).
	 * @return the groups
	 */
	public static Set<KeyExchangeGroup> ofOpenSsl() {
		Set<KeyExchangeGroup> groups = EnumSet.noneOf(KeyExchangeGroup.class);
		try (TrialContext trial = new TrialContext()) {
			long settings = SSLConf.make(trial.pool(), SSL.SSL_CONF_FLAG_FILE | SSL.SSL_CONF_FLAG_SERVER);
			SSLConf.assign(settings, trial.address());
			for (KeyExchangeGroup group : KeyExchangeGroup.values()) {
				if (isAccepted(settings, group)) {
					groups.add(group);
				}
			}
			SSLConf.free(settings);
		}
		catch (Exception ex) {
			throw new IllegalStateException("Unable to determine the groups of OpenSSL", ex);
		}
		return groups;
	}

	private static boolean isAccepted(long settings, KeyExchangeGroup group) {
		try {
			return SSLConf.apply(settings, "Groups", group.toString()) > 0;
		}
		catch (Exception ex) {
			// Tomcat Native throws an exception if OpenSSL does not know the group
			return false;
		}
	}

	/**
	 * Return whether the groups of JSSE can be configured.
	 * @return whether this is Java 20 or later, where Tomcat passes them to JSSE
	 */
	public static boolean isJsseConfigurable() {
		return JreCompat.isJre20Available();
	}

	/**
	 * Return the groups that JSSE supports, as it reports them. Whether they include a
	 * hybrid group depends on the update and the vendor of the JDK, not only on its
	 * version.
	 * @return the groups, or empty if they cannot be configured
	 */
	public static Set<KeyExchangeGroup> ofJsse() {
		Set<KeyExchangeGroup> groups = EnumSet.noneOf(KeyExchangeGroup.class);
		if (!isJsseConfigurable()) {
			return groups;
		}
		try {
			SSLParameters parameters = javax.net.ssl.SSLContext.getDefault().getSupportedSSLParameters();
			String[] names = (String[]) SSLParameters.class.getMethod("getNamedGroups").invoke(parameters);
			for (KeyExchangeGroup group : KeyExchangeGroup.values()) {
				if (Arrays.stream(names).anyMatch(group.toString()::equalsIgnoreCase)) {
					groups.add(group);
				}
			}
		}
		catch (NoSuchAlgorithmException | NoSuchMethodException | IllegalAccessException
				| InvocationTargetException ex) {
			throw new IllegalStateException("Unable to determine the groups of JSSE", ex);
		}
		return groups;
	}

}
