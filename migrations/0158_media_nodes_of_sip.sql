-- +goose Up
-- Where peers of SIP reach the node: who goes on with a call of another node is sent there.
ALTER TABLE media_nodes ADD COLUMN sip_at text NOT NULL DEFAULT '';

-- +goose Down
ALTER TABLE media_nodes DROP COLUMN sip_at;
