-- +goose Up
-- How calls go over a SIP trunk, and what was last seen of it; and which node keeps which trunk: registers with it and looks whether
-- it answers, for as long as it says so in time.
ALTER TABLE trunks
    ADD COLUMN settings jsonb,
    ADD COLUMN unreachable text NOT NULL DEFAULT '',
    ADD COLUMN registered_by text NOT NULL DEFAULT '',
    ADD COLUMN not_registered text NOT NULL DEFAULT '';
CREATE TABLE trunk_keepers (
    tenant text NOT NULL,
    name   text NOT NULL,
    node   text NOT NULL,
    until  timestamptz NOT NULL,
    PRIMARY KEY (tenant, name)
);

-- +goose Down
DROP TABLE trunk_keepers;
ALTER TABLE trunks DROP COLUMN settings, DROP COLUMN unreachable, DROP COLUMN registered_by, DROP COLUMN not_registered;
