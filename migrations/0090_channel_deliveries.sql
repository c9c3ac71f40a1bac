-- +goose Up
-- What is said back in conversations of channels, and what became of it.
CREATE TABLE channel_deliveries (
    thread_id           text NOT NULL,        -- the stream's
    reply               integer NOT NULL,     -- in the thread, from 1
    tenant              text NOT NULL,
    project_id          text NOT NULL,
    connection_id       text NOT NULL,
    session_id          text NOT NULL,
    message_id          text NOT NULL,        -- of what was said in the session
    status              text NOT NULL,        -- queued, sending, retrying, sent, failed
    state               text NOT NULL DEFAULT '', -- delivered, read, undelivered: as the provider said later
    parts               integer NOT NULL,
    parts_sent          integer NOT NULL,
    attempts            integer NOT NULL,     -- at the part whose turn it is, or was last
    code                text NOT NULL,
    reason              text NOT NULL,
    provider_message_id text NOT NULL,        -- of the newest part that was taken
    queued_at           timestamptz NOT NULL,
    send_by             timestamptz NOT NULL,
    ended_at            timestamptz,
    PRIMARY KEY (thread_id, reply)
);
CREATE INDEX channel_deliveries_of_connection ON channel_deliveries (tenant, connection_id, queued_at DESC, thread_id, reply);
CREATE INDEX channel_deliveries_by_provider ON channel_deliveries (tenant, connection_id, provider_message_id) WHERE provider_message_id <> '';

-- Which sessions answered in which conversation.
CREATE TABLE channel_thread_sessions (
    session_id text PRIMARY KEY,
    thread_id  text NOT NULL,
    tenant     text NOT NULL
);
CREATE INDEX channel_thread_sessions_of_thread ON channel_thread_sessions (thread_id);

-- +goose Down
DROP TABLE channel_thread_sessions;
DROP TABLE channel_deliveries;
