-- Two workspaces of one store may train the same skill on the same cases: each has a training of its own.

CREATE TABLE own_trainings (
  id TEXT NOT NULL,
  workspace TEXT NOT NULL,
  skill TEXT NOT NULL,
  status TEXT NOT NULL,
  updated TEXT NOT NULL,
  body TEXT NOT NULL,
  start $blob NOT NULL,
  report TEXT NOT NULL,
  PRIMARY KEY (workspace, id)
);

INSERT INTO own_trainings (id, workspace, skill, status, updated, body, start, report)
SELECT id, workspace, skill, status, updated, body, start, report FROM trainings;

DROP TABLE trainings;

ALTER TABLE own_trainings RENAME TO trainings;

CREATE INDEX trainings_by_age ON trainings (workspace, updated);
