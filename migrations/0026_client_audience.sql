-- +goose Up
-- What the tokens of a client must name as aud; empty: nothing.
ALTER TABLE clients ADD COLUMN audience text NOT NULL DEFAULT '';

-- +goose Down
ALTER TABLE clients DROP COLUMN audience;
