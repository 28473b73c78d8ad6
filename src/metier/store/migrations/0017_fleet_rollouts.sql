-- What jobs of a fleet need and what they give back, where that has no table of its own: inputs are kept under their hash, results
-- under their job's key. Both are taken out when they are old.

CREATE TABLE job_inputs (
  workspace TEXT NOT NULL,
  hash TEXT NOT NULL,
  stored TEXT NOT NULL,
  body $blob NOT NULL,
  PRIMARY KEY (workspace, hash)
);

CREATE TABLE job_results (
  workspace TEXT NOT NULL,
  job TEXT NOT NULL,
  stored TEXT NOT NULL,
  body TEXT NOT NULL,
  PRIMARY KEY (workspace, job)
);
