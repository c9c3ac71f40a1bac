-- +goose Up
-- What is wrong with a connection: {code, reason, at}; null: nothing.
ALTER TABLE channel_connections ADD COLUMN webhook_error jsonb, ADD COLUMN sending_error jsonb;

-- +goose Down
ALTER TABLE channel_connections DROP COLUMN webhook_error, DROP COLUMN sending_error;
