-- Words of runs are found quickly among a million, and the same ones on both engines. PostgreSQL's index is filled again by the first search.

RENEW FULLTEXT;
