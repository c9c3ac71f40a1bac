-- +goose Up
-- Which run of a node is alive: what one left unfinished is not the next one's.
ALTER TABLE nodes ADD COLUMN process text NOT NULL DEFAULT '';

-- +goose Down
ALTER TABLE nodes DROP COLUMN process;
