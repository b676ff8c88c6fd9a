// Copyright 2026-present the original author or authors.
// SPDX-License-Identifier: Apache-2.0

package io.github.tomcatopenssl.internal.certificate;

import java.time.Clock;
import java.time.Duration;
import java.time.Instant;

import io.github.tomcatopenssl.SettingName;
import io.github.tomcatopenssl.TlsSettingException;
import io.github.tomcatopenssl.certificate.CertificateReloads.Status;
import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;
import org.jspecify.annotations.Nullable;

/**
 * Files that are polled, and used again when they change. New content is validated and
 * handed over once it has stayed the same for the quiet period, because a half-written
 * file can be complete as PEM. If this fails, the previous content stays in use.
 *
 * @param <F> the content of the files, or why they cannot be read; compared with
 * {@code equals}
 */
public abstract class ReloadableFiles<F> {

	private static final Log logger = LogFactory.getLog(ReloadableFiles.class);

	/**
	 * The longest wait, in quiet periods, for files that do not stop changing, or of
	 * which one may not be written yet.
	 */
	private static final int LONGEST_WAIT = 4;

	/**
	 * The longest pause between two attempts to use files that cannot be used. A
	 * certificate can become valid although its file does not change.
	 */
	static final Duration LONGEST_PAUSE = Duration.ofSeconds(10);

	/**
	 * The longest pause between two attempts if a consumer of the content refuses it.
	 * Each attempt costs the server its TLS sessions.
	 */
	private static final Duration LONGEST_CONSUMER_PAUSE = Duration.ofMinutes(5);

	private final Clock clock;

	private final String kept;

	private final String restored;

	private volatile Status status;

	private @Nullable F used;

	private @Nullable F seen;

	private boolean isDecided = true;

	private long changedAt;

	private long nextTry;

	private Duration pause = Duration.ZERO;

	/**
	 * Create a new instance.
	 * @param name the name in the status
	 * @param serverName the host name in the status, or {@code null}
	 * @param kept the sentence that says that the previous content stays in use
	 * @param restored the sentence that says that the files are again those in use
	 * @param clock the clock for the current time
	 */
	protected ReloadableFiles(String name, @Nullable String serverName, String kept, String restored, Clock clock) {
		this.status = new Status(name, serverName, 0, 0, null, null);
		this.kept = kept;
		this.restored = restored;
		this.clock = clock;
	}

	/**
	 * Return the current content of the files.
	 * @return the content, or why the files cannot be read
	 */
	protected abstract F read();

	/**
	 * Validate the content of the files.
	 * @param files the content
	 * @return hands the content over to its consumers, which may throw anything
	 * @throws TlsSettingException if the content cannot be used
	 */
	protected abstract Runnable validate(F files);

	/**
	 * Return an exception that describes why content cannot be used.
	 * @param cause the error
	 * @param byConsumer whether a consumer of the content threw the error
	 * @return the exception
	 */
	protected abstract TlsSettingException failure(Throwable cause, boolean byConsumer);

	/**
	 * Return whether this instance logs a problem.
	 * @param problem the problem
	 * @return whether it is logged
	 */
	protected boolean isLogged(TlsSettingException problem) {
		return true;
	}

	/**
	 * Check the content in use. Called by each poll that finds the files unchanged.
	 */
	protected void checkInUse() {
		if (this.status.problem() != null) {
			set(0, 0, null);
			logger.info(this.restored);
		}
	}

	/**
	 * Return the current time.
	 * @return the time by the clock of this instance
	 */
	protected final Instant now() {
		return this.clock.instant();
	}

	/**
	 * Return the status of the files.
	 * @return the status
	 */
	public final Status status() {
		return this.status;
	}

	/**
	 * Set the content that is in use from the start.
	 * @param files the content
	 */
	protected final synchronized void started(F files) {
		this.used = files;
		this.seen = files;
		this.nextTry = System.nanoTime();
	}

	/**
	 * Poll the files.
	 * @param quietPeriod how long the files must stay unchanged before they are used
	 * @param now the time in nanoseconds, as {@link System#nanoTime()} returns it
	 */
	public final synchronized void poll(Duration quietPeriod, long now) {
		F files = read();
		if (!files.equals(this.seen)) {
			if (this.isDecided) {
				this.isDecided = false;
				this.changedAt = now;
			}
			this.seen = files;
			this.pause = Duration.ZERO;
			this.nextTry = Math.min(now + quietPeriod.toNanos(), longestWait(quietPeriod));
		}
		if (now - this.nextTry < 0) {
			return;
		}
		if (files.equals(this.used)) {
			this.isDecided = true;
			checkInUse();
		}
		else {
			use(files, quietPeriod, now);
		}
	}

	private long longestWait(Duration quietPeriod) {
		return this.changedAt + LONGEST_WAIT * quietPeriod.toNanos();
	}

	private void use(F files, Duration quietPeriod, long now) {
		boolean isValid = false;
		ReloadRecording recording = new ReloadRecording();
		try {
			Runnable handover = validate(files);
			isValid = true;
			handover.run();
			this.used = files;
			this.isDecided = true;
			set(1, 0, null);
			recording.end(this.status.name(), ReloadRecording.REPLACED, null);
		}
		catch (Throwable ex) {
			logger.debug(this.kept, ex);
			this.pause = next(this.pause, quietPeriod, isValid ? LONGEST_CONSUMER_PAUSE : LONGEST_PAUSE);
			this.nextTry = now + this.pause.toNanos();
			if (isValid || now - longestWait(quietPeriod) >= 0) {
				this.isDecided = true;
				Status before = this.status;
				report(this.kept,
						(!isValid && ex instanceof TlsSettingException failure) ? failure : failure(ex, isValid), 1);
				if (this.status != before) {
					recording.end(this.status.name(), ReloadRecording.REFUSED, this.status.problem());
				}
			}
		}
	}

	static Duration next(Duration pause, Duration first, Duration longest) {
		Duration next = pause.isZero() ? first : pause.multipliedBy(2);
		return (next.compareTo(longest) < 0) ? next : longest;
	}

	/**
	 * Return what to do about an error.
	 * @param cause the error
	 * @param otherwise what to do if it is not the heap that is too small
	 * @return a sentence without its full stop
	 */
	static String action(Throwable cause, String otherwise) {
		boolean isHeap = cause instanceof OutOfMemoryError
				&& String.valueOf(cause.getMessage()).matches("(Java heap|GC overhead).*");
		return isHeap ? "The heap is too small for the files in use and the new ones. Start Java with a larger '-Xmx'"
				: otherwise;
	}

	/**
	 * Report a problem, unless it is the last one that was reported.
	 * @param consequence the consequence of the problem, as a sentence without its full
	 * stop
	 * @param ex the problem
	 * @param failed the number to add to the count of refused files
	 */
	protected final void report(String consequence, TlsSettingException ex, int failed) {
		String problem = "%s. %s. %s".formatted(consequence, ex.getMessage(), ex.getAction(SettingName::toString));
		if (!problem.equals(this.status.problem())) {
			set(0, failed, problem);
			if (isLogged(ex)) {
				logger.warn(problem);
			}
		}
	}

	private void set(int succeeded, int failed, @Nullable String problem) {
		Status before = this.status;
		this.status = new Status(before.name(), before.serverName(), before.succeeded() + succeeded,
				before.failed() + failed, (succeeded > 0) ? now() : before.lastSuccess(), problem);
	}

}
