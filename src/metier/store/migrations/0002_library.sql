-- The history of skills lies beside them on disk, readable without a database; here is only what was last seen of each.

DROP TABLE versions;

CREATE TABLE glances (
  workspace TEXT NOT NULL,
  root TEXT NOT NULL,
  skill TEXT NOT NULL,
  fingerprint TEXT NOT NULL,
  hash TEXT NOT NULL,
  name TEXT NOT NULL,
  description TEXT NOT NULL,
  problem TEXT NOT NULL,
  version BIGINT NOT NULL,
  PRIMARY KEY (workspace, root, skill)
);

ALTER TABLE profiles ADD COLUMN changed TEXT NOT NULL DEFAULT '';
