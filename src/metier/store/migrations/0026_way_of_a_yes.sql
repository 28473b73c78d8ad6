-- An entry about a yes says how it came, and what was seen of an agent around it; entries from before have neither.

ALTER TABLE audit ADD COLUMN way TEXT NOT NULL DEFAULT '';

ALTER TABLE audit ADD COLUMN seen TEXT NOT NULL DEFAULT '';
