-- How runs went that a skill was given to, whether they say that they used it or not.

ALTER TABLE tallies ADD COLUMN given_succeeded BIGINT NOT NULL DEFAULT 0;
ALTER TABLE tallies ADD COLUMN given_failed BIGINT NOT NULL DEFAULT 0;
UPDATE outcomes SET stale = 1;

-- The agents that a hook may hand a skill to, each between two commas. Empty: all of them.
ALTER TABLE selectable ADD COLUMN agents TEXT NOT NULL DEFAULT '';
