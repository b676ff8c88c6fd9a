// Copyright 2026-present the original author or authors.
// SPDX-License-Identifier: Apache-2.0

package io.github.tomcatopenssl.endpoint;

import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.Set;

import io.github.tomcatopenssl.engine.TlsRecords;

/**
 * Reads why a handshake fails from the records of the client, as far as they show it. TLS
 * 1.3 encrypts them, and some are known by their length: an alert, and a Certificate
 * message without a certificate. It never fails, and keeps no more than the start of two
 * records.
 */
final class ClientFlight {

	/**
	 * Number of bytes of a record that are kept: the header, and a Certificate message of
	 * TLS 1.2 without a certificate.
	 */
	private static final int START = TlsRecords.HEADER + 7;

	private static final int CERTIFICATE = 11;

	private static final byte[] NO_CERTIFICATE = { CERTIFICATE, 0, 0, 3, 0, 0, 0 };

	/**
	 * Length of an unencrypted alert (RFC 8446, 6).
	 */
	private static final int ALERT_LENGTH = 2;

	private static final int FATAL = 2;

	/**
	 * What TLS 1.3 adds to a record: the type of its content, and the tag of an AEAD
	 * algorithm (RFC 8446, 5.2).
	 */
	private static final int OVERHEAD = 1 + 16;

	/**
	 * Number of zeros that Java adds to each record of TLS 1.3. Other clients in use add
	 * none.
	 */
	private static final int PADDING = 16;

	/**
	 * Lengths of the content of a record of TLS 1.3 that has a Certificate message
	 * without a certificate, which takes 8 bytes, alone or before a Finished message,
	 * which takes 36 or 52 bytes (RFC 8446, 4.4.2 and 4.4.4), of which 36 with padding is
	 * 52. With a certificate, it takes more.
	 */
	private static final Set<Integer> NO_CERTIFICATE_LENGTHS = Set.of(8, 8 + PADDING, 8 + 36, 8 + 52, 8 + 52 + PADDING);

	private final byte[] record = new byte[START];

	/**
	 * Number of bytes of the current record so far.
	 */
	private int read;

	private int alert = -1;

	private boolean begun;

	private boolean encryptedAlert;

	private boolean withoutCertificate;

	private int certificateLength;

	/**
	 * Inspect what the client sends.
	 * @param bytes the bytes, which follow those of the call before
	 * @param answered whether the server has accepted the client's offer
	 */
	void received(ByteBuffer bytes, boolean answered) {
		while (bytes.hasRemaining()) {
			if (this.read < Math.min(size(), START)) {
				this.record[this.read++] = bytes.get();
			}
			else {
				int skipped = Math.min(size() - this.read, bytes.remaining());
				bytes.position(bytes.position() + skipped);
				this.read += skipped;
			}
			if (this.read == size()) {
				readRecord(answered);
				Arrays.fill(this.record, (byte) 0);
				this.read = 0;
			}
		}
	}

	// The size of a record is unknown before its header is complete
	private int size() {
		return (this.read < TlsRecords.HEADER) ? START : TlsRecords.HEADER + length();
	}

	private int length() {
		return TlsRecords.length(ByteBuffer.wrap(this.record), 0);
	}

	private void readRecord(boolean answered) {
		int type = this.record[0];
		if (type == TlsRecords.ALERT && length() == ALERT_LENGTH && this.record[TlsRecords.HEADER] == FATAL) {
			this.alert = this.record[TlsRecords.HEADER + 1] & 0xFF;
		}
		if (answered && !this.begun && type != TlsRecords.CHANGE_CIPHER_SPEC) {
			this.begun = true;
			if (type == TlsRecords.APPLICATION_DATA) {
				int content = length() - OVERHEAD;
				this.encryptedAlert = content == ALERT_LENGTH || content == ALERT_LENGTH + PADDING;
				this.withoutCertificate = NO_CERTIFICATE_LENGTHS.contains(content);
			}
			else if (type == TlsRecords.HANDSHAKE && this.record[TlsRecords.HEADER] == CERTIFICATE) {
				this.withoutCertificate = Arrays.equals(this.record, TlsRecords.HEADER, START, NO_CERTIFICATE, 0,
						NO_CERTIFICATE.length);
				this.certificateLength = ByteBuffer.wrap(this.record).getInt(TlsRecords.HEADER) & 0xFFFFFF;
			}
		}
	}

	/**
	 * Return the fatal alert that the client has sent unencrypted.
	 * @return the number of the alert, or -1 if there is none
	 */
	int alert() {
		return this.alert;
	}

	/**
	 * Return whether the client has answered the server with an encrypted alert.
	 * @return whether it has
	 */
	boolean isEncryptedAlert() {
		return this.encryptedAlert;
	}

	/**
	 * Return whether the client has answered the server's request with no certificate.
	 * @return whether it has; {@code false} if the record does not show it
	 */
	boolean isWithoutCertificate() {
		return this.withoutCertificate;
	}

	/**
	 * Return the length of the client's unencrypted Certificate message.
	 * @return the length in bytes, or 0 if it is not known
	 */
	int certificateLength() {
		return this.certificateLength;
	}

}
