// Copyright 2026-present the original author or authors.
// SPDX-License-Identifier: Apache-2.0

package io.github.tomcatopenssl.autoconfigure;

import java.beans.PropertyDescriptor;
import java.lang.reflect.ParameterizedType;
import java.lang.reflect.RecordComponent;
import java.lang.reflect.Type;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;

import io.github.tomcatopenssl.TlsSettingException;
import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;
import org.jspecify.annotations.Nullable;

import org.springframework.beans.BeanUtils;
import org.springframework.boot.context.properties.bind.DataObjectPropertyName;
import org.springframework.boot.context.properties.source.ConfigurationProperty;
import org.springframework.boot.context.properties.source.ConfigurationPropertyName;
import org.springframework.boot.context.properties.source.ConfigurationPropertyName.Form;
import org.springframework.boot.context.properties.source.ConfigurationPropertySource;
import org.springframework.boot.context.properties.source.ConfigurationPropertySources;
import org.springframework.boot.context.properties.source.IterableConfigurationPropertySource;
import org.springframework.boot.origin.Origin;
import org.springframework.boot.origin.PropertySourceOrigin;
import org.springframework.boot.origin.SystemEnvironmentOrigin;
import org.springframework.boot.web.server.Ssl;
import org.springframework.core.env.Environment;
import org.springframework.core.env.SystemEnvironmentPropertySource;
import org.springframework.util.ObjectUtils;

/**
 * Finds properties below {@code server.ssl} and {@code management.server.ssl} that
 * neither Spring Boot nor the starter has. A name that resembles a known one, or one that
 * has a value although only names below it have, prevents startup, because the setting
 * would be missing. So does a certificate below {@code server}. Any other name causes a
 * warning.
 */
final class UnknownProperties {

	private static final Log logger = LogFactory.getLog(UnknownProperties.class);

	/**
	 * The most names that are offered in place of one. The shortest are those that are
	 * set first.
	 */
	private static final int MOST_MEANT = 3;

	/**
	 * The beginning of the names of the properties that another module has.
	 */
	private static final String ACME = "acme.";

	private final ConfigurationPropertyName prefix;

	private final KnownNames known;

	private final boolean acme;

	private UnknownProperties(String prefix, KnownNames known, boolean acme) {
		this.prefix = ConfigurationPropertyName.of(prefix);
		this.known = known;
		this.acme = acme;
	}

	/**
	 * Check the names of all properties.
	 * @param environment the environment
	 * @param acme the type of ACME's properties, or {@code null} if the module that has
	 * them is missing; names that resemble none of theirs are then left to the message
	 * about the module
	 * @throws TlsSettingException if a name resembles a known one; the exceptions for
	 * others are suppressed in it
	 */
	static void reject(Environment environment, @Nullable Class<?> acme) {
		KnownNames known = KnownNames.of(Ssl.class, TomcatOpenSslProperties.class);
		if (acme != null) {
			known.addAll(ACME, acme);
		}
		Set<Unknown> unknown = new LinkedHashSet<>();
		for (ConfigurationPropertySource source : ConfigurationPropertySources.get(environment)) {
			if (source instanceof IterableConfigurationPropertySource iterable) {
				unknown.addAll(new UnknownProperties("server.ssl", known, acme != null).in(iterable));
				unknown.addAll(new UnknownProperties("management.server.ssl", known, acme != null).in(iterable));
				unknown.addAll(new UnknownProperties("server", known, acme != null).misplaced(iterable));
			}
		}
		unknown.stream()
			.filter((name) -> !name.meant().isEmpty())
			.map(Unknown::failure)
			.reduce(UnknownProperties::suppress)
			.ifPresent((failure) -> {
				throw failure;
			});
		unknown.forEach((name) -> logger.warn(
				"'%s' (%s) has no effect: neither Spring Boot nor the starter has a property with this name. Correct the name, or remove the property"
					.formatted(name.property(), name.origin())));
	}

	private static TlsSettingException suppress(TlsSettingException failure, TlsSettingException next) {
		failure.addSuppressed(next);
		return failure;
	}

	private List<Unknown> in(IterableConfigurationPropertySource source) {
		boolean variables = source.getUnderlyingSource() instanceof SystemEnvironmentPropertySource;
		List<Unknown> unknown = new ArrayList<>();
		for (ConfigurationPropertyName name : source) {
			boolean group = this.known.groups().contains(path(name));
			if (this.prefix.isAncestorOf(name) && (group || !this.known.contains(path(name), variables))) {
				ConfigurationProperty property = source.getConfigurationProperty(name);
				if (property != null && !(group && ObjectUtils.isEmpty(property.getValue()))) {
					Unknown found = unknown(property, variables);
					if (this.acme || !found.meant().isEmpty() || !path(name).startsWith(ACME)) {
						unknown.add(found);
					}
				}
			}
		}
		return unknown;
	}

	// Properties that turn TLS on, without the 'ssl' in their names
	private List<Unknown> misplaced(IterableConfigurationPropertySource source) {
		List<Unknown> unknown = new ArrayList<>();
		for (ConfigurationPropertyName name : source) {
			String path = this.prefix.isAncestorOf(name) ? path(name) : "";
			if (this.known.contains(path, false) && ServerSslProperty.turnsTlsOn(path)) {
				ConfigurationProperty property = source.getConfigurationProperty(name);
				if (property != null) {
					unknown.add(new Unknown(shownName(property), String.valueOf(property.getOrigin()),
							List.of("server.ssl." + withIndex(path, name))));
				}
			}
		}
		return unknown;
	}

	private Unknown unknown(ConfigurationProperty property, boolean variable) {
		ConfigurationPropertyName name = property.getName();
		List<String> meant = this.known.near(path(name))
			.stream()
			.sorted(Comparator.comparingInt(String::length))
			.limit(MOST_MEANT)
			.map((path) -> variable ? variable(path, name) : this.prefix + "." + withIndex(path, name))
			.toList();
		return new Unknown(shownName(property), String.valueOf(property.getOrigin()), meant);
	}

	static String shownName(ConfigurationProperty property) {
		Origin origin = property.getOrigin();
		if (origin instanceof SystemEnvironmentOrigin variable) {
			return variable.getProperty();
		}
		return (origin instanceof PropertySourceOrigin named) ? named.getPropertyName() : property.getName().toString();
	}

	private String variable(String path, ConfigurationPropertyName name) {
		return (this.prefix + "." + withIndex(path, name)).replace("-", "")
			.replaceAll("[.\\[]", "_")
			.replace("]", "")
			.toUpperCase(Locale.ROOT);
	}

	// The names of lists have their index after the first element
	private String withIndex(String path, ConfigurationPropertyName name) {
		return withIndex(this.prefix, path, name);
	}

	static String withIndex(ConfigurationPropertyName prefix, String path, ConfigurationPropertyName name) {
		int index = prefix.getNumberOfElements() + 1;
		boolean indexed = name.getNumberOfElements() > index && name.isNumericIndex(index);
		return indexed ? path.replaceFirst("\\.|$", "[" + name.getElement(index, Form.ORIGINAL) + "]$0") : path;
	}

	private String path(ConfigurationPropertyName name) {
		return path(this.prefix, name);
	}

	/**
	 * Return the part of a name after a prefix.
	 * @param prefix the prefix
	 * @param name the name
	 * @return the rest of the name, without the indexes of lists
	 */
	static String path(ConfigurationPropertyName prefix, ConfigurationPropertyName name) {
		List<String> elements = new ArrayList<>();
		for (int i = prefix.getNumberOfElements(); i < name.getNumberOfElements(); i++) {
			if (!name.isNumericIndex(i)) {
				elements.add(name.getElement(i, Form.DASHED));
			}
		}
		return String.join(".", elements);
	}

	/**
	 * A property that does not exist.
	 *
	 * @param property the name that is set
	 * @param origin where it is set
	 * @param meant the names that resemble it
	 */
	private record Unknown(String property, String origin, List<String> meant) {

		TlsSettingException failure() {
			return new TlsSettingException(this.property, null,
					"there is no property with this name (%s). Did you mean '%s'?".formatted(this.origin,
							String.join("' or '", this.meant)),
					"Correct the name, or remove the property. Properties of your own need another prefix", null);
		}

	}

	/**
	 * The names that types have, as Spring Boot binds them: the properties of a bean with
	 * setters, or the components of a record.
	 *
	 * @param paths the names, without the indexes of lists
	 * @param groups the names that have no value, but others below them
	 */
	record KnownNames(Set<String> paths, Set<String> groups) {

		static KnownNames of(Class<?>... types) {
			KnownNames names = new KnownNames(new TreeSet<>(), new TreeSet<>());
			for (Class<?> type : types) {
				names.addAll("", type);
			}
			return names;
		}

		private void addAll(String parent, Class<?> type) {
			if (type.isRecord()) {
				for (RecordComponent component : type.getRecordComponents()) {
					add(parent, component.getName(), component.getGenericType());
				}
				return;
			}
			for (PropertyDescriptor property : BeanUtils.getPropertyDescriptors(type)) {
				if (property.getWriteMethod() != null) {
					add(parent, property.getName(), property.getWriteMethod().getGenericParameterTypes()[0]);
				}
			}
		}

		private void add(String parent, String name, Type type) {
			String path = parent + DataObjectPropertyName.toDashedForm(name);
			this.paths.add(path);
			Type element = (type instanceof ParameterizedType list) ? list.getActualTypeArguments()[0] : type;
			if (element instanceof Class<?> nested && nested.getEnclosingClass() != null && !nested.isEnum()) {
				addAll(path + ".", nested);
				if (type == nested) {
					this.groups.add(path);
				}
			}
		}

		/**
		 * Return whether Spring Boot would bind a name.
		 * @param path the name, without the indexes of lists
		 * @param variable whether it is the name of an environment variable, which may
		 * have an underscore in place of a dash
		 * @return whether it is known
		 */
		boolean contains(String path, boolean variable) {
			return find(path, variable).isPresent();
		}

		Optional<String> find(String path, boolean variable) {
			return this.paths.stream()
				.filter((known) -> known.replace("-", "").equals(path.replace("-", ""))
						|| variable && known.replace('-', '.').equals(path))
				.findFirst();
		}

		List<String> near(String path) {
			if (this.groups.contains(path)) {
				return this.paths.stream().filter((known) -> known.startsWith(path + ".")).toList();
			}
			int nearest = Math.max(1, letters(path).length() / 5);
			List<String> near = new ArrayList<>();
			for (String known : this.paths) {
				int distance = Distance.between(letters(path), letters(known));
				if (distance < nearest) {
					near.clear();
				}
				if (distance <= nearest) {
					nearest = distance;
					near.add(known);
				}
			}
			// That of a service named 'server-ssl', of which Kubernetes sets a variable
			return (!near.isEmpty() || path.equals("port")) ? near
					: this.paths.stream().filter((known) -> isAbbreviation(words(path), words(known))).toList();
		}

		private static String letters(String path) {
			return path.replaceAll("[.-]", "");
		}

		private static List<String> words(String path) {
			return List.of(path.split("[.-]"));
		}

		// Whether each word is the beginning of one of the other's words, in their order
		private static boolean isAbbreviation(List<String> words, List<String> others) {
			int found = 0;
			for (String other : others) {
				if (found < words.size() && words.get(found).length() > 1 && other.startsWith(words.get(found))) {
					found++;
				}
			}
			return found == words.size();
		}

	}

	/**
	 * The number of letters that were left out, added, replaced or swapped.
	 */
	private static final class Distance {

		private Distance() {
		}

		static int between(String one, String other) {
			int[][] distances = new int[one.length() + 1][other.length() + 1];
			for (int i = 0; i <= one.length(); i++) {
				for (int j = 0; j <= other.length(); j++) {
					distances[i][j] = (i == 0 || j == 0) ? i + j : distance(one, i, other, j, distances);
				}
			}
			return distances[one.length()][other.length()];
		}

		private static int distance(String one, int i, String other, int j, int[][] distances) {
			boolean same = one.charAt(i - 1) == other.charAt(j - 1);
			int distance = Math.min(distances[i - 1][j - 1] + (same ? 0 : 1),
					1 + Math.min(distances[i - 1][j], distances[i][j - 1]));
			boolean swapped = i > 1 && j > 1 && one.charAt(i - 1) == other.charAt(j - 2)
					&& one.charAt(i - 2) == other.charAt(j - 1);
			return swapped ? Math.min(distance, 1 + distances[i - 2][j - 2]) : distance;
		}

	}

}
