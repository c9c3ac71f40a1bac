-- +goose Up
-- Campaigns as they are defined and in which status they are, and how many people are on
-- the lists that they reach.

CREATE TABLE contact_lists (
    tenant      text NOT NULL,
    project_id  text NOT NULL,
    list_id     text NOT NULL,
    name        text NOT NULL,        -- what campaigns name
    description text NOT NULL,
    contacts    int  NOT NULL DEFAULT 0, -- how many; a run lists who they are from the log
    PRIMARY KEY (tenant, project_id, list_id)
);
CREATE INDEX contact_lists_by_name ON contact_lists (tenant, project_id, name);

CREATE TABLE campaigns (
    tenant      text NOT NULL,
    campaign_id text NOT NULL,
    project_id  text NOT NULL,
    kind        text NOT NULL,        -- voice, sms
    status      text NOT NULL,        -- Ready, Active, Paused, Completed
    instance_id text NOT NULL DEFAULT '', -- of the run under way or the last one; empty: never started
    definition  jsonb NOT NULL,       -- campaigns.Definition
    created_at  timestamptz NOT NULL,
    updated_at  timestamptz NOT NULL,
    PRIMARY KEY (tenant, campaign_id)
);
CREATE INDEX campaigns_by_project ON campaigns (tenant, project_id, created_at, campaign_id);

-- +goose Down
DROP TABLE campaigns, contact_lists;
