-- +goose Up
-- A call's answer shows the id of its session before the session is opened: who uses it
-- at once is answered by the call.
CREATE INDEX interactions_by_session ON interactions (tenant, project_id, session_id) WHERE session_id IS NOT NULL;

-- +goose Down
DROP INDEX interactions_by_session;
