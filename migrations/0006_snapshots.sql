-- +goose Up
-- Folded states of long streams, so that they need not be read from their first
-- event. Disposable: every row can be deleted at any time.

CREATE TABLE snapshots (
    stream    text        NOT NULL,
    state_key text        NOT NULL, -- hash of the state's type: another binary's snapshot is not read
    version   bigint      NOT NULL, -- of the last event in it
    commit_id text        NOT NULL, -- that holds the version
    data      bytea       NOT NULL, -- state and request ids
    saved_at  timestamptz NOT NULL DEFAULT now(),
    PRIMARY KEY (stream, state_key)
);

-- +goose Down
DROP TABLE snapshots;
