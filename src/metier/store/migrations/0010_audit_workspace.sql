-- The audit log of a shared store says which workspace an entry is about; entries from before have none.

ALTER TABLE audit ADD COLUMN workspace TEXT NOT NULL DEFAULT '';
