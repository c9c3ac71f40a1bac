-- +goose Up
-- The durations of an hour are kept as they are while there are few, so that a
-- percentile of them is one of them; see analytics.Sketch. Null: not built anew yet.
ALTER TABLE analytics_hours DROP COLUMN bins, DROP COLUMN counts, ADD COLUMN durations bytea;

-- +goose Down
ALTER TABLE analytics_hours DROP COLUMN durations, ADD COLUMN bins int[] NOT NULL DEFAULT '{}', ADD COLUMN counts bigint[] NOT NULL DEFAULT '{}';
