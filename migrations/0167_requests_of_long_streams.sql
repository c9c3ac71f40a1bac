-- +goose Up
-- Of a long stream not all requests are kept in memory and in its snapshots (eventstore.Requests): the others are looked
-- for here. Few streams have so many events. The number is eventstore.RequestsKept.
CREATE INDEX events_by_request_of_long_streams ON events (stream, request_id) WHERE request_id <> '' AND version > 256;

-- +goose Down
DROP INDEX events_by_request_of_long_streams;
