-- +goose Up
-- Workflows and tools as they are defined and deployed, and the jobs that deploy them.

CREATE TABLE docks (
    tenant     text NOT NULL,
    project_id text NOT NULL,
    kind       text NOT NULL,           -- workflow, tool
    id         text NOT NULL,
    name       text NOT NULL,
    tool_type  text NOT NULL DEFAULT '',
    version    int  NOT NULL,
    live       int  NOT NULL DEFAULT 0, -- the deployed version; 0: none
    PRIMARY KEY (tenant, project_id, kind, id)
);

CREATE TABLE deployment_jobs (
    job_id       text        PRIMARY KEY,
    tenant       text        NOT NULL,
    project_id   text        NOT NULL,
    kind         text        NOT NULL,
    target       text        NOT NULL, -- id of the workflow or tool
    status       text        NOT NULL,
    version      int         NOT NULL DEFAULT 0,
    reason       text        NOT NULL DEFAULT '',
    requested_at timestamptz NOT NULL,
    ended_at     timestamptz
);

-- +goose Down
DROP TABLE deployment_jobs, docks;
