-- +goose Up
-- How many sessions and generations there are is told on every page of them: it is counted in an
-- index, without a look at the rows.
DROP INDEX sessions_opened;
CREATE INDEX sessions_opened ON sessions (tenant, project_id, opened_at) INCLUDE (status, channel, agent_name, contact_id);
ALTER TABLE completions ADD COLUMN of_turn boolean NOT NULL DEFAULT false; -- a turn asked: there is such a session of the project
CREATE INDEX completions_of_turns ON completions (tenant, project_id, ended_at) INCLUDE (session_id, model_id) WHERE of_turn;
CREATE INDEX completions_beside_turns ON completions (tenant, project_id, session_id) WHERE session_id <> '' AND NOT of_turn;

-- +goose Down
DROP INDEX completions_beside_turns, completions_of_turns;
ALTER TABLE completions DROP COLUMN of_turn;
DROP INDEX sessions_opened;
CREATE INDEX sessions_opened ON sessions (tenant, project_id, opened_at);
