-- What came of attempts at jobs of a fleet: the engine that hands jobs out forgets why one failed.

CREATE TABLE job_outcomes (
  workspace TEXT NOT NULL,
  job BIGINT NOT NULL,
  attempt BIGINT NOT NULL,
  kind TEXT NOT NULL,
  worker TEXT NOT NULL,
  ended TEXT NOT NULL,
  ok BIGINT NOT NULL,
  text TEXT NOT NULL,
  PRIMARY KEY (workspace, job, attempt)
);
