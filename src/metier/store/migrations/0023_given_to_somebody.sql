-- Selections that somebody tried out by hand were given to nobody: what they counted for is counted again.

UPDATE outcomes SET stale = 1 WHERE handed = 1 AND run = '';
