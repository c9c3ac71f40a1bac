-- +goose Up
-- Whether the price of what a model did was known: what a free model did costs 0, which is not null.
ALTER TABLE analytics_events ADD COLUMN priced boolean NOT NULL DEFAULT false;
ALTER TABLE analytics_hours ADD COLUMN priced bigint NOT NULL DEFAULT 0;

-- +goose Down
ALTER TABLE analytics_hours DROP COLUMN priced;
ALTER TABLE analytics_events DROP COLUMN priced;
