-- +goose Up
-- What read models could not take. A row is written in the transaction that passes
-- the event over, and goes when its model is rebuilt. It holds no personal data.

CREATE TABLE projection_errors (
    commit_id     uuid        NOT NULL,
    model         text        NOT NULL, -- whose rows of this commit are missing
    model_version int         NOT NULL,
    topic         text        NOT NULL,
    partition     int         NOT NULL,
    log_offset    bigint      NOT NULL, -- of the event that failed; of the commit's first where that is not known
    stream        text        NOT NULL,
    version       bigint      NOT NULL,
    type          text        NOT NULL,
    tenant        text        NOT NULL,
    error         text        NOT NULL,
    at            timestamptz NOT NULL DEFAULT now(),
    PRIMARY KEY (commit_id, model)
);
CREATE INDEX projection_errors_model ON projection_errors (model);

-- +goose Down
DROP TABLE projection_errors;
