-- What was done to one thing is found by the start of the subject: a subject is a name or an id, and may go on after a space.

CREATE INDEX audit_by_subject ON audit (substr(subject, 1, 100)$bytewise);
