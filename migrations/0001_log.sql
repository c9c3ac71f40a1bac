-- +goose Up
-- What the projector needs of its own: the stream index, its checkpoints, the live
-- nodes and the timers. All of it is rebuilt from the log.

CREATE TABLE checkpoints (
    projection  text        NOT NULL, -- 'live' is the stream index with all awaited read models
    topic       text        NOT NULL,
    partition   int         NOT NULL,
    next_offset bigint      NOT NULL DEFAULT 0,
    mark        text        NOT NULL DEFAULT '', -- identity of the record before next_offset
    log_id      text        NOT NULL DEFAULT '',
    owner       text,                            -- node that holds the lease
    owner_epoch bigint      NOT NULL DEFAULT 0,
    lease_until timestamptz NOT NULL DEFAULT '-infinity',
    PRIMARY KEY (projection, topic, partition)
);

CREATE TABLE nodes (
    node    text PRIMARY KEY,
    seen_at timestamptz NOT NULL
);

CREATE TABLE events (
    stream         text        NOT NULL,
    version        bigint      NOT NULL,
    topic          text        NOT NULL,
    partition      int         NOT NULL,
    log_offset     bigint      NOT NULL,
    id             uuid        NOT NULL,
    type           text        NOT NULL,
    time           timestamptz NOT NULL,
    tenant         text        NOT NULL,
    actor          text        NOT NULL,
    source         text        NOT NULL,
    commit_id      uuid        NOT NULL,
    commit_index   int         NOT NULL,
    commit_size    int         NOT NULL,
    parent         text        NOT NULL,
    request_id     text        NOT NULL,
    request_hash   text        NOT NULL,
    correlation_id text        NOT NULL,
    causation_id   text        NOT NULL,
    traceparent    text        NOT NULL,
    data           bytea       NOT NULL,
    PRIMARY KEY (stream, version)
);

CREATE TABLE timers (
    stream        text        NOT NULL,
    name          text        NOT NULL,
    topic         text        NOT NULL,
    tenant        text        NOT NULL,
    due_at        timestamptz NOT NULL,
    claimed_until timestamptz NOT NULL DEFAULT '-infinity',
    PRIMARY KEY (stream, name)
);
CREATE INDEX timers_due ON timers (due_at);

-- advance moves a checkpoint if it still is where the projector left it, and
-- makes the whole transaction fail if it is not.
-- +goose StatementBegin
CREATE FUNCTION advance(in_projection text, in_topic text, in_partition int, in_from bigint, in_epoch bigint, in_to bigint, in_mark text)
RETURNS void LANGUAGE plpgsql AS $$
BEGIN
    UPDATE checkpoints SET next_offset = in_to, mark = in_mark
    WHERE projection = in_projection AND topic = in_topic AND partition = in_partition
      AND next_offset = in_from AND owner_epoch = in_epoch;
    IF NOT FOUND THEN
        RAISE EXCEPTION 'the checkpoint of %/% is not at % in epoch % any more', in_topic, in_partition, in_from, in_epoch
            USING ERRCODE = 'PY001';
    END IF;
END $$;
-- +goose StatementEnd

-- +goose Down
DROP FUNCTION advance;
DROP TABLE timers, events, nodes, checkpoints;
