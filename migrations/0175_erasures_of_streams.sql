-- +goose Up
-- Who reads a part of a stream asks who was erased behind it (eventstore.Parts), and so does who leaves a snapshot.
CREATE INDEX events_that_erase ON events (stream, version) WHERE type LIKE '%.erased.v%';

-- +goose Down
DROP INDEX events_that_erase;
