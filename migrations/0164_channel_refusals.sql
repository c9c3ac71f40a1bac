-- +goose Up
-- Conversations in which somebody said what no session took, by the newest of it: they go by age where no session of
-- theirs is there to go with.
CREATE TABLE channel_refusals (
    thread_id  text PRIMARY KEY,
    tenant     text NOT NULL,
    project_id text NOT NULL,
    refused_at timestamptz NOT NULL
);
CREATE INDEX channel_refusals_by_age ON channel_refusals (tenant, project_id, refused_at);

-- +goose Down
DROP TABLE channel_refusals;
