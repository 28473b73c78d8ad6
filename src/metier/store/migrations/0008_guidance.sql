-- What a skill is for, where to begin and what to avoid, as the last applied draft says: JSON, empty where no draft said it.

ALTER TABLE profiles ADD COLUMN guidance TEXT NOT NULL DEFAULT '';
