-- The runs of one skill are found in an index alone. An entry of an index has a limit, a list of skills has none, so long lists stand apart.

DROP INDEX runs_with_skills;

CREATE INDEX runs_by_used ON runs (workspace, sequence, used) WHERE used <> '[]' AND length(used) < 1000;

CREATE INDEX runs_with_many_skills ON runs (workspace, sequence) WHERE length(used) >= 1000;
