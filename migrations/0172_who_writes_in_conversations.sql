-- +goose Up
-- What who writes in a conversation of a channel is known by as a contact of the account. So a conversation of several
-- people is told from one with a single person, whose contact belongs to it.
ALTER TABLE person_streams ADD COLUMN writes boolean NOT NULL DEFAULT false;

-- +goose Down
ALTER TABLE person_streams DROP COLUMN writes;
