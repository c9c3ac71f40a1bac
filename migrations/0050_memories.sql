-- +goose Up
-- Which stores the code of agents has written. What is in them stands sealed in their events;
-- one that was deleted or erased has no row.
CREATE TABLE memories (
    stream_id  text PRIMARY KEY,
    tenant     text NOT NULL,
    project_id text NOT NULL,
    scope      text NOT NULL,
    owner_id   text NOT NULL,             -- the session or the contact; of a project's store the project
    store      text NOT NULL,
    version    integer NOT NULL,
    bytes      integer NOT NULL,
    written_at timestamptz NOT NULL
);
CREATE INDEX memories_of_owner ON memories (tenant, scope, owner_id, project_id);

-- +goose Down
DROP TABLE memories;
