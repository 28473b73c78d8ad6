-- Roles of the database that may read the rows of a workspace, and no others: `metier store rls`. Only PostgreSQL has such roles.

CREATE TABLE reader_roles (
  workspace TEXT NOT NULL,
  role TEXT NOT NULL,
  PRIMARY KEY (workspace, role)
);
