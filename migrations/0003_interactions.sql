-- +goose Up
-- One row per conversation of any channel: what the Interactions page lists and
-- what call details report once its session has ended.

CREATE TABLE interactions (
    conversation_id  text PRIMARY KEY,
    tenant           text NOT NULL,
    project_id       text NOT NULL,
    channel          text NOT NULL,            -- kind slug: voice
    direction        text NOT NULL,            -- Outbound, Inbound
    status           text NOT NULL,            -- see projections.InteractionStatus
    user_id          text NOT NULL,            -- the person at the other end
    channel_user_id  text NOT NULL,
    center_id        text NOT NULL,            -- our number or address
    flow_id          text NOT NULL DEFAULT '',
    agent_name       text NOT NULL DEFAULT '', -- AI agent
    session_id       text,                     -- null until a session was opened
    detection        text NOT NULL DEFAULT '', -- machineDetection mode
    verdict          text NOT NULL DEFAULT '',
    requested_at     timestamptz NOT NULL,
    started_at       timestamptz,              -- of the session
    ended_at         timestamptz,
    duration_ms      bigint,
    reason_code      text NOT NULL DEFAULT '',
    reason           text NOT NULL DEFAULT '',
    disconnecting    text NOT NULL DEFAULT '', -- disconnectingEvent of call details
    final_status     text NOT NULL DEFAULT ''
);
CREATE INDEX interactions_by_start ON interactions (tenant, project_id, started_at, session_id) WHERE ended_at IS NOT NULL AND session_id IS NOT NULL;
CREATE INDEX interactions_by_request ON interactions (tenant, project_id, requested_at DESC, conversation_id);

CREATE TABLE sessions (
    session_id text PRIMARY KEY,
    tenant     text NOT NULL,
    project_id text NOT NULL,
    channel    text NOT NULL,
    call_id    text NOT NULL,
    agent_name text NOT NULL,
    status     text NOT NULL,
    opened_at  timestamptz NOT NULL,
    ended_at   timestamptz
);

CREATE TABLE deliveries (
    stream      text NOT NULL,
    notice_id   text NOT NULL,
    tenant      text NOT NULL,
    project_id  text NOT NULL,
    url         text NOT NULL,
    status      text NOT NULL,                 -- queued, retrying, delivered, undelivered
    attempts    int  NOT NULL DEFAULT 0,
    last_error  text NOT NULL DEFAULT '',
    queued_at   timestamptz NOT NULL,
    finished_at timestamptz,
    PRIMARY KEY (stream, notice_id)
);

-- +goose Down
DROP TABLE deliveries, sessions, interactions;
