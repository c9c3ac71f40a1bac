-- +goose Up
-- Which secrets tools have, and by what names. What they are stands sealed in their events.
CREATE TABLE tool_secrets (
    secret_id   text PRIMARY KEY,
    tenant      text NOT NULL,
    project_id  text NOT NULL,
    tool_name   text NOT NULL,
    secret_key  text NOT NULL,
    environment text NOT NULL,
    version     integer NOT NULL,
    expires_at  timestamptz,          -- null: never
    created_at  timestamptz NOT NULL,
    updated_at  timestamptz NOT NULL
);
CREATE INDEX tool_secrets_of_project ON tool_secrets (tenant, project_id, tool_name, secret_key, environment);

-- +goose Down
DROP TABLE tool_secrets;
