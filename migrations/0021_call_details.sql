-- +goose Up
-- Who was called, for call details: first and last name, and address.
ALTER TABLE interactions ADD COLUMN customer jsonb;

-- Call details that came from hooks alone, by their start.
CREATE INDEX conversations_by_entry ON conversations (tenant, project_id, entered_at, conversation_id) WHERE origin = 'hook' AND ended_at IS NOT NULL;

-- Call details of sessions that are no call's, by their start.
CREATE INDEX ended_sessions_by_opening ON sessions (tenant, project_id, opened_at, session_id) WHERE call_id = '' AND ended_at IS NOT NULL;

-- +goose Down
DROP INDEX ended_sessions_by_opening;
DROP INDEX conversations_by_entry;
ALTER TABLE interactions DROP COLUMN customer;
