CREATE TABLE IF NOT EXISTS tomcat_openssl_store (
	name VARCHAR(512) NOT NULL PRIMARY KEY,
	version BIGINT NOT NULL,
	key_id VARCHAR(16),
	content BYTEA,
	changed_at BIGINT NOT NULL,
	expires_at BIGINT
);

INSERT INTO tomcat_openssl_store (name, version, changed_at) VALUES ('schema', 1, 0) ON CONFLICT DO NOTHING;
