-- +goose Up
-- The data key of each contact of a run, by which the contact alone is erased; empty: nothing of it is sealed.
ALTER TABLE campaign_contacts ADD COLUMN key_id text NOT NULL DEFAULT '';

-- +goose Down
ALTER TABLE campaign_contacts DROP COLUMN key_id;
