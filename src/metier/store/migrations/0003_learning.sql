-- What learning knows of runs beyond the runs themselves: the pattern each one went to, and those that wait.

CREATE TABLE members (
  key TEXT PRIMARY KEY,
  workspace TEXT NOT NULL,
  pattern TEXT NOT NULL,
  sequence BIGINT NOT NULL,
  success BIGINT NOT NULL,
  path TEXT NOT NULL,
  reason TEXT NOT NULL
);

CREATE INDEX members_by_pattern ON members (workspace, pattern, success, sequence);

CREATE TABLE waiting (
  key TEXT PRIMARY KEY,
  workspace TEXT NOT NULL,
  reason TEXT NOT NULL,
  success BIGINT,
  text TEXT NOT NULL,
  hints TEXT NOT NULL,
  label TEXT NOT NULL,
  embedder TEXT NOT NULL,
  vector $blob NOT NULL
);

CREATE INDEX waiting_by_workspace ON waiting (workspace);

CREATE TABLE clusters (
  pattern TEXT NOT NULL,
  workspace TEXT NOT NULL,
  body TEXT NOT NULL,
  vectors $blob NOT NULL,
  PRIMARY KEY (workspace, pattern)
);

CREATE INDEX runs_by_state ON runs (workspace, state, sequence);

ALTER TABLE patterns ADD COLUMN stale BIGINT NOT NULL DEFAULT 0;

ALTER TABLE patterns ADD COLUMN tried TEXT NOT NULL DEFAULT '';
