// Copyright 2026-present the original author or authors.
// SPDX-License-Identifier: Apache-2.0

package io.github.tomcatopenssl.certificate;

/**
 * A file that a property names.
 *
 * @param property the name of the property
 * @param location the file path or resource location
 */
public record ConfiguredFile(String property, String location) {

}
