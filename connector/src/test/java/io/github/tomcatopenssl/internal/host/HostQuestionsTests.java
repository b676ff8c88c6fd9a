// Copyright 2026-present the original author or authors.
// SPDX-License-Identifier: Apache-2.0

package io.github.tomcatopenssl.internal.host;

import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;

import io.github.tomcatopenssl.test.TestCertificates;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests for {@link HostQuestions}.
 */
class HostQuestionsTests {

	private long now = System.nanoTime();

	private final List<String> asked = new ArrayList<>();

	private final Map<String, CertificateHost> known = new HashMap<>();

	private final List<String> removed = new ArrayList<>();

	private boolean failing;

	private final HostQuestions questions = new HostQuestions(this::find, this.removed::add, () -> this.now);

	private String find(String name) {
		this.asked.add(name);
		if (this.failing) {
			throw new IllegalStateException("no database");
		}
		return this.known.containsKey(name) ? this.known.get(name).name() : null;
	}

	@Test
	void whenThereIsNoHostThenItIsAskedOnceInAMinute() {
		assertThat(this.questions.isOpen("a.test", null)).isTrue();
		this.questions.ask("a.test");
		assertThat(this.questions.isOpen("a.test", null)).isFalse();
		pass(Duration.ofSeconds(59));
		assertThat(this.questions.isOpen("a.test", null)).isFalse();
		pass(Duration.ofSeconds(2));
		assertThat(this.questions.isOpen("a.test", null)).isTrue();
	}

	@Test
	void whenThereIsAHostThenItIsAskedAgainAfterAnHour() {
		CertificateHost host = host();
		this.known.put("a.test", host);
		assertThat(this.questions.gave(host)).isFalse();
		assertThat(this.questions.isOpen("a.test", host)).as("one that was not asked for").isFalse();
		this.questions.ask("a.test");
		assertThat(this.questions.gave(host)).isTrue();
		pass(Duration.ofMinutes(59));
		assertThat(this.questions.isOpen("a.test", host)).isFalse();
		pass(Duration.ofMinutes(2));
		assertThat(this.questions.isOpen("a.test", host)).isTrue();
		this.failing = true;
		this.questions.ask("a.test");
		assertThat(this.questions.isOpen("a.test", host)).as("right after a failure").isFalse();
		pass(Duration.ofSeconds(11));
		assertThat(this.questions.isOpen("a.test", host)).isTrue();
		assertThat(this.questions.gave(host)).isTrue();
	}

	@Test
	void whenHostHasToBeAskedForAgainThenOneOfItsConnectionsAsks() {
		CertificateHost host = host();
		this.known.put("a.test", host);
		this.questions.ask("a.test");
		pass(Duration.ofMinutes(61));
		assertThat(this.questions.isOpen("a.test", host)).isTrue();
		assertThat(this.questions.isOpen("a.test", host)).as("before the question").isFalse();
		pass(Duration.ofSeconds(11));
		assertThat(this.questions.isOpen("a.test", host)).as("if there was no question").isTrue();
	}

	@Test
	void whenApplicationFailsWithAnErrorThenItIsAskedAgainLater() {
		HostQuestions broken = new HostQuestions((name) -> {
			throw new StackOverflowError();
		}, this.removed::add, () -> this.now);
		broken.ask("a.test");
		assertThat(broken.isOpen("a.test", null)).isFalse();
		pass(Duration.ofSeconds(11));
		assertThat(broken.isOpen("a.test", null)).isTrue();
	}

	@Test
	void whenNobodyAsksForHostThenItIsRemoved() {
		this.known.put("a.test", host());
		this.questions.ask("a.test");
		pass(Duration.ofHours(24));
		this.questions.ask("b.test");
		assertThat(this.removed).isEmpty();
		pass(Duration.ofHours(2));
		this.questions.ask("c.test");
		assertThat(this.removed).containsExactly("one");
		assertThat(this.questions.gave(this.known.get("a.test"))).isFalse();
	}

	@Test
	void whenStrangersAskForManyNamesThenTheNumberOfQuestionsAndOfAnswersIsLimited() {
		for (int i = 0; i < 1000; i++) {
			this.questions.ask("name-" + i);
		}
		assertThat(this.asked).hasSize(100);
		assertThat(this.questions.isOpen("name-99", null)).isFalse();
		assertThat(this.questions.isOpen("name-100", null)).isTrue();
		for (int i = 0; i < 70; i++) {
			pass(Duration.ofSeconds(1));
			for (int j = 0; j < 100; j++) {
				this.questions.ask("name-%d-%d".formatted(i, j));
			}
		}
		this.now -= Duration.ofSeconds(70).toNanos();
		assertThat(this.questions.isOpen("name-99", null)).as("forgotten").isTrue();
		assertThat(this.questions.isOpen("name-69-99", null)).isFalse();
	}

	@Test
	void whenSeveralWantTheSameNameThenOneAsks() throws Exception {
		CountDownLatch begun = new CountDownLatch(1);
		CountDownLatch answer = new CountDownLatch(1);
		AtomicInteger count = new AtomicInteger();
		HostQuestions slow = new HostQuestions((name) -> {
			count.incrementAndGet();
			begun.countDown();
			try {
				answer.await(1, TimeUnit.MINUTES);
			}
			catch (InterruptedException ex) {
				throw new IllegalStateException(ex);
			}
			return "one";
		}, this.removed::add, System::nanoTime);
		ExecutorService executor = Executors.newFixedThreadPool(4);
		try {
			List<Future<?>> answers = new ArrayList<>();
			answers.add(executor.submit(() -> slow.ask("a.test")));
			begun.await();
			List<Thread> waiting = new CopyOnWriteArrayList<>();
			for (int i = 0; i < 3; i++) {
				answers.add(executor.submit(() -> {
					waiting.add(Thread.currentThread());
					slow.ask("a.test");
				}));
			}
			Awaitility.await()
				.until(() -> waiting.size() == 3
						&& waiting.stream().allMatch((thread) -> thread.getState() == Thread.State.TIMED_WAITING));
			answer.countDown();
			for (Future<?> each : answers) {
				each.get();
			}
			assertThat(count.get()).isOne();
		}
		finally {
			executor.shutdownNow();
		}
	}

	private void pass(Duration time) {
		this.now += time.toNanos();
	}

	private static CertificateHost host() {
		TestCertificates certificates = TestCertificates.get();
		certificates.openssl("req", "-x509", "-key", "p256.key", "-subj", "/CN=a", "-addext",
				"subjectAltName=DNS:a.test", "-out", "question.crt");
		return CertificateHost.of("one", List
			.of(new HostKey(certificates.privateKey("p256"), List.of(certificates.certificate("question.crt")))),
				(problem) -> {
				});
	}

}
