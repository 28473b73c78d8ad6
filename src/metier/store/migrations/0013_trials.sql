-- Trials: which skills are withheld from half of the sessions, and which sessions take part. `position` is the order in which outcomes
-- became known; null: not known yet, or it counts in neither arm.

CREATE TABLE trials (
  id TEXT PRIMARY KEY,
  workspace TEXT NOT NULL,
  skill TEXT NOT NULL,
  hash TEXT NOT NULL,
  agents TEXT NOT NULL,
  status TEXT NOT NULL,
  body TEXT NOT NULL
);
CREATE UNIQUE INDEX trials_running ON trials (workspace, skill) WHERE status = 'running';

CREATE TABLE trial_sessions (
  trial TEXT NOT NULL,
  session TEXT NOT NULL,
  arm TEXT NOT NULL,
  selection TEXT NOT NULL,
  entered BIGINT NOT NULL,
  position BIGINT,
  PRIMARY KEY (trial, session)
);
