-- +goose Up
-- For how long a project keeps what is personal.
CREATE TABLE retentions (
    retention_id text PRIMARY KEY,      -- <tenant>.<project>
    tenant       text NOT NULL,
    project_id   text NOT NULL,
    days         jsonb NOT NULL,        -- by kind; a kind that is not there is kept for ever
    set_at       timestamptz NOT NULL,
    next_at      timestamptz,           -- of the next look; null: none
    looked_at    timestamptz,           -- the last time
    erasure_id   text                   -- the job of that
);
CREATE INDEX retentions_by_project ON retentions (tenant, project_id);

-- The project whose things a job forgets for their age; null for a person's job.
ALTER TABLE erasures ADD COLUMN project_id text;

-- What is personal was forgotten, so that nothing is looked at twice that is old. The indexes
-- hold what was not, the oldest first.
ALTER TABLE interactions ADD COLUMN erased boolean NOT NULL DEFAULT false;
ALTER TABLE sessions ADD COLUMN erased boolean NOT NULL DEFAULT false;
ALTER TABLE transfers ADD COLUMN erased boolean NOT NULL DEFAULT false;
ALTER TABLE conversations ADD COLUMN erased boolean NOT NULL DEFAULT false;
ALTER TABLE voicemails ADD COLUMN erased boolean NOT NULL DEFAULT false;
ALTER TABLE messages ADD COLUMN erased boolean NOT NULL DEFAULT false;
CREATE INDEX interactions_kept ON interactions (tenant, project_id, requested_at) WHERE NOT erased;
CREATE INDEX sessions_kept ON sessions (tenant, project_id, opened_at) WHERE NOT erased AND call_id = '';
CREATE INDEX transfers_kept ON transfers (tenant, project_id, requested_at) WHERE NOT erased;
CREATE INDEX conversations_kept ON conversations (tenant, project_id, opened_at) WHERE NOT erased OR ended_at IS NULL;
CREATE INDEX voicemails_kept ON voicemails (tenant, project_id, recorded_at) WHERE NOT erased;
CREATE INDEX messages_kept ON messages (tenant, project_id, requested_at) WHERE NOT erased;

-- +goose Down
DROP INDEX interactions_kept, sessions_kept, transfers_kept, conversations_kept, voicemails_kept, messages_kept;
ALTER TABLE messages DROP COLUMN erased;
ALTER TABLE voicemails DROP COLUMN erased;
ALTER TABLE conversations DROP COLUMN erased;
ALTER TABLE transfers DROP COLUMN erased;
ALTER TABLE sessions DROP COLUMN erased;
ALTER TABLE interactions DROP COLUMN erased;
ALTER TABLE erasures DROP COLUMN project_id;
DROP TABLE retentions;
