-- +goose Up
-- A node that ends has calls still, and takes none; and a call that was another node's is in a dialog with that one's tag.
ALTER TABLE media_nodes ADD COLUMN leaves boolean NOT NULL DEFAULT false,
	ADD COLUMN taken text[] NOT NULL DEFAULT '{}';

-- +goose Down
ALTER TABLE media_nodes DROP COLUMN leaves, DROP COLUMN taken;
