-- +goose Up
-- Conversations on their way to people. transfers comes from parley.transfers,
-- waiting from parley.waiting: no row is written by both.

CREATE TABLE transfers (
    transfer_id     text PRIMARY KEY,
    tenant          text NOT NULL,
    project_id      text NOT NULL,
    org_id          text NOT NULL,
    session_id      text NOT NULL,
    conversation_id text NOT NULL,
    user_id         text NOT NULL,             -- empty: unknown
    turn            int  NOT NULL,             -- orders the transfers of a session, with the id
    status          text NOT NULL,             -- see transfers.Phase
    asked_agent_id  text NOT NULL,             -- the target, or
    queue_id        text NOT NULL,             -- the target
    queue_name      text NOT NULL,             -- at the time
    skills          jsonb NOT NULL,
    requested_at    timestamptz NOT NULL,
    queued_at       timestamptz,               -- null: it never waited
    wait_until      timestamptz,
    agent_id        text NOT NULL DEFAULT '',  -- who has, or had, the conversation
    assigned_at     timestamptz,               -- accepted at the same time
    ended_at        timestamptz,
    reason          text NOT NULL DEFAULT '',
    voicemail       boolean NOT NULL DEFAULT false
);
CREATE INDEX transfers_by_request ON transfers (tenant, project_id, requested_at DESC, transfer_id);
CREATE INDEX transfers_by_session ON transfers (tenant, session_id, turn);
CREATE INDEX transfers_by_conversation ON transfers (tenant, conversation_id);
CREATE INDEX transfers_by_user ON transfers (tenant, user_id, assigned_at DESC) WHERE user_id <> '' AND assigned_at IS NOT NULL;

CREATE TABLE waiting (
    tenant      text NOT NULL,
    queue_id    text NOT NULL,
    transfer_id text NOT NULL,
    session_id  text NOT NULL,
    entered_at  timestamptz NOT NULL,
    PRIMARY KEY (tenant, queue_id, transfer_id)
);

-- +goose Down
DROP TABLE waiting, transfers;
