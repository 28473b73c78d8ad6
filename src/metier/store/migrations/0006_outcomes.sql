-- What became of selections. `requests` brings selections and runs together by workspace, session and words. `claims` are runs that
-- name their selection themselves. `outcomes` has a row for each skill that a selection handed over or withheld, `tallies` their sums;
-- rows that are stale are not in these as they are now.

CREATE TABLE claims (
  sequence $serial,
  workspace TEXT NOT NULL,
  selection TEXT NOT NULL,
  run TEXT NOT NULL,
  UNIQUE (selection, run)
);

CREATE TABLE requests (
  kind TEXT NOT NULL,
  id TEXT NOT NULL,
  place TEXT NOT NULL,
  moment DOUBLE PRECISION NOT NULL,
  partner TEXT NOT NULL,
  named BIGINT NOT NULL,
  PRIMARY KEY (kind, id)
);

CREATE INDEX requests_by_place ON requests (place, moment);

CREATE TABLE outcomes (
  selection TEXT NOT NULL,
  skill TEXT NOT NULL,
  hash TEXT NOT NULL,
  workspace TEXT NOT NULL,
  handed BIGINT NOT NULL,
  lot TEXT NOT NULL,
  fair BIGINT NOT NULL,
  run TEXT NOT NULL,
  used BIGINT,
  stated BIGINT,
  went BIGINT,
  stale BIGINT NOT NULL,
  PRIMARY KEY (selection, skill)
);

CREATE INDEX outcomes_by_skill ON outcomes (workspace, skill, hash, handed, fair, used, went);

CREATE INDEX outcomes_stale ON outcomes (workspace, skill) WHERE stale = 1;

CREATE INDEX outcomes_by_run ON outcomes (run);

CREATE INDEX outcomes_by_lot ON outcomes (lot, fair);

CREATE TABLE tallies (
  workspace TEXT NOT NULL,
  skill TEXT NOT NULL,
  hash TEXT NOT NULL,
  selected BIGINT NOT NULL,
  told BIGINT NOT NULL,
  used BIGINT NOT NULL,
  succeeded BIGINT NOT NULL,
  failed BIGINT NOT NULL,
  with_runs BIGINT NOT NULL,
  with_successes BIGINT NOT NULL,
  withheld_runs BIGINT NOT NULL,
  withheld_successes BIGINT NOT NULL,
  PRIMARY KEY (workspace, skill, hash)
);
