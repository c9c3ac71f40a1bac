-- +goose Up
-- What is in a store may expire; from then on it is not counted.
ALTER TABLE memories ADD COLUMN expires_at timestamptz;

-- +goose Down
ALTER TABLE memories DROP COLUMN expires_at;
