-- +goose Up
-- The runs of campaigns. That a run was started comes from the stream of its campaign,
-- what it is made of from its own, how far it is from the pacing stream of its tenant:
-- different partitions, so different tables.

CREATE TABLE campaign_starts (
    tenant         text        NOT NULL,
    instance_id    text        NOT NULL,           -- cid-...
    project_id     text        NOT NULL,
    campaign_id    text        NOT NULL,
    kind           text        NOT NULL,           -- voice, sms
    hours          jsonb       NOT NULL,
    started_at     timestamptz NOT NULL,
    PRIMARY KEY (tenant, instance_id)
);

CREATE TABLE campaign_runs (
    tenant         text        NOT NULL,
    instance_id    text        NOT NULL,           -- cid-...
    project_id     text        NOT NULL,
    campaign_id    text        NOT NULL,
    kind           text        NOT NULL,           -- voice, sms
    caller         text        NOT NULL,
    flow_id        text        NOT NULL,
    machine_detect boolean     NOT NULL DEFAULT false,
    message_text   text        NOT NULL DEFAULT '',
    hours          jsonb       NOT NULL,
    pass           int         NOT NULL DEFAULT 0, -- listed, or being listed
    contacts       int         NOT NULL DEFAULT 0, -- of all passes
    started_at     timestamptz NOT NULL,
    PRIMARY KEY (tenant, instance_id)
);

CREATE TABLE campaign_contacts (
    tenant      text NOT NULL,
    instance_id text NOT NULL,
    idx         int  NOT NULL,
    pass        int  NOT NULL,
    phone       text NOT NULL,
    data        jsonb NOT NULL, -- the contact as its list had it
    PRIMARY KEY (tenant, instance_id, idx)
);

CREATE TABLE campaign_progress (
    tenant          text        NOT NULL,
    instance_id     text        NOT NULL,
    project_id      text        NOT NULL,
    campaign_id     text        NOT NULL,
    status          text        NOT NULL,           -- running, waiting, listing, finished
    held            boolean     NOT NULL DEFAULT false,
    stopped         boolean     NOT NULL DEFAULT false,
    pass            int         NOT NULL DEFAULT 1,
    calls_completed int         NOT NULL DEFAULT 0,
    messages_sent   int         NOT NULL DEFAULT 0,
    failed          int         NOT NULL DEFAULT 0,
    next_pass_at    timestamptz,
    entered_at      timestamptz NOT NULL,
    ended_at        timestamptz,
    PRIMARY KEY (tenant, instance_id)
);
CREATE INDEX campaign_progress_by_campaign ON campaign_progress (tenant, campaign_id);

CREATE TABLE campaign_outcomes (
    tenant      text        NOT NULL,
    instance_id text        NOT NULL,
    idx         int         NOT NULL,
    status      text        NOT NULL,            -- taken, returned, completed, sent, failed
    effect_id   text        NOT NULL DEFAULT '', -- of the call or message
    reason      text        NOT NULL DEFAULT '',
    taken_at    timestamptz NOT NULL,
    finished_at timestamptz,
    PRIMARY KEY (tenant, instance_id, idx)
);
CREATE INDEX campaign_outcomes_under_way ON campaign_outcomes (tenant, instance_id) WHERE status = 'taken';

-- +goose Down
DROP TABLE campaign_outcomes, campaign_progress, campaign_contacts, campaign_runs, campaign_starts;
