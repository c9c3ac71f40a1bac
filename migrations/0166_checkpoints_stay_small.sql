-- +goose Up
-- Each transaction of a projector updates a checkpoint, and whoever reads proves with all of them that the read models still are
-- the same. With room left in its pages an update stays in its page and touches no index, and what it leaves is cleared away there.
ALTER TABLE checkpoints SET (fillfactor = 20);

-- +goose Down
ALTER TABLE checkpoints RESET (fillfactor);
