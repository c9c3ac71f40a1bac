-- +goose Up
-- Why nobody answers by a connection: {code, reason, at}; null: somebody does, as far as we know.
ALTER TABLE channel_connections ADD COLUMN answering_error jsonb;

-- +goose Down
ALTER TABLE channel_connections DROP COLUMN answering_error;
