-- +goose Up
-- What of a project's agents is deployed, in which environment, and until when.
CREATE TABLE deployments (
    deployment_id text PRIMARY KEY,
    tenant        text NOT NULL,
    project_id    text NOT NULL,
    environment   text NOT NULL,
    status        text NOT NULL,              -- active, retired
    label         text NOT NULL,
    description   text NOT NULL,
    endpoint_slug text NOT NULL,
    entry_agent   text NOT NULL,
    manifest      jsonb NOT NULL,             -- version and hash of the source by the agents' names
    overrides     jsonb NOT NULL,
    workflows     jsonb NOT NULL,
    promoted_from text NOT NULL,
    created_by    text NOT NULL,
    created_at    timestamptz NOT NULL,
    retired_at    timestamptz,
    drain_at      timestamptz,                -- of a retired one: from then on it serves nothing
    activation    bigint NOT NULL             -- grows with each time that one of the project becomes active
);
CREATE INDEX deployments_newest ON deployments (tenant, project_id, created_at DESC, deployment_id);
CREATE INDEX deployments_serving ON deployments (tenant, project_id, environment, activation DESC) WHERE status = 'active';

-- +goose Down
DROP TABLE deployments;
