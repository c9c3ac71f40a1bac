-- +goose Up
-- Of how many events that took tokens the price is not known: what a sum of costs leaves out.
ALTER TABLE analytics_hours ADD COLUMN unpriced bigint NOT NULL DEFAULT 0;

-- +goose Down
ALTER TABLE analytics_hours DROP COLUMN unpriced;
