-- +goose Up
-- Calls that providers bring stand beside those that were placed: by whom, what the provider calls
-- them, what it said of them last, and by which connection they came (none: the server's own account). A room counts for as long as it is open.
ALTER TABLE interactions
    ADD COLUMN provider text NOT NULL DEFAULT '',
    ADD COLUMN provider_call_id text NOT NULL DEFAULT '',
    ADD COLUMN provider_status text NOT NULL DEFAULT '',
    ADD COLUMN connection_id text NOT NULL DEFAULT '';
CREATE INDEX interactions_by_provider ON interactions (provider, provider_call_id) WHERE provider_call_id <> '';
CREATE INDEX interactions_open_by_provider ON interactions (provider) WHERE ended_at IS NULL AND provider_call_id <> '';

-- +goose Down
DROP INDEX interactions_open_by_provider;
DROP INDEX interactions_by_provider;
ALTER TABLE interactions DROP COLUMN provider, DROP COLUMN provider_call_id, DROP COLUMN provider_status, DROP COLUMN connection_id;
