-- +goose Up
-- Whom an account knows. A contact that is deleted has no row.
CREATE TABLE contacts (
    contact_id    text PRIMARY KEY,
    tenant        text NOT NULL,
    type          text NOT NULL,
    identity      text NOT NULL,
    identity_type text NOT NULL,
    display_name  text NOT NULL,
    department    text NOT NULL,
    employee_id   text NOT NULL,
    company       text NOT NULL,
    account_ref   text NOT NULL,
    channel       text NOT NULL,
    metadata      jsonb,                -- null: none
    tags          jsonb NOT NULL,
    created_at    timestamptz NOT NULL
);
CREATE INDEX contacts_newest ON contacts (tenant, created_at DESC, contact_id);
CREATE INDEX contacts_by_identity ON contacts (tenant, identity_type, identity) WHERE identity <> '';

-- Who talks in a session, since when that is known.
ALTER TABLE sessions ADD COLUMN contact_id text NOT NULL DEFAULT '';
ALTER TABLE sessions ADD COLUMN linked_at timestamptz;
CREATE INDEX sessions_of_contact ON sessions (tenant, contact_id) WHERE contact_id <> '';

-- +goose Down
DROP INDEX sessions_of_contact;
ALTER TABLE sessions DROP COLUMN linked_at;
ALTER TABLE sessions DROP COLUMN contact_id;
DROP TABLE contacts;
