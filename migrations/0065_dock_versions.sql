-- +goose Up
-- What each version of the workflows and tools of a project does.
CREATE TABLE dock_versions (
    tenant     text NOT NULL,
    project_id text NOT NULL,
    kind       text NOT NULL,             -- workflow, tool
    id         text NOT NULL,
    version    integer NOT NULL,
    name       text NOT NULL,             -- as it was called when it was defined last
    tool_type  text NOT NULL DEFAULT '',  -- of a tool
    content    jsonb NOT NULL,            -- steps of a workflow, settings of a tool
    PRIMARY KEY (tenant, project_id, kind, id, version)
);

-- +goose Down
DROP TABLE dock_versions;
