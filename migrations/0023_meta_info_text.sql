-- +goose Up
-- What a caller notes of a conversation is shown as it was sent: digits, order and
-- spellings are lost in jsonb. What is there already is read from the log again.
ALTER TABLE conversations ALTER COLUMN meta_info TYPE text USING meta_info::text;

-- +goose Down
ALTER TABLE conversations ALTER COLUMN meta_info TYPE jsonb USING meta_info::jsonb;
