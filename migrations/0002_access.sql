-- +goose Up
-- Who may do what, and what a call needs to begin. Rows of one tenant come from
-- its streams in parley.tenants, parley.scopes, parley.trunks, parley.flows and
-- parley.agents.

CREATE TABLE tenants (
    tenant text PRIMARY KEY,
    name   text NOT NULL,
    org_id text NOT NULL
);

CREATE TABLE projects (
    tenant         text NOT NULL,
    project_id     text NOT NULL,
    name           text NOT NULL,
    slug           text NOT NULL,
    webhook_secret text NOT NULL, -- sealed
    language       text NOT NULL,
    PRIMARY KEY (tenant, project_id)
);

CREATE TABLE project_names (      -- every id that means the project: its own and its aliases
    tenant     text NOT NULL,
    project_id text NOT NULL,
    name       text NOT NULL,
    PRIMARY KEY (tenant, name)
);

CREATE TABLE clients (
    tenant      text NOT NULL,
    client_id   text NOT NULL,
    origin      text NOT NULL,
    alg         text NOT NULL,
    secret      text NOT NULL,    -- sealed
    jwks        text NOT NULL,
    jwks_url    text NOT NULL,
    scopes      jsonb NOT NULL,
    permissions jsonb NOT NULL,
    PRIMARY KEY (tenant, client_id)
);

CREATE TABLE scopes (
    tenant      text NOT NULL,
    scope_id    text NOT NULL,
    project_id  text NOT NULL,
    name        text NOT NULL,
    description text NOT NULL,
    created_at  timestamptz NOT NULL,
    permissions jsonb NOT NULL,
    PRIMARY KEY (tenant, scope_id)
);
CREATE INDEX scopes_by_name ON scopes (tenant, project_id, name);

CREATE TABLE api_keys (
    tenant          text NOT NULL,
    key_id          text NOT NULL,
    project_id      text NOT NULL,
    scope_id        text NOT NULL,
    name            text NOT NULL,
    kind            text NOT NULL,
    hash            text NOT NULL, -- keyed hash of the secret
    allowed_origins jsonb NOT NULL,
    created_at      timestamptz NOT NULL,
    PRIMARY KEY (tenant, key_id)
);
CREATE UNIQUE INDEX api_keys_by_hash ON api_keys (hash);

CREATE TABLE trunks (
    tenant    text NOT NULL,
    name      text NOT NULL,
    provider  text NOT NULL,
    address   text NOT NULL,
    transport text NOT NULL,
    username  text NOT NULL,
    password  text NOT NULL,      -- sealed
    PRIMARY KEY (tenant, name)
);

CREATE TABLE default_trunks (
    tenant text PRIMARY KEY,
    name   text NOT NULL
);

CREATE TABLE flows (
    tenant     text NOT NULL,
    flow_id    text NOT NULL,
    project_id text NOT NULL,
    name       text NOT NULL,
    number     text NOT NULL,     -- normal form, see flows.NormalNumber
    agent_name text NOT NULL,
    language   text NOT NULL,
    PRIMARY KEY (tenant, project_id, flow_id)
);
CREATE INDEX flows_by_number ON flows (tenant, project_id, number);

CREATE TABLE agents (
    tenant      text NOT NULL,
    project_id  text NOT NULL,
    agent_id    text NOT NULL,
    name        text NOT NULL,
    description text NOT NULL,
    dsl         text NOT NULL DEFAULT '',
    PRIMARY KEY (tenant, project_id, agent_id)
);
CREATE INDEX agents_by_name ON agents (tenant, project_id, name);

-- +goose Down
DROP TABLE agents, flows, default_trunks, trunks, api_keys, scopes, clients, project_names, projects, tenants;
