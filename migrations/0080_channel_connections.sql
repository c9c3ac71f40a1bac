-- +goose Up
-- The connections of channels. One that is deleted has no row.
CREATE TABLE channel_connections (
    tenant        text NOT NULL,
    connection_id text NOT NULL,
    project_id    text NOT NULL,
    kind          text NOT NULL,
    external      text NOT NULL,
    name          text NOT NULL,
    agent_name    text NOT NULL,        -- empty: the deployment's entry agent
    deployment_id text NOT NULL,        -- empty: the newest active one at the moment of a message
    environment   text NOT NULL,
    active        boolean NOT NULL,
    credentials   jsonb NOT NULL,       -- sealed, by their names
    created_at    timestamptz NOT NULL,
    updated_at    timestamptz NOT NULL,
    PRIMARY KEY (tenant, connection_id)
);
CREATE INDEX channel_connections_of_project ON channel_connections (tenant, project_id, created_at DESC, connection_id DESC);
CREATE INDEX channel_connections_by_name ON channel_connections (kind, external);

-- +goose Down
DROP TABLE channel_connections;
