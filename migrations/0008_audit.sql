-- +goose Up
-- What the audit's questions need beside the stream index's own key. Every event
-- pays for these, so they are small and there are two:
--
-- The events of a tenant on one partition in the order of their offsets, which is the
-- order in which pages and streams go on. Names would make it three times as large, so
-- their hash stands for them; the query compares the names as well.
CREATE INDEX events_of_tenant ON events (hashtextextended(tenant || '/' || topic, partition), log_offset);

-- All events that one request led to. Request ids grow with time, so that new entries
-- go to the end of the index, and those of one request share one entry.
CREATE INDEX events_by_correlation ON events (correlation_id);

-- +goose Down
DROP INDEX events_by_correlation, events_of_tenant;
