-- +goose Up
-- What is said in sessions: by which deployment, how much, and when last.
ALTER TABLE sessions ADD COLUMN deployment_id text NOT NULL DEFAULT '';
ALTER TABLE sessions ADD COLUMN environment text NOT NULL DEFAULT '';
ALTER TABLE sessions ADD COLUMN test boolean NOT NULL DEFAULT false;
ALTER TABLE sessions ADD COLUMN ended_by text NOT NULL DEFAULT '';
ALTER TABLE sessions ADD COLUMN messages int NOT NULL DEFAULT 0;
ALTER TABLE sessions ADD COLUMN traces int NOT NULL DEFAULT 0;
ALTER TABLE sessions ADD COLUMN errors int NOT NULL DEFAULT 0;
ALTER TABLE sessions ADD COLUMN handoffs int NOT NULL DEFAULT 0;
ALTER TABLE sessions ADD COLUMN active_at timestamptz; -- when something was said last, or it was opened
CREATE INDEX sessions_by_activity ON sessions (tenant, project_id, active_at DESC, session_id);

-- +goose Down
DROP INDEX sessions_by_activity;
ALTER TABLE sessions DROP COLUMN active_at;
ALTER TABLE sessions DROP COLUMN handoffs;
ALTER TABLE sessions DROP COLUMN errors;
ALTER TABLE sessions DROP COLUMN traces;
ALTER TABLE sessions DROP COLUMN messages;
ALTER TABLE sessions DROP COLUMN ended_by;
ALTER TABLE sessions DROP COLUMN test;
ALTER TABLE sessions DROP COLUMN environment;
ALTER TABLE sessions DROP COLUMN deployment_id;
