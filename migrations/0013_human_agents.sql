-- +goose Up
-- The people of an organisation, whether they are there, what they have, and the
-- queues that they serve. human_agents comes from parley.organisations, agent_presence
-- and agent_claims from parley.humanagents, queues and queue_members from parley.queues:
-- no row is written by two of them.

CREATE TABLE human_agents (
    tenant     text NOT NULL,
    agent_id   text NOT NULL,
    org_id     text NOT NULL,
    user_id    text NOT NULL,
    name       text NOT NULL,          -- by which lists are sorted
    groups     jsonb NOT NULL,         -- array of ids, the default group among them
    skills     jsonb NOT NULL,         -- proficiencyLevel by skillId
    limits     jsonb NOT NULL,         -- conversations at once by kind; 0: none of that kind
    record     jsonb NOT NULL,         -- see humanagents.Record
    created_at timestamptz NOT NULL,
    updated_at timestamptz NOT NULL,
    PRIMARY KEY (tenant, agent_id)
);
CREATE INDEX human_agents_by_name ON human_agents (tenant, org_id, name, agent_id);
-- Whom hook events name: by user, own id or e-mail.
CREATE INDEX human_agents_by_user ON human_agents (tenant, user_id);
CREATE INDEX human_agents_by_custom_id ON human_agents (tenant, (record->>'customId'));
CREATE INDEX human_agents_by_email ON human_agents (tenant, lower(record->>'emailId'));

CREATE TABLE agent_presence (
    tenant           text NOT NULL,
    agent_id         text NOT NULL,
    type             text NOT NULL,    -- AVAILABLE, BUSY, AWAY, OFFLINE
    name             text NOT NULL,
    available_since  timestamptz,      -- null: not AVAILABLE
    last_online_at   timestamptz,
    last_released_at timestamptz,      -- when its last conversation ended
    PRIMARY KEY (tenant, agent_id)
);

CREATE TABLE agent_claims (            -- open ones
    tenant          text NOT NULL,
    agent_id        text NOT NULL,
    claim_id        text NOT NULL,
    conversation_id text NOT NULL,
    kind            text NOT NULL,
    confirmed       boolean NOT NULL,
    expires_at      timestamptz NOT NULL,
    claimed_at      timestamptz NOT NULL,
    PRIMARY KEY (tenant, agent_id, claim_id)
);
CREATE INDEX agent_claims_by_conversation ON agent_claims (tenant, conversation_id);

CREATE TABLE queues (
    tenant   text NOT NULL,
    queue_id text NOT NULL,
    org_id   text NOT NULL,
    name     text NOT NULL,
    skills   jsonb NOT NULL,           -- least proficiencyLevel by skillId
    record   jsonb NOT NULL,           -- see queues.Queue
    PRIMARY KEY (tenant, queue_id)
);

CREATE TABLE queue_members (
    tenant    text NOT NULL,
    queue_id  text NOT NULL,
    is_group  boolean NOT NULL,
    member    text NOT NULL,           -- id of a group; userId or id of an agent
    preferred boolean NOT NULL,
    PRIMARY KEY (tenant, queue_id, is_group, member)
);
CREATE INDEX queue_members_by_member ON queue_members (tenant, member);

-- +goose Down
DROP TABLE queue_members, queues, agent_claims, agent_presence, human_agents;
