-- +goose Up
-- Which workflow each name of a deployment's workflows was when it was made. A deployment from before that
-- was recorded has none, and goes by the name.
ALTER TABLE deployments ADD COLUMN workflow_ids jsonb NOT NULL DEFAULT '{}';

-- +goose Down
ALTER TABLE deployments DROP COLUMN workflow_ids;
