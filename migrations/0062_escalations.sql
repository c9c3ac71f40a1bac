-- +goose Up
-- Why an agent gave a conversation to people, in the words of its source.
ALTER TABLE transfers ADD COLUMN escalation jsonb; -- null: somebody else asked for it

-- +goose Down
ALTER TABLE transfers DROP COLUMN escalation;
