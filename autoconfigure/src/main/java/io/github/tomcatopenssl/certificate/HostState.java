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

package io.github.tomcatopenssl.certificate;

import java.time.Duration;

/**
 * Where the files of a host stand beside what is in use. Times are in nanoseconds, as
 * {@link System#nanoTime()} has them.
 */
sealed interface HostState {

	/**
	 * Look at the files again.
	 * @param contents what they contain
	 * @param used what they contained when they were used
	 * @param now the time
	 * @return where they stand now
	 */
	HostState look(FileSnapshot contents, FileSnapshot used, long now);

	/**
	 * Whether it is time to try the files.
	 * @param now the time
	 * @return whether it is
	 */
	default boolean isDue(long now) {
		return false;
	}

	/**
	 * The files were tried and refused.
	 * @param contents what they contain
	 * @param byConsumer whether a consumer of the bundle refused them, and not they
	 * themselves are wrong
	 * @param now the time
	 * @return where they stand now
	 */
	default HostState refuse(FileSnapshot contents, boolean byConsumer, long now) {
		return this;
	}

	/**
	 * Whether a refusal was reported already.
	 * @return whether it was
	 */
	default boolean isReported() {
		return false;
	}

	/**
	 * The files are in use.
	 */
	record InUse() implements HostState {

		@Override
		public HostState look(FileSnapshot contents, FileSnapshot used, long now) {
			return contents.equals(used) ? this : Changed.now(contents, now);
		}

	}

	/**
	 * The files have changed since, and may be half written.
	 *
	 * @param contents what they contained when they last changed
	 * @param first when they first changed
	 * @param last when they last changed
	 * @param isReported whether a refusal of what they contained meanwhile was reported
	 */
	record Changed(FileSnapshot contents, long first, long last, boolean isReported) implements HostState {

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

		/**
		 * The first pause after files were refused by a consumer of the bundle: it may
		 * recover soon. It doubles, since each try costs the sessions of the server.
		 */
		private static final Duration FIRST_PAUSE = Duration.ofSeconds(2);

		static Changed now(FileSnapshot contents, long now) {
			return new Changed(contents, now, now, false);
		}

		@Override
		public HostState look(FileSnapshot contents, FileSnapshot used, long now) {
			if (!contents.equals(this.contents)) {
				return new Changed(contents, this.first, now, this.isReported);
			}
			return (contents.equals(used) && isSettled(now)) ? new InUse() : this;
		}

		boolean isSettled(long now) {
			return now - this.last >= QUIET_PERIOD.toNanos();
		}

		@Override
		public boolean isDue(long now) {
			return isSettled(now) || now - this.first >= LONGEST_WAIT.toNanos();
		}

		@Override
		public HostState refuse(FileSnapshot contents, boolean byConsumer, long now) {
			if (!isSettled(now)) {
				return new Changed(contents, byConsumer ? now : this.first, this.last, true);
			}
			boolean isGraceOver = now - this.last >= GRACE_PERIOD.toNanos();
			return (byConsumer || isGraceOver) ? Refused.of(contents, byConsumer, FIRST_PAUSE, now) : this;
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
		 * The longest pause between two tries of files that a consumer of the bundle
		 * refuses.
		 */
		private static final Duration LONGEST_PAUSE = Duration.ofMinutes(5);

		@Override
		public HostState look(FileSnapshot contents, FileSnapshot used, long now) {
			return contents.equals(this.contents) ? this : Changed.now(contents, now);
		}

		@Override
		public boolean isDue(long now) {
			return now - this.nextTry >= 0;
		}

		@Override
		public HostState refuse(FileSnapshot contents, boolean byConsumer, long now) {
			return of(contents, byConsumer, this.pause.multipliedBy(2), now);
		}

		@Override
		public boolean isReported() {
			return true;
		}

		private static Refused of(FileSnapshot contents, boolean byConsumer, Duration consumerPause, long now) {
			Duration pause = PAUSE;
			if (byConsumer) {
				pause = (consumerPause.compareTo(LONGEST_PAUSE) < 0) ? consumerPause : LONGEST_PAUSE;
			}
			return new Refused(contents, now + pause.toNanos(), pause);
		}

	}

}
