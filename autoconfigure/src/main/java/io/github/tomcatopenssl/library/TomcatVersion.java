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

package io.github.tomcatopenssl.library;

import java.util.Arrays;

import io.github.tomcatopenssl.MinimumVersions;
import org.apache.catalina.util.ServerInfo;

/**
 * Version of Tomcat.
 *
 * @param numbers the parts of the version, such as 11, 0, 27 and 0
 */
record TomcatVersion(int... numbers) {

	static final TomcatVersion MINIMUM = parse(MinimumVersions.TOMCAT);

	static TomcatVersion current() {
		return parse(ServerInfo.getServerNumber());
	}

	static TomcatVersion parse(String version) {
		return new TomcatVersion(Arrays.stream(version.split("\\D+"))
			.filter((part) -> !part.isEmpty())
			.mapToInt(Integer::parseInt)
			.toArray());
	}

	boolean worksWithSafeTomcatNative() {
		return Arrays.compare(this.numbers, MINIMUM.numbers) >= 0;
	}

	@Override
	public String toString() {
		return String.join(".", Arrays.stream(this.numbers).limit(3).mapToObj(String::valueOf).toList());
	}

}
