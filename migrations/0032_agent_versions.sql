-- +goose Up
-- Agents have times now, and versions. Their rows are filled anew by the read model
-- "agents".
ALTER TABLE agents ADD COLUMN created_at timestamptz; -- null: before events said so
ALTER TABLE agents ADD COLUMN updated_at timestamptz; -- null until that read model has filled it
CREATE INDEX agents_of_tenant ON agents (tenant, name, project_id);

-- Each source that an agent ever had, by its hash. An agent that is removed leaves them
-- and its versions: a deployment may still name them.
CREATE TABLE agent_sources (
    tenant      text NOT NULL,
    project_id  text NOT NULL,
    agent_id    text NOT NULL,
    source_hash text NOT NULL,
    dsl         text NOT NULL,
    PRIMARY KEY (tenant, project_id, agent_id, source_hash)
);

CREATE TABLE agent_versions (
    tenant      text NOT NULL,
    project_id  text NOT NULL,
    agent_id    text NOT NULL,
    version     integer NOT NULL,
    source_hash text NOT NULL,
    saved_at    timestamptz NOT NULL,
    PRIMARY KEY (tenant, project_id, agent_id, version)
);

-- +goose Down
DROP TABLE agent_versions, agent_sources;
DROP INDEX agents_of_tenant;
ALTER TABLE agents DROP COLUMN updated_at;
ALTER TABLE agents DROP COLUMN created_at;
