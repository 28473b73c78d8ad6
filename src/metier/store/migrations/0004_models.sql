-- What models are asked and what that costs. Money is the text of a decimal number: sums of it are exact, and made in Python.

ALTER TABLE memo ADD COLUMN workspace TEXT NOT NULL DEFAULT '';

CREATE INDEX memo_by_age ON memo (workspace, stored);

CREATE TABLE calls (
  sequence $serial,
  happened TEXT NOT NULL,
  workspace TEXT NOT NULL,
  stage TEXT NOT NULL,
  what TEXT NOT NULL,
  model TEXT NOT NULL,
  prompt_hash TEXT NOT NULL,
  input BIGINT,
  output BIGINT,
  cache_read BIGINT,
  cache_write BIGINT,
  usd TEXT,
  seconds DOUBLE PRECISION NOT NULL,
  outcome TEXT NOT NULL
);

CREATE INDEX calls_by_age ON calls (workspace, happened);

CREATE TABLE spending (
  workspace TEXT NOT NULL,
  day TEXT NOT NULL,
  calls BIGINT NOT NULL,
  tokens BIGINT NOT NULL,
  usd TEXT NOT NULL,
  unpriced BIGINT NOT NULL,
  PRIMARY KEY (workspace, day)
);

CREATE TABLE reservations (
  id TEXT PRIMARY KEY,
  workspace TEXT NOT NULL,
  day TEXT NOT NULL,
  calls BIGINT NOT NULL,
  tokens BIGINT NOT NULL,
  usd TEXT NOT NULL,
  unpriced BIGINT NOT NULL
);
