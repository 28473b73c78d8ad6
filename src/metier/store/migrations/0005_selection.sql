-- What selection knows of skills. Texts and what is worked out from them stand under the content they were made of, so that
-- one changed skill costs one skill. CREATE SKILL WORDS is named in dialect.py.

CREATE TABLE skill_texts (
  number $serial,
  hash TEXT NOT NULL,
  name TEXT NOT NULL,
  description TEXT NOT NULL,
  said TEXT NOT NULL,
  body TEXT NOT NULL,
  UNIQUE (hash, name)
);

CREATE TABLE skill_entries (
  hash TEXT NOT NULL,
  name TEXT NOT NULL,
  version TEXT NOT NULL,
  entry $blob NOT NULL,
  PRIMARY KEY (hash, name, version)
);

CREATE TABLE skill_vectors (
  hash TEXT NOT NULL,
  name TEXT NOT NULL,
  embedder TEXT NOT NULL,
  vector $blob NOT NULL,
  PRIMARY KEY (hash, name, embedder)
);

CREATE SKILL WORDS;

CREATE TABLE selectable (
  workspace TEXT NOT NULL,
  name TEXT NOT NULL,
  hash TEXT NOT NULL,
  document TEXT NOT NULL,
  stamp TEXT NOT NULL,
  always BIGINT NOT NULL,
  factor DOUBLE PRECISION NOT NULL,
  checked TEXT NOT NULL,
  tokens BIGINT NOT NULL,
  context TEXT NOT NULL,
  PRIMARY KEY (workspace, name)
);

CREATE INDEX selectable_by_content ON selectable (hash, name);

CREATE INDEX selectable_always ON selectable (workspace, always, name);

ALTER TABLE selections ADD COLUMN session TEXT NOT NULL DEFAULT '';

ALTER TABLE selections ADD COLUMN created TEXT NOT NULL DEFAULT '';

CREATE INDEX selections_by_run ON selections (workspace, run, sequence);
