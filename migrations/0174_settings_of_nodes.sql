-- +goose Up
-- What all nodes should be started with alike, as each is, by its flags: a node that differs is told of.
ALTER TABLE nodes ADD COLUMN settings jsonb NOT NULL DEFAULT '{}';

-- +goose Down
ALTER TABLE nodes DROP COLUMN settings;
