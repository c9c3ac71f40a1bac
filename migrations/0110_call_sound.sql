-- +goose Up
-- How calls sounded, and which numbers ask for a recording.
ALTER TABLE interactions ADD COLUMN quality jsonb;
CREATE INDEX interactions_measured ON interactions (tenant, project_id, ended_at) WHERE quality IS NOT NULL;
ALTER TABLE flows ADD COLUMN recording boolean NOT NULL DEFAULT false;

-- +goose Down
ALTER TABLE flows DROP COLUMN recording;
DROP INDEX interactions_measured;
ALTER TABLE interactions DROP COLUMN quality;
