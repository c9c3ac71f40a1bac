-- +goose Up
-- What the analytics operations read (docs/api-rules.md "Analytics"): every event in
-- one shape, and hourly sums of them. They have a checkpoint of their own and nobody
-- waits for them. `parley rebuild analytics` fills the same tables in a schema beside
-- these.

-- One row per event. The partition of a month is made by the first batch that has an
-- event of it.
CREATE TABLE analytics_events (
    tenant      text        NOT NULL,
    project_id  text        NOT NULL, -- empty: of the whole tenant
    ts          timestamptz NOT NULL,
    id          uuid        NOT NULL,
    category    text        NOT NULL,
    event_type  text        NOT NULL,
    agent_name  text        NOT NULL, -- these four are empty where there is none
    session_id  text        NOT NULL,
    channel     text        NOT NULL,
    model       text        NOT NULL,
    duration_ms bigint,
    error       text,
    tokens_in   bigint      NOT NULL,
    tokens_out  bigint      NOT NULL,
    cost        bigint      NOT NULL, -- pico-dollars
    metadata    json        NOT NULL
) PARTITION BY RANGE (ts);
CREATE INDEX ON analytics_events (tenant, project_id, ts, id);
CREATE INDEX ON analytics_events (tenant, session_id, ts) WHERE session_id <> '';

-- One row per hour, dimension and value: 'total', 'category', 'event_type',
-- 'agent_name', 'channel' and 'model'. All but the total are cut by category too.
CREATE TABLE analytics_hours (
    tenant      text        NOT NULL,
    project_id  text        NOT NULL,
    dimension   text        NOT NULL,
    hour        timestamptz NOT NULL,
    value       text        NOT NULL,
    category    text        NOT NULL,
    n           bigint      NOT NULL,
    errors      bigint      NOT NULL,
    timed       bigint      NOT NULL, -- how many have a duration
    duration_ms bigint      NOT NULL, -- their sum
    tokens_in   bigint      NOT NULL,
    tokens_out  bigint      NOT NULL,
    cost        bigint      NOT NULL,
    bins        int[]       NOT NULL, -- buckets of the durations, ascending; see analytics.Sketch
    counts      bigint[]    NOT NULL, -- how many durations each of them holds
    PRIMARY KEY (tenant, project_id, dimension, hour, value, category)
) WITH (fillfactor = 80);

-- What the events of a stream said of all of it: later ones need not repeat it.
CREATE TABLE analytics_streams (
    stream     text PRIMARY KEY,
    began      timestamptz NOT NULL,
    project_id text NOT NULL,
    session_id text NOT NULL,
    agent_name text NOT NULL,
    channel    text NOT NULL
);

CREATE TABLE analytics_checkpoints (
    topic       text   NOT NULL,
    partition   int    NOT NULL,
    next_offset bigint NOT NULL,
    PRIMARY KEY (topic, partition)
);

-- Who writes, and up to when everything is in: one row. Each transaction of the writer
-- changes it first, so there are never two.
CREATE TABLE analytics_progress (
    only_row    bool PRIMARY KEY DEFAULT true CHECK (only_row),
    as_of       timestamptz, -- null: what was there at the beginning is not all in yet
    owner       text,
    owner_epoch bigint      NOT NULL DEFAULT 0,
    lease_until timestamptz NOT NULL DEFAULT '-infinity'
);
INSERT INTO analytics_progress DEFAULT VALUES;

-- +goose Down
DROP TABLE analytics_progress, analytics_checkpoints, analytics_streams, analytics_hours, analytics_events;
