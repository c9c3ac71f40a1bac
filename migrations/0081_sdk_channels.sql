-- +goose Up
-- The channels of SDKs. One that is deleted has no row.
CREATE TABLE sdk_channels (
    tenant        text NOT NULL,
    channel_id    text NOT NULL,
    project_id    text NOT NULL,
    name          text NOT NULL,
    type          text NOT NULL,
    key_id        text NOT NULL,        -- the public key by which it is used
    deployment_id text NOT NULL,        -- empty: none is named
    environment   text NOT NULL,
    follows       boolean NOT NULL,     -- the newest active deployment of the environment answers
    config        jsonb,                -- null: none
    active        boolean NOT NULL,
    created_at    timestamptz NOT NULL,
    updated_at    timestamptz NOT NULL,
    PRIMARY KEY (tenant, channel_id)
);
CREATE INDEX sdk_channels_of_project ON sdk_channels (tenant, project_id, created_at DESC, channel_id DESC);
CREATE INDEX sdk_channels_of_key ON sdk_channels (tenant, key_id, created_at DESC, channel_id DESC) WHERE active;

-- Browsers ask whether a page may call the API before they show which key it has.
CREATE INDEX api_keys_by_origin ON api_keys USING gin (allowed_origins) WHERE kind = 'public';

-- +goose Down
DROP INDEX api_keys_by_origin;
DROP TABLE sdk_channels;
