-- Trainings: what each was given, how far it got and what came of it. Its cases are a suite of `cases`, its rollouts and replies
-- are kept under what determined them.

CREATE TABLE trainings (
  id TEXT PRIMARY KEY,
  workspace TEXT NOT NULL,
  skill TEXT NOT NULL,
  status TEXT NOT NULL,
  updated TEXT NOT NULL,
  body TEXT NOT NULL,
  start $blob NOT NULL,
  report TEXT NOT NULL
);

CREATE INDEX trainings_by_age ON trainings (workspace, updated);
