-- +goose Up
-- Sessions in which an agent assists people in a conversation.
ALTER TABLE sessions ADD COLUMN assists text NOT NULL DEFAULT ''; -- the conversation's id
CREATE INDEX sessions_assisting ON sessions (tenant, project_id, assists) WHERE assists <> '';

-- What it suggests to a message, or why it does not.
ALTER TABLE conversation_messages
    ADD COLUMN suggestion     text NOT NULL DEFAULT '',
    ADD COLUMN assist_agent   text NOT NULL DEFAULT '',
    ADD COLUMN assist_session text NOT NULL DEFAULT '',
    ADD COLUMN assist_code    text NOT NULL DEFAULT '',
    ADD COLUMN assist_problem text NOT NULL DEFAULT '',
    ADD COLUMN assisted_at    timestamptz;

-- +goose Down
ALTER TABLE conversation_messages DROP COLUMN suggestion, DROP COLUMN assist_agent, DROP COLUMN assist_session,
    DROP COLUMN assist_code, DROP COLUMN assist_problem, DROP COLUMN assisted_at;
ALTER TABLE sessions DROP COLUMN assists;
