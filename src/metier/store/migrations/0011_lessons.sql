-- Lessons: what the net keeps of each session, which runs it has read, and the lessons that came of it.

CREATE TABLE mined (
  key TEXT PRIMARY KEY,
  workspace TEXT NOT NULL
);

CREATE TABLE sightings (
  workspace TEXT NOT NULL,
  session TEXT NOT NULL,
  sequence BIGINT NOT NULL,
  body TEXT NOT NULL,
  PRIMARY KEY (workspace, session)
);

CREATE TABLE lessons (
  workspace TEXT NOT NULL,
  id TEXT NOT NULL,
  status TEXT NOT NULL,
  body TEXT NOT NULL,
  PRIMARY KEY (workspace, id)
);
