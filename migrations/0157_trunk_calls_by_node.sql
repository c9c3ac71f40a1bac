-- +goose Up
-- Each node says for itself which calls of a trunk it has, and a call counts once, however many say so: one that is told of twice is
-- left by the node that does not dial it, and still has its place by the other.
ALTER TABLE trunk_calls DROP CONSTRAINT trunk_calls_pkey, ADD PRIMARY KEY (trunk, leg, node);

-- +goose Down
TRUNCATE trunk_calls; -- what nodes say again within a minute
ALTER TABLE trunk_calls DROP CONSTRAINT trunk_calls_pkey, ADD PRIMARY KEY (trunk, leg);
