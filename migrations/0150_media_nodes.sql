-- +goose Up
-- How many calls with sound each node that dials over trunks has, those that wait for it too, and how many it takes: what is placed
-- anywhere goes by that. No read model: nodes say it anew each second.
CREATE TABLE media_nodes (
    node      text PRIMARY KEY,
    calls     int NOT NULL,
    most      int NOT NULL,
    real_time text NOT NULL,
    seen_at   timestamptz NOT NULL
);

-- +goose Down
DROP TABLE media_nodes;
