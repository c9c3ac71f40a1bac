-- +goose Up
-- What projects choose for themselves: every version, the newest of which holds.
CREATE TABLE project_settings (
    version_id text PRIMARY KEY,
    tenant     text NOT NULL,
    project_id text NOT NULL,
    version    integer NOT NULL,
    settings   jsonb NOT NULL,
    created_by text NOT NULL,
    created_at timestamptz NOT NULL
);
CREATE INDEX project_settings_newest ON project_settings (tenant, project_id, version DESC);

-- Tenants' own providers of models. Their keys are sealed.
CREATE TABLE model_providers (
    tenant     text NOT NULL,
    name       text NOT NULL,
    project_id text NOT NULL,             -- empty: of all projects
    kind       text NOT NULL,
    base_url   text NOT NULL,             -- empty: the provider's own
    api_key    text NOT NULL,
    models     jsonb NOT NULL,
    version    bigint NOT NULL,           -- of the tenant's stream, when it was defined last
    PRIMARY KEY (tenant, name)
);

ALTER TABLE deployments ADD COLUMN settings_version text NOT NULL DEFAULT ''; -- its id; empty: the newest at each moment

-- +goose Down
ALTER TABLE deployments DROP COLUMN settings_version;
DROP TABLE model_providers;
DROP TABLE project_settings;
