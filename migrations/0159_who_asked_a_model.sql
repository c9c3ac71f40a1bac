-- +goose Up
-- Which agent of a session asked, in a turn; empty: nobody but who completed.
ALTER TABLE completions ADD COLUMN agent_name text NOT NULL DEFAULT '';

-- +goose Down
ALTER TABLE completions DROP COLUMN agent_name;
