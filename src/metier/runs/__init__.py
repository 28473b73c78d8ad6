"""Experience: what becomes of a run before it is stored, and the spool that hooks drop theirs into."""
