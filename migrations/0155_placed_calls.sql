-- +goose Up
-- Calls over trunks that were placed and that no node carries yet: who places another counts them with what nodes say. One that a
-- node has seen counts there, and stays for a while, so that it is not placed twice. No read model: what is lost is over in a minute.
CREATE TABLE placed_calls (
    call_id text PRIMARY KEY,
    until   timestamptz NOT NULL,
    seen    boolean NOT NULL DEFAULT false
);

-- Calls of trunks that have bounds, over all nodes. A node that is gone keeps its places until others may have taken its calls over.
CREATE TABLE trunk_calls (
    trunk    text NOT NULL,
    leg      text NOT NULL,
    node     text NOT NULL,
    began_at timestamptz NOT NULL,
    until    timestamptz NOT NULL,
    PRIMARY KEY (trunk, leg)
);

-- +goose Down
DROP TABLE trunk_calls;
DROP TABLE placed_calls;
