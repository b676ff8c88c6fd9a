// Copyright 2026-present the original author or authors.
// SPDX-License-Identifier: Apache-2.0

package io.github.tomcatopenssl.endpoint;

import java.io.IOException;

import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests for {@link RecordBudget}.
 */
class RecordBudgetTests {

	private static final int IN_A_ROW = 32;

	private static final int MOST = 65_536;

	private final RecordBudget budget = new RecordBudget();

	@Test
	void whenNothingWasSentThenFewRecordsInARowAreAccepted() throws Exception {
		for (int i = 0; i < 3; i++) {
			for (int j = 0; j < IN_A_ROW; j++) {
				this.budget.receivedNoData();
			}
			this.budget.receivedData();
		}
		assertThat(accepted()).isEqualTo(IN_A_ROW);
	}

	@Test
	void whenDataWasSentThenEachRecordOfItHasOneAnswer() {
		this.budget.sent(3);
		this.budget.sent(2000);
		assertThat(accepted()).isEqualTo(2003 + IN_A_ROW);
		this.budget.sent(10);
		assertThat(accepted()).isEqualTo(10);
	}

	@Test
	void whenDataIsReceivedThenRecordsOnTheirWayCanStillBeAnswered() {
		this.budget.sent(100);
		this.budget.receivedData();
		assertThat(accepted()).isEqualTo(100 + IN_A_ROW);
	}

	@Test
	void whenClientHasAnsweredNothingForLongThenItsAnswersAreLimited() {
		for (int i = 0; i < 100; i++) {
			this.budget.sent(MOST);
		}
		assertThat(accepted()).isEqualTo(MOST + IN_A_ROW);
		assertThat(accepted()).isZero();
	}

	@Test
	void whenDataWasSentThenTheClientIsHeardOfOnce() {
		assertThat(this.budget.hasSent()).isFalse();
		this.budget.sent(2);
		assertThat(this.budget.hasSent()).isTrue();
		assertThat(this.budget.hasSent()).isFalse();
	}

	private int accepted() {
		for (int i = 0;; i++) {
			try {
				this.budget.receivedNoData();
			}
			catch (IOException ex) {
				return i;
			}
		}
	}

}
