-- +goose Up
-- Each time that an account was given what is known of a person; of whom is not kept.
CREATE TABLE disclosures (
    disclosure_id text PRIMARY KEY,
    tenant        text NOT NULL,
    actor         text NOT NULL,       -- who asked
    streams       jsonb NOT NULL,      -- in which the person was, by category
    made_at       timestamptz NOT NULL
);
CREATE INDEX disclosures_by_time ON disclosures (tenant, made_at DESC, disclosure_id);

-- +goose Down
DROP TABLE disclosures;
