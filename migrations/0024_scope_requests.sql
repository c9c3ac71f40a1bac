-- +goose Up
-- Which scope a request with an Idempotency-Key was about, found without reading the
-- history of every scope. Few events are of scopes, and few of these have a request id.
CREATE INDEX events_of_scopes_by_request ON events (request_id) WHERE topic = 'parley.scopes' AND request_id <> '';

-- +goose Down
DROP INDEX events_of_scopes_by_request;
