-- +goose Up
-- Test suites of projects, runs of them, and what came of each case.
CREATE TABLE test_suites (
    tenant     text NOT NULL,
    project_id text NOT NULL,
    suite_id   text NOT NULL,
    name       text NOT NULL,
    agent      text NOT NULL,
    language   text NOT NULL,             -- empty: none
    cases      jsonb NOT NULL,
    version    bigint NOT NULL,           -- of the stream, at its newest definition
    PRIMARY KEY (tenant, project_id, suite_id)
);
CREATE INDEX test_suites_by_name ON test_suites (tenant, project_id, name);

CREATE TABLE test_runs (
    run_id        text PRIMARY KEY,
    tenant        text NOT NULL,
    project_id    text NOT NULL,
    suite_id      text NOT NULL,
    suite_name    text NOT NULL,
    agent         text NOT NULL,
    deployment_id text NOT NULL,          -- empty: working copies
    environment   text NOT NULL,
    version       text NOT NULL,          -- of the agent
    language      text NOT NULL,
    status        text NOT NULL,          -- see testruns.Status
    reason        text NOT NULL DEFAULT '',
    total         integer NOT NULL,       -- steps
    passed        integer NOT NULL DEFAULT 0,
    failed        integer NOT NULL DEFAULT 0,
    requested_at  timestamptz NOT NULL,
    duration_ms   bigint NOT NULL DEFAULT 0
);
CREATE INDEX test_runs_newest ON test_runs (tenant, project_id, suite_name, requested_at DESC, run_id);

CREATE TABLE test_run_cases (
    run_id text NOT NULL,
    number integer NOT NULL,              -- its place in the suite
    name   text NOT NULL,
    passed integer NOT NULL,              -- steps
    error  text NOT NULL,
    steps  jsonb NOT NULL,                -- that were judged, with differences
    PRIMARY KEY (run_id, number)
);

-- +goose Down
DROP TABLE test_run_cases, test_runs, test_suites;
