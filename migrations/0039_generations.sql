-- +goose Up
-- What a model was asked while a session went on, one by one.
ALTER TABLE completions ADD COLUMN session_id text NOT NULL DEFAULT '';
ALTER TABLE completions ADD COLUMN model text NOT NULL DEFAULT '';         -- that answered, as its provider calls it
ALTER TABLE completions ADD COLUMN tokens_in bigint NOT NULL DEFAULT 0;
ALTER TABLE completions ADD COLUMN tokens_out bigint NOT NULL DEFAULT 0;
ALTER TABLE completions ADD COLUMN estimated boolean NOT NULL DEFAULT false; -- nobody counted the tokens
ALTER TABLE completions ADD COLUMN streamed boolean NOT NULL DEFAULT false;
ALTER TABLE completions ADD COLUMN finish_reason text NOT NULL DEFAULT ''; -- empty: it failed
ALTER TABLE completions ADD COLUMN failed text NOT NULL DEFAULT '';        -- why; empty: it did not
CREATE INDEX completions_of_session ON completions (tenant, project_id, session_id) WHERE session_id <> '';

-- +goose Down
DROP INDEX completions_of_session;
ALTER TABLE completions DROP COLUMN failed;
ALTER TABLE completions DROP COLUMN finish_reason;
ALTER TABLE completions DROP COLUMN streamed;
ALTER TABLE completions DROP COLUMN estimated;
ALTER TABLE completions DROP COLUMN tokens_out;
ALTER TABLE completions DROP COLUMN tokens_in;
ALTER TABLE completions DROP COLUMN model;
ALTER TABLE completions DROP COLUMN session_id;
