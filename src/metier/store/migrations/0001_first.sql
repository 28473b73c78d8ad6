-- The first schema. Types are portable; $serial, $blob and CREATE FULLTEXT are named in dialect.py.
-- Times are ISO 8601 texts in UTC; order is always by sequence, never by a clock.

CREATE TABLE meta (name TEXT PRIMARY KEY, value TEXT NOT NULL);

CREATE TABLE runs (
  sequence $serial,
  key TEXT NOT NULL UNIQUE,
  workspace TEXT NOT NULL,
  source TEXT NOT NULL,
  session TEXT NOT NULL,
  external_id TEXT,
  agent TEXT NOT NULL,
  started TEXT,
  summary TEXT NOT NULL,
  success BIGINT,
  used TEXT NOT NULL,
  state TEXT NOT NULL,
  revision BIGINT NOT NULL,
  size BIGINT NOT NULL,
  content TEXT NOT NULL,
  recorded TEXT NOT NULL,
  body TEXT NOT NULL
);

CREATE INDEX runs_by_workspace ON runs (workspace, sequence, size);

CREATE TABLE removed_runs (id TEXT PRIMARY KEY, workspace TEXT NOT NULL, removed TEXT NOT NULL);

CREATE FULLTEXT;

CREATE TABLE verdicts (
  run TEXT PRIMARY KEY,
  success BIGINT,
  reason TEXT NOT NULL,
  judge TEXT NOT NULL,
  prompt_hash TEXT NOT NULL,
  decided TEXT NOT NULL
);

CREATE TABLE profiles (
  workspace TEXT NOT NULL,
  name TEXT NOT NULL,
  skill TEXT NOT NULL,
  status TEXT NOT NULL,
  origin TEXT NOT NULL,
  uses BIGINT NOT NULL,
  successes BIGINT NOT NULL,
  failures BIGINT NOT NULL,
  last_used TEXT NOT NULL,
  retention DOUBLE PRECISION NOT NULL,
  pinned BIGINT NOT NULL,
  PRIMARY KEY (workspace, name)
);

CREATE TABLE patterns (
  sequence $serial,
  id TEXT NOT NULL UNIQUE,
  workspace TEXT NOT NULL,
  label TEXT NOT NULL,
  status TEXT NOT NULL,
  body TEXT NOT NULL
);

CREATE TABLE drafts (
  sequence $serial,
  id TEXT NOT NULL UNIQUE,
  workspace TEXT NOT NULL,
  target TEXT NOT NULL,
  status TEXT NOT NULL,
  body TEXT NOT NULL
);

CREATE TABLE versions (
  sequence $serial,
  root TEXT NOT NULL,
  skill TEXT NOT NULL,
  number BIGINT NOT NULL,
  hash TEXT NOT NULL,
  body TEXT NOT NULL,
  UNIQUE (root, skill, number)
);

CREATE TABLE cases (
  workspace TEXT NOT NULL,
  suite TEXT NOT NULL,
  id TEXT NOT NULL,
  body TEXT NOT NULL,
  PRIMARY KEY (workspace, suite, id)
);

CREATE TABLE rollouts (
  id TEXT PRIMARY KEY,
  case_id TEXT NOT NULL,
  skill_hash TEXT NOT NULL,
  target TEXT NOT NULL,
  sample BIGINT NOT NULL,
  body TEXT NOT NULL
);

CREATE TABLE selections (
  sequence $serial,
  id TEXT NOT NULL UNIQUE,
  workspace TEXT NOT NULL,
  run TEXT NOT NULL,
  body TEXT NOT NULL
);

CREATE TABLE events (
  sequence $serial,
  workspace TEXT NOT NULL,
  work TEXT NOT NULL,
  happened TEXT NOT NULL,
  body TEXT NOT NULL
);

CREATE INDEX events_by_work ON events (workspace, work, sequence);

CREATE TABLE memo (key TEXT PRIMARY KEY, value $blob NOT NULL, stored TEXT NOT NULL);

CREATE TABLE audit (
  sequence $serial,
  happened TEXT NOT NULL,
  actor TEXT NOT NULL,
  action TEXT NOT NULL,
  subject TEXT NOT NULL,
  reason TEXT NOT NULL,
  previous TEXT NOT NULL,
  hash TEXT NOT NULL
);

CREATE TABLE spooled (name TEXT PRIMARY KEY, ingested TEXT NOT NULL);

CREATE TABLE files (
  workspace TEXT NOT NULL,
  path TEXT NOT NULL,
  source TEXT NOT NULL,
  session TEXT NOT NULL,
  position BIGINT NOT NULL,
  size BIGINT NOT NULL,
  fingerprint TEXT NOT NULL,
  state TEXT NOT NULL,
  seen TEXT NOT NULL,
  PRIMARY KEY (workspace, path)
);
