-- +goose Up
-- What models cost, by project and month of UTC: sums that are kept for each partition, and added up when they are read.
CREATE TABLE spending (
    tenant     text NOT NULL,
    project_id text NOT NULL,
    month      text NOT NULL,    -- 2026-11
    topic      text NOT NULL,
    partition  integer NOT NULL,
    cost       bigint NOT NULL,  -- pico-dollars, of those whose price is known
    unpriced   bigint NOT NULL,  -- requests whose price is not
    PRIMARY KEY (tenant, project_id, month, topic, partition)
);

-- +goose Down
DROP TABLE spending;
