-- +goose Up
-- How many sessions of a tenant had something said in them lately is asked before each that begins.
CREATE INDEX sessions_concurrent ON sessions (tenant, active_at DESC) WHERE status = 'active' AND channel <> 'voice';

-- +goose Down
DROP INDEX sessions_concurrent;
