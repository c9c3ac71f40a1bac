-- +goose Up
-- Conversations that people take part in, as hooks and transfers tell of them. The
-- rows of one conversation come from its stream; stream_id is <tenant>.<project>.<id>.

CREATE TABLE conversations (
    stream_id           text PRIMARY KEY,
    tenant              text NOT NULL,
    project_id          text NOT NULL,
    conversation_id     text NOT NULL,
    session_id          text NOT NULL DEFAULT '',
    origin              text NOT NULL,             -- hook, transfer, call
    status              text NOT NULL,             -- see conversations.Phase
    experience          text NOT NULL DEFAULT '',  -- chat, voice
    opened_at           timestamptz NOT NULL,
    entered_at          timestamptz,               -- the first agent
    ended_at            timestamptz,
    end_reason          text NOT NULL DEFAULT '',
    segments            int  NOT NULL DEFAULT 0,
    summary_number      int  NOT NULL DEFAULT 0,
    summary_status      text NOT NULL DEFAULT '',  -- pending, done, failed
    summary_wanted      jsonb,                     -- language, locale, type
    summary_text        text NOT NULL DEFAULT '',
    summary_provider    text NOT NULL DEFAULT '',
    summary_model       text NOT NULL DEFAULT '',
    summary_error       text NOT NULL DEFAULT '',
    summary_asked_at    timestamptz,
    summary_at          timestamptz,               -- of its outcome
    dispositions        jsonb,
    disposition_remarks jsonb,
    agent_notes         jsonb,
    user_level_tags     jsonb,
    session_level_tags  jsonb,
    meta_info           jsonb
);
CREATE INDEX conversations_by_opening ON conversations (tenant, project_id, opened_at DESC, conversation_id);
CREATE INDEX conversations_by_session ON conversations (tenant, project_id, session_id) WHERE session_id <> '';

-- One row per stay of an agent, from entry to exit.
CREATE TABLE conversation_participants (
    stream_id   text NOT NULL,
    stay        int  NOT NULL,
    segment     int  NOT NULL,
    identity    text NOT NULL,
    name        text NOT NULL,
    entered_by  text NOT NULL,                     -- na, cold, warm, redial: of the first entry
    entered_at  timestamptz NOT NULL,
    redialed_at timestamptz,                       -- the last redial that continued the stay
    left_by     text NOT NULL DEFAULT '',          -- na, cold, warm
    left_at     timestamptz,
    experience  text NOT NULL,
    external    boolean NOT NULL,                  -- isExtAD
    reason      text NOT NULL DEFAULT '',
    language    text NOT NULL DEFAULT '',
    agent_email text NOT NULL DEFAULT '',
    queue_id    text NOT NULL DEFAULT '',
    queue_name  text NOT NULL DEFAULT '',
    PRIMARY KEY (stream_id, stay)
);

CREATE TABLE conversation_messages (
    stream_id  text NOT NULL,
    number     int  NOT NULL,
    author     text NOT NULL,                      -- USER, AGENT
    agent_id   text NOT NULL,
    query      text NOT NULL,
    source     text NOT NULL,
    language   text NOT NULL,
    experience text NOT NULL,
    assist     text NOT NULL,                      -- pending: the assisting agent is asked; empty: it is not
    at         timestamptz NOT NULL,
    PRIMARY KEY (stream_id, number)
);

CREATE TABLE conversation_work (
    stream_id   text NOT NULL,
    agent_id    text NOT NULL,
    started_at  timestamptz,
    ended_at    timestamptz,
    duration_ms bigint NOT NULL,
    PRIMARY KEY (stream_id, agent_id)
);

-- +goose Down
DROP TABLE conversation_work, conversation_messages, conversation_participants, conversations;
