-- +goose Up
-- In which streams a person stands, by a hash of what the person is known by; and the jobs
-- that erase persons.
CREATE TABLE person_streams (
    tenant text NOT NULL,
    person text NOT NULL,             -- hash of an identity
    stream text NOT NULL,
    key_id text NOT NULL,             -- of the person among others in the stream; empty: the stream is about the person
    PRIMARY KEY (tenant, person, stream, key_id)
);
CREATE INDEX person_streams_by_stream ON person_streams (stream);

CREATE TABLE erasures (
    erasure_id   text PRIMARY KEY,
    tenant       text NOT NULL,
    status       text NOT NULL,       -- queued, running, done
    forgotten    jsonb NOT NULL,      -- streams in which the person was forgotten, by category
    requested_at timestamptz NOT NULL,
    ended_at     timestamptz
);
CREATE INDEX erasures_by_request ON erasures (tenant, requested_at DESC, erasure_id);

-- +goose Down
DROP TABLE erasures, person_streams;
