-- +goose Up
-- What is on its way is counted for the metrics.
CREATE INDEX channel_deliveries_open ON channel_deliveries (send_by) WHERE ended_at IS NULL;

-- +goose Down
DROP INDEX channel_deliveries_open;
