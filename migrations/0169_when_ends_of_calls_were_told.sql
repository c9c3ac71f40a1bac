-- +goose Up
-- When the log was told that a call ended. Analytics count the call in that hour, so figures of its sound are looked for
-- by it; ended_at is when it happened, which may be an hour before.
ALTER TABLE interactions ADD COLUMN end_told_at timestamptz;
DROP INDEX interactions_measured;
CREATE INDEX interactions_measured ON interactions (tenant, project_id, end_told_at) WHERE quality IS NOT NULL;

-- +goose Down
DROP INDEX interactions_measured;
CREATE INDEX interactions_measured ON interactions (tenant, project_id, ended_at) WHERE quality IS NOT NULL;
ALTER TABLE interactions DROP COLUMN end_told_at;
