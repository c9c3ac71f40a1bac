-- +goose Up
-- What models were asked once, outside of any session: figures alone.
CREATE TABLE completions (
    completion_id text PRIMARY KEY,
    tenant        text NOT NULL,
    project_id    text NOT NULL,
    model_id      text NOT NULL,        -- empty: no model began
    provider      text NOT NULL,
    tokens        bigint NOT NULL,
    cost          bigint,               -- pico-dollars; null: the price is not known
    latency_ms    bigint NOT NULL,
    ended_at      timestamptz NOT NULL
);
CREATE INDEX completions_of_project ON completions (tenant, project_id, ended_at);

-- +goose Down
DROP TABLE completions;
