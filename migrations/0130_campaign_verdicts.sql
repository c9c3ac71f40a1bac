-- +goose Up
-- What the detection of a campaign's calls came to, and what was heard behind it.
CREATE TABLE campaign_verdicts (
    conversation_id text PRIMARY KEY,
    tenant text NOT NULL,
    project_id text NOT NULL,
    campaign_id text NOT NULL,
    run_id text NOT NULL,
    hears boolean NOT NULL,
    verdict text NOT NULL DEFAULT '',
    verdict_at timestamptz,
    fell_silent_at timestamptz,
    heard_at timestamptz,
    mailbox_at timestamptz,
    pressed_at timestamptz,
    ended_at timestamptz,
    ended_by text NOT NULL DEFAULT ''
);
CREATE INDEX campaign_verdicts_of_campaign ON campaign_verdicts (tenant, campaign_id, run_id);

-- +goose Down
DROP TABLE campaign_verdicts;
