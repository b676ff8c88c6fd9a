CREATE TABLE IF NOT EXISTS tomcat_openssl_store (
	name VARCHAR(512) CHARACTER SET ascii COLLATE ascii_bin NOT NULL PRIMARY KEY,
	version BIGINT NOT NULL,
	key_id VARCHAR(16),
	content MEDIUMBLOB,
	changed_at BIGINT NOT NULL,
	expires_at BIGINT
) ENGINE=InnoDB;

INSERT IGNORE INTO tomcat_openssl_store (name, version, changed_at) VALUES ('schema', 1, 0);
