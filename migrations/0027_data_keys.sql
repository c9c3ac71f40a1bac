-- +goose Up
-- What stands on parley.keys: the data keys of personal members, wrapped by the master key.
-- It is filled from the topic, not by the projector; an erased key stays as a row without
-- the key.
CREATE TABLE data_keys (
    id        uuid        PRIMARY KEY,
    wrapped   text,                 -- null: erased
    made_at   timestamptz,
    erased_at timestamptz
);

CREATE INDEX data_keys_erased ON data_keys (erased_at) WHERE erased_at IS NOT NULL;

CREATE TABLE data_keys_read (
    the_one boolean PRIMARY KEY DEFAULT true CHECK (the_one),
    next    bigint  NOT NULL        -- offset on parley.keys that comes next
);

INSERT INTO data_keys_read (next) VALUES (0);

-- The data key of the stream, as its newest event names it; empty: it has none.
ALTER TABLE events ADD COLUMN key_id text NOT NULL DEFAULT '';

-- +goose Down
ALTER TABLE events DROP COLUMN key_id;
DROP TABLE data_keys_read;
DROP TABLE data_keys;
