-- Who may use a server, by the hashes of their tokens, and the spans of traces that are not runs yet.

CREATE TABLE access_tokens (
  workspace TEXT NOT NULL,
  id TEXT NOT NULL,
  name TEXT NOT NULL,
  role TEXT NOT NULL,
  hash TEXT NOT NULL,
  created TEXT NOT NULL,
  expires TEXT NOT NULL,
  revoked TEXT NOT NULL,
  PRIMARY KEY (workspace, id)
);

CREATE TABLE traces (
  workspace TEXT NOT NULL,
  trace TEXT NOT NULL,
  has_root BIGINT NOT NULL,
  changed TEXT NOT NULL,
  built TEXT NOT NULL,
  PRIMARY KEY (workspace, trace)
);

CREATE INDEX traces_by_age ON traces (workspace, changed);

CREATE TABLE trace_spans (
  workspace TEXT NOT NULL,
  trace TEXT NOT NULL,
  span TEXT NOT NULL,
  body TEXT NOT NULL,
  PRIMARY KEY (workspace, trace, span)
);
