/*
 * Copyright 2026-present the original author or authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License");
 * you may not use this file except in compliance with the License.
 * You may obtain a copy of the License at
 *
 *      https://www.apache.org/licenses/LICENSE-2.0
 *
 * Unless required by applicable law or agreed to in writing, software
 * distributed under the License is distributed on an "AS IS" BASIS,
 * WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied.
 * See the License for the specific language governing permissions and
 * limitations under the License.
 */

package io.github.tomcatopenssl.sample.container;

import io.github.tomcatopenssl.test.Provided;
import org.testcontainers.images.builder.ImageFromDockerfile;

/**
 * Tests of the image with the bundled library on Debian 13.
 */
class BundledTrixieImageIT extends ImageTests {

	@Override
	ImageFromDockerfile image() {
		return Images.bundled(Base.TRIXIE);
	}

	@Override
	String openSslVersion() {
		return "3.5.";
	}

	@Override
	String library() {
		return "bundled " + Provided.platform();
	}

	@Override
	String group() {
		return "Negotiated TLS1.3 group: X25519MLKEM768";
	}

}
