-- Lists of runs by agent, by session and by skill. The texts are cut: an entry of an index has a limit, names have none.

CREATE INDEX runs_by_agent ON runs (substr(agent, 1, 40), workspace, sequence);

CREATE INDEX runs_by_session ON runs (substr(session, 1, 80), workspace, sequence);

CREATE INDEX runs_with_skills ON runs (workspace, sequence) WHERE used <> '[]';
