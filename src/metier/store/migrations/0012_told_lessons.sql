-- Which lessons agents were told, in which session and for which request, and how.

CREATE TABLE told_lessons (
  workspace TEXT NOT NULL,
  lesson TEXT NOT NULL,
  session TEXT NOT NULL,
  request TEXT NOT NULL,
  how TEXT NOT NULL,
  created TEXT NOT NULL
);
CREATE INDEX told_lessons_by_session ON told_lessons (workspace, session);
