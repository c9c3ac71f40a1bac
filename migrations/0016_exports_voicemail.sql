-- +goose Up
-- Search indexes and the jobs that export them, voicemails, and the files of both that
-- are downloaded through the API. The files themselves are in blob storage.

CREATE TABLE search_indexes (
    tenant     text   NOT NULL,
    project_id text   NOT NULL,
    index_id   text   NOT NULL,
    version    bigint NOT NULL,               -- of the stream, at its newest definition
    PRIMARY KEY (tenant, project_id)
);

CREATE TABLE exports (
    job_id       text PRIMARY KEY,
    tenant       text NOT NULL,
    project_id   text NOT NULL,
    index_id     text NOT NULL,               -- empty: the project had none
    status       text NOT NULL,               -- see exports.Status
    features     jsonb,                       -- results, on success
    file_id      text NOT NULL DEFAULT '',
    file_name    text NOT NULL DEFAULT '',
    blob         text NOT NULL DEFAULT '',
    reason       text NOT NULL DEFAULT '',
    requested_at timestamptz NOT NULL
);

CREATE TABLE voicemails (
    voicemail_id   text PRIMARY KEY,
    tenant         text NOT NULL,
    project_id     text NOT NULL,
    session_id     text NOT NULL,
    file_id        text NOT NULL,
    file_name      text NOT NULL,
    caller_id      text NOT NULL,
    language       text NOT NULL,
    duration_ms    bigint NOT NULL,
    recorded_at    timestamptz NOT NULL,
    transcription  text NOT NULL,             -- see voicemails.TranscriptStatus
    transcript     text NOT NULL DEFAULT '',
    provider       text NOT NULL DEFAULT '',  -- of the transcript
    transcribed_at timestamptz
);
CREATE INDEX voicemails_by_session ON voicemails (tenant, project_id, session_id, recorded_at, voicemail_id);

CREATE TABLE files (
    file_id      text PRIMARY KEY,
    tenant       text NOT NULL,
    blob         text NOT NULL,
    file_name    text NOT NULL,
    content_type text NOT NULL,
    size_bytes   bigint NOT NULL,
    sha256       text NOT NULL,
    stored_at    timestamptz NOT NULL
);

-- +goose Down
DROP TABLE files, voicemails, exports, search_indexes;
