-- +goose Up
-- One row per outbound text message.

CREATE TABLE messages (
    message_id           text PRIMARY KEY,
    tenant               text NOT NULL,
    project_id           text NOT NULL,
    sender               text NOT NULL,
    recipient            text NOT NULL,
    body                 text NOT NULL,
    status               text NOT NULL,                -- see projections.MessageStatus
    campaign_id          text NOT NULL DEFAULT '',     -- empty: not of a campaign
    campaign_instance_id text NOT NULL DEFAULT '',
    contact_index        int,
    provider             text NOT NULL DEFAULT '',     -- of the latest attempt
    provider_message_id  text NOT NULL DEFAULT '',
    segments             int,
    attempts             int  NOT NULL DEFAULT 0,      -- that were started
    code                 text NOT NULL DEFAULT '',     -- of the latest refusal or the failure
    reason               text NOT NULL DEFAULT '',
    requested_at         timestamptz NOT NULL,
    send_by              timestamptz NOT NULL,
    ended_at             timestamptz
);
CREATE INDEX messages_by_request ON messages (tenant, project_id, requested_at DESC, message_id);
CREATE INDEX messages_by_campaign ON messages (tenant, project_id, campaign_id, requested_at DESC, message_id) WHERE campaign_id <> '';

-- +goose Down
DROP TABLE messages;
