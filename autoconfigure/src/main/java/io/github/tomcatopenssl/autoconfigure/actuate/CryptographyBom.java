// Copyright 2026-present the original author or authors.
// SPDX-License-Identifier: Apache-2.0

package io.github.tomcatopenssl.autoconfigure.actuate;

import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.Date;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.UUID;
import java.util.stream.Stream;

import io.github.tomcatopenssl.KeyExchangeGroup;
import io.github.tomcatopenssl.autoconfigure.actuate.TlsEndpoint.CertificateDescriptor;
import io.github.tomcatopenssl.autoconfigure.actuate.TlsEndpoint.CertificateHostsDescriptor;
import io.github.tomcatopenssl.autoconfigure.actuate.TlsEndpoint.ConnectorDescriptor;
import io.github.tomcatopenssl.autoconfigure.actuate.TlsEndpoint.HostDescriptor;
import io.github.tomcatopenssl.autoconfigure.actuate.TlsEndpoint.TlsDescriptor;
import org.apache.tomcat.util.net.openssl.ciphers.Cipher;
import org.apache.tomcat.util.net.openssl.ciphers.OpenSSLCipherConfigurationParser;
import org.cyclonedx.Version;
import org.cyclonedx.exception.GeneratorException;
import org.cyclonedx.generators.BomGeneratorFactory;
import org.cyclonedx.model.Bom;
import org.cyclonedx.model.Component;
import org.cyclonedx.model.Component.Type;
import org.cyclonedx.model.Dependency;
import org.cyclonedx.model.Metadata;
import org.cyclonedx.model.Property;
import org.cyclonedx.model.component.crypto.AlgorithmProperties;
import org.cyclonedx.model.component.crypto.CertificateProperties;
import org.cyclonedx.model.component.crypto.CipherSuite;
import org.cyclonedx.model.component.crypto.CryptoProperties;
import org.cyclonedx.model.component.crypto.ProtocolProperties;
import org.cyclonedx.model.component.crypto.RelatedCryptoMaterialProperties;
import org.cyclonedx.model.component.crypto.enums.AssetType;
import org.cyclonedx.model.component.crypto.enums.CryptoFunction;
import org.cyclonedx.model.component.crypto.enums.Primitive;
import org.cyclonedx.model.component.crypto.enums.ProtocolType;
import org.cyclonedx.model.component.crypto.enums.RelatedCryptoMaterialType;
import org.jspecify.annotations.Nullable;

/**
 * Makes a cryptography bill of materials (CBOM) of the inventory, in the format CycloneDX
 * 1.6.
 */
class CryptographyBom {

	private static final String TLS_1_3 = "TLSv1.3";

	// The names of its suites have no key exchange
	private static final String WITH = "_WITH_";

	byte[] json(TlsDescriptor tls) {
		Assets assets = new Assets();
		tls.connectors().forEach((connector) -> add(connector, assets));
		Bom bom = new Bom();
		bom.setSerialNumber("urn:uuid:" + UUID.randomUUID());
		bom.setVersion(1);
		Metadata metadata = new Metadata();
		metadata.setTimestamp(new Date());
		tls.connectors()
			.stream()
			.map(ConnectorDescriptor::certificateHosts)
			.filter(Objects::nonNull)
			.max(Comparator.comparingInt(CertificateHostsDescriptor::pages))
			.ifPresent((hosts) -> metadata.setProperties(page(hosts)));
		bom.setMetadata(metadata);
		bom.setComponents(List.copyOf(assets.components.values()));
		assets.uses.forEach((ref, used) -> {
			Dependency dependency = new Dependency(ref);
			used.forEach((other) -> dependency.addDependency(new Dependency(other)));
			bom.addDependency(dependency);
		});
		try {
			return BomGeneratorFactory.createJson(Version.VERSION_16, bom)
				.toJsonString()
				.getBytes(StandardCharsets.UTF_8);
		}
		catch (GeneratorException ex) {
			throw new IllegalStateException(ex);
		}
	}

	private static List<Property> page(CertificateHostsDescriptor hosts) {
		return List.of(property("certificates", hosts.certificates()), property("page", hosts.page()),
				property("size", hosts.size()), property("pages", hosts.pages()));
	}

	private static Property property(String name, Object value) {
		Property property = new Property();
		property.setName("tomcat-openssl:" + name);
		property.setValue(value.toString());
		return property;
	}

	private static void add(ConnectorDescriptor connector, Assets assets) {
		String library = assets.library(connector.engine(), connector.version());
		if (connector.tomcatNative() != null) {
			assets.use(assets.library("Tomcat Native", connector.tomcatNative()), List.of(library));
		}
		for (HostDescriptor host : connector.hosts()) {
			List<String> refs = new ArrayList<>();
			if (host.groups() != null) {
				host.groups().forEach((group) -> refs.add(assets.group(group)));
			}
			certificates(connector, host).map(assets::certificate).distinct().forEach(refs::add);
			for (String version : host.protocols()) {
				assets.use(assets.protocol(connector, host, version, refs), List.of(library));
			}
		}
	}

	private static Stream<CertificateDescriptor> certificates(ConnectorDescriptor connector, HostDescriptor host) {
		CertificateHostsDescriptor others = connector.certificateHosts();
		if (others == null || !others.defaultHost().equals(host.name())) {
			return host.certificates().stream();
		}
		return Stream.concat(host.certificates().stream(),
				others.hosts().stream().flatMap((other) -> other.certificates().stream()));
	}

	private static List<CipherSuite> suites(HostDescriptor host, String version) {
		return host.cipherSuites()
			.stream()
			.map(CryptographyBom::cipher)
			.filter((cipher) -> version.equals(TLS_1_3) != cipher.name().contains(WITH))
			.map((cipher) -> {
				CipherSuite suite = new CipherSuite();
				suite.setName(cipher.name());
				suite.setIdentifiers(List.of("0x%02X".formatted(cipher.getId() >> Byte.SIZE),
						"0x%02X".formatted(cipher.getId() & 0xFF)));
				return suite;
			})
			.toList();
	}

	// The engines spell them differently
	private static Cipher cipher(String name) {
		Set<Cipher> parsed = OpenSSLCipherConfigurationParser.parse(name);
		return parsed.isEmpty() ? Cipher.valueOf(name) : parsed.iterator().next();
	}

	/**
	 * The components, each of them once, and what they use.
	 */
	private static final class Assets {

		private final Map<String, Component> components = new LinkedHashMap<>();

		private final Map<String, List<String>> uses = new LinkedHashMap<>();

		void use(String ref, List<String> used) {
			this.uses.put(ref, used);
		}

		String library(String name, @Nullable String version) {
			Component component = new Component();
			component.setType(Type.LIBRARY);
			component.setName(name);
			component.setVersion(version);
			return add("library/" + name, component);
		}

		String protocol(ConnectorDescriptor connector, HostDescriptor host, String version, List<String> refs) {
			ProtocolProperties protocol = new ProtocolProperties();
			protocol.setType(ProtocolType.TLS);
			protocol.setVersion(version.replace("TLSv", ""));
			protocol.setCipherSuites(suites(host, version));
			protocol.setCryptoRefArray(refs);
			CryptoProperties properties = new CryptoProperties();
			properties.setAssetType(AssetType.PROTOCOL);
			properties.setProtocolProperties(protocol);
			Component component = asset(version, properties);
			component.addProperty(property("port", connector.port()));
			component.addProperty(property("host", host.name()));
			if (connector.policy() != null) {
				component.addProperty(property("policy", connector.policy()));
			}
			return add("protocol/%d/%s/%s".formatted(connector.port(), host.name(), version), component);
		}

		String group(String name) {
			KeyExchangeGroup group = KeyExchangeGroup.of(name);
			boolean kem = group != null && group.isPostQuantum();
			boolean hybrid = kem && !name.startsWith("MLKEM");
			Primitive primitive = hybrid ? Primitive.COMBINER : kem ? Primitive.KEM : Primitive.KEY_AGREE;
			AlgorithmProperties algorithm = new AlgorithmProperties();
			algorithm.setPrimitive(primitive);
			algorithm.setParameterSetIdentifier(name);
			algorithm.setCryptoFunctions(kem ? List.of(CryptoFunction.ENCAPSULATE, CryptoFunction.DECAPSULATE)
					: List.of(CryptoFunction.KEYDERIVE));
			return algorithm("group/" + name, name, algorithm);
		}

		String certificate(CertificateDescriptor descriptor) {
			String ref = "certificate/" + descriptor.serialNumber() + "/" + descriptor.issuer();
			CertificateProperties certificate = new CertificateProperties();
			certificate.setSubjectName(descriptor.subject());
			certificate.setIssuerName(descriptor.issuer());
			certificate.setNotValidBefore(descriptor.notBefore().toString());
			certificate.setNotValidAfter(descriptor.notAfter().toString());
			certificate.setSignatureAlgorithmRef(signature(descriptor.signatureAlgorithm()));
			certificate.setSubjectPublicKeyRef(key(ref, descriptor));
			certificate.setCertificateFormat("X.509");
			CryptoProperties properties = new CryptoProperties();
			properties.setAssetType(AssetType.CERTIFICATE);
			properties.setCertificateProperties(certificate);
			return add(ref, asset(descriptor.subject(), properties));
		}

		private String key(String certificate, CertificateDescriptor descriptor) {
			RelatedCryptoMaterialProperties key = new RelatedCryptoMaterialProperties();
			key.setType(RelatedCryptoMaterialType.PUBLIC_KEY);
			key.setAlgorithmRef(signature(descriptor.keyAlgorithm()));
			key.setSize(descriptor.keySize());
			CryptoProperties properties = new CryptoProperties();
			properties.setAssetType(AssetType.RELATED_CRYPTO_MATERIAL);
			properties.setRelatedCryptoMaterialProperties(key);
			return add("key/" + certificate, asset(descriptor.subject(), properties));
		}

		private String signature(String name) {
			AlgorithmProperties algorithm = new AlgorithmProperties();
			algorithm.setPrimitive(Primitive.SIGNATURE);
			algorithm.setParameterSetIdentifier(name);
			algorithm.setCryptoFunctions(List.of(CryptoFunction.SIGN, CryptoFunction.VERIFY));
			return algorithm("signature/" + name, name, algorithm);
		}

		private String algorithm(String ref, String name, AlgorithmProperties algorithm) {
			CryptoProperties properties = new CryptoProperties();
			properties.setAssetType(AssetType.ALGORITHM);
			properties.setAlgorithmProperties(algorithm);
			return add(ref, asset(name, properties));
		}

		private static Component asset(String name, CryptoProperties properties) {
			Component component = new Component();
			component.setType(Type.CRYPTOGRAPHIC_ASSET);
			component.setName(name);
			component.setCryptoProperties(properties);
			return component;
		}

		private String add(String ref, Component component) {
			component.setBomRef(ref);
			this.components.putIfAbsent(ref, component);
			return ref;
		}

	}

}
