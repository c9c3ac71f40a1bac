-- +goose Up
-- Custom dashboards, and the ways by which their widgets find the records of a range.

CREATE TABLE dashboards (
    tenant       text  NOT NULL,
    project_id   text  NOT NULL,
    dashboard_id text  NOT NULL,
    name         text  NOT NULL,
    widgets      jsonb NOT NULL,
    PRIMARY KEY (tenant, project_id, dashboard_id)
);

CREATE INDEX sessions_opened ON sessions (tenant, project_id, opened_at);
CREATE INDEX deliveries_by_queueing ON deliveries (tenant, project_id, queued_at);

-- +goose Down
DROP INDEX deliveries_by_queueing, sessions_opened;
DROP TABLE dashboards;
