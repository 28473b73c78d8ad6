-- The statements of the hook (`hooks/rank.py`), which has no time to load the store. SQLite only.

-- name: size
SELECT count(*) FROM skill_texts;

-- name: holding
SELECT count(*) FROM skill_words WHERE skill_words MATCH ?;

-- name: best
SELECT rowid FROM skill_words WHERE skill_words MATCH ? ORDER BY bm25(skill_words, 8.0, 6.0, 1.0) LIMIT ?;

-- name: which
SELECT rowid FROM skill_words WHERE skill_words MATCH ? AND rowid IN ($numbers);

-- name: skills
SELECT t.number, s.name, s.hash, s.document, s.stamp, s.factor, s.tokens, s.context
FROM skill_texts t CROSS JOIN selectable s ON s.workspace = ? AND s.name = t.name AND s.hash = t.hash
WHERE t.number IN ($numbers) AND s.factor > 0 AND (s.agents = '' OR instr(s.agents, ?) > 0)
AND NOT EXISTS (SELECT 1 FROM package_decisions d WHERE d.workspace = s.workspace AND d.hash = s.hash AND d.allowed = 0);

-- name: always
SELECT 0, name, hash, document, stamp, factor, tokens, context
FROM selectable s
WHERE workspace = ? AND always = 1 AND factor > 0 AND context <> '' AND (agents = '' OR instr(agents, ?) > 0)
AND NOT EXISTS (SELECT 1 FROM package_decisions d WHERE d.workspace = s.workspace AND d.hash = s.hash AND d.allowed = 0)
ORDER BY name;

-- name: trials
SELECT id, skill, hash FROM trials WHERE workspace = ? AND status = 'running' AND instr(agents, ?) > 0;
