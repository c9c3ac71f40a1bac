-- +goose Up
-- Which version of each read model the tables hold, and the rebuild that is under
-- way. A rebuild fills tables of its own in the schema that its row names.

CREATE TABLE projections (
    name    text PRIMARY KEY, -- a read model, or 'index' for the stream index
    version int  NOT NULL     -- 0: never built from the log's beginning
);

-- What was built before versions were kept is version 1 of what there was then.
INSERT INTO projections (name, version)
SELECT name, 1 FROM (VALUES ('index'), ('access'), ('deliveries'), ('interactions'), ('sessions'), ('voice setup')) AS known (name)
WHERE EXISTS (SELECT 1 FROM checkpoints WHERE next_offset > 0);

CREATE TABLE rebuilds (
    id          text        PRIMARY KEY,  -- its schema
    names       text        NOT NULL,     -- what is rebuilt, as people read it
    fingerprint text        NOT NULL,     -- of code, tables and log: only the same may go on where it stopped
    by          text        NOT NULL,
    started_at  timestamptz NOT NULL DEFAULT now(),
    seen_at     timestamptz NOT NULL DEFAULT now(),
    phase       text        NOT NULL DEFAULT '',
    done        bigint      NOT NULL DEFAULT 0, -- records of the log
    total       bigint      NOT NULL DEFAULT 0
);

-- +goose Down
DROP TABLE rebuilds, projections;
