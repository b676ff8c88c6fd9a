CREATE TABLE IF NOT EXISTS tomcat_openssl_store (
	name VARCHAR(512) NOT NULL PRIMARY KEY,
	version BIGINT NOT NULL,
	key_id VARCHAR(16),
	content VARBINARY(1048576),
	changed_at BIGINT NOT NULL,
	expires_at BIGINT
);

INSERT INTO tomcat_openssl_store (name, version, changed_at)
SELECT 'schema', 1, 0 WHERE NOT EXISTS (SELECT 1 FROM tomcat_openssl_store WHERE name = 'schema');
