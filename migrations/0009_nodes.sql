-- +goose Up
-- What a live node does: those that project share the partitions, those that serve the
-- API share the rates. A node that only runs reactors is not here.
ALTER TABLE nodes
    ADD COLUMN projects boolean NOT NULL DEFAULT true,
    ADD COLUMN serves   boolean NOT NULL DEFAULT false;

-- +goose Down
DELETE FROM nodes WHERE NOT projects;
ALTER TABLE nodes DROP COLUMN projects, DROP COLUMN serves;
