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

package io.github.tomcatopenssl.autoconfigure;

import java.time.Duration;

import io.github.tomcatopenssl.certificate.FileSnapshot;

/**
 * Where the files of a host stand beside what is in use. Times are in nanoseconds, as
 * {@link System#nanoTime()} has them.
 */
sealed interface HostState {

	/**
	 * The files are in use.
	 */
	record InUse() implements HostState {

	}

	/**
	 * The files have changed since, and may be half written.
	 *
	 * @param contents what they contained when they last changed
	 * @param first when they first changed
	 * @param last when they last changed
	 * @param refused whether what they contained meanwhile was refused
	 */
	record Changed(FileSnapshot contents, long first, long last, boolean refused) implements HostState {

		/**
		 * How long the files have to stay the same before they are loaded, as a file may
		 * be half written and yet complete as PEM.
		 */
		private static final Duration QUIET_PERIOD = Duration.ofSeconds(2);

		/**
		 * How long files that cannot be used are waited for: the second one of a pair may
		 * not be written yet.
		 */
		private static final Duration GRACE_PERIOD = Duration.ofSeconds(6);

		/**
		 * How long files that never stop changing are waited for: with the second until a
		 * change is seen, at most ten.
		 */
		private static final Duration LONGEST_WAIT = Duration.ofSeconds(9);

		static Changed now(FileSnapshot contents, long now) {
			return new Changed(contents, now, now, false);
		}

		Changed look(FileSnapshot contents, long now) {
			return contents.equals(this.contents) ? this : new Changed(contents, this.first, now, this.refused);
		}

		boolean isSettled(long now) {
			return now - this.last >= QUIET_PERIOD.toNanos();
		}

		boolean isDue(long now) {
			return isSettled(now) || now - this.first >= LONGEST_WAIT.toNanos();
		}

		boolean isGraceOver(long now) {
			return now - this.last >= GRACE_PERIOD.toNanos();
		}

	}

	/**
	 * The files were refused.
	 *
	 * @param contents what they contain
	 * @param nextTry when they are tried again, unless they change before
	 * @param pause the time between the last try and the next one
	 */
	record Refused(FileSnapshot contents, long nextTry, Duration pause) implements HostState {

		/**
		 * Between two tries of files that cannot be used, as a certificate becomes valid
		 * without being changed.
		 */
		private static final Duration PAUSE = Duration.ofSeconds(10);

		/**
		 * The first and the longest pause between two tries of files that a consumer of
		 * the bundle refuses: it may recover soon, and each try costs the sessions of the
		 * server.
		 */
		private static final Duration FIRST_PAUSE = Duration.ofSeconds(2);

		private static final Duration LONGEST_PAUSE = Duration.ofMinutes(5);

		static Refused itself(FileSnapshot contents, long now) {
			return new Refused(contents, now + PAUSE.toNanos(), PAUSE);
		}

		static Refused byConsumer(FileSnapshot contents, long now, HostState previous) {
			Duration pause = (previous instanceof Refused refused) ? refused.pause.multipliedBy(2) : FIRST_PAUSE;
			if (pause.compareTo(LONGEST_PAUSE) > 0) {
				pause = LONGEST_PAUSE;
			}
			return new Refused(contents, now + pause.toNanos(), pause);
		}

	}

}
