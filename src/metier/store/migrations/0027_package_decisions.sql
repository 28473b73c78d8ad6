-- The latest yes or no to the bytes of a skill; it counts in every root and under every name.

CREATE TABLE package_decisions (
  workspace TEXT NOT NULL,
  hash TEXT NOT NULL,
  allowed BIGINT NOT NULL,
  action TEXT NOT NULL,
  happened TEXT NOT NULL,
  seal TEXT NOT NULL,
  PRIMARY KEY (workspace, hash)
);
