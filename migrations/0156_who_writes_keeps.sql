-- +goose Up
-- Whoever moves a checkpoint keeps its lease by that: between the transactions of a busy partition its row is rarely free
-- for the heartbeat that prolongs leases. Rebuilds have rows without an owner, and no leases.
-- +goose StatementBegin
CREATE OR REPLACE FUNCTION advance(in_projection text, in_topic text, in_partition int, in_from bigint, in_epoch bigint, in_to bigint,
    in_mark text)
RETURNS void LANGUAGE plpgsql AS $$
BEGIN
    UPDATE checkpoints SET next_offset = in_to, mark = in_mark,
        lease_until = CASE WHEN owner IS NULL THEN lease_until ELSE greatest(lease_until, now() + interval '10 seconds') END
    WHERE projection = in_projection AND topic = in_topic AND partition = in_partition
      AND next_offset = in_from AND owner_epoch = in_epoch;
    IF NOT FOUND THEN
        RAISE EXCEPTION 'the checkpoint of %/% is not at % in epoch % any more', in_topic, in_partition, in_from, in_epoch
            USING ERRCODE = 'PY001';
    END IF;
END $$;
-- +goose StatementEnd

-- +goose Down
-- +goose StatementBegin
CREATE OR REPLACE FUNCTION advance(in_projection text, in_topic text, in_partition int, in_from bigint, in_epoch bigint, in_to bigint,
    in_mark text)
RETURNS void LANGUAGE plpgsql AS $$
BEGIN
    UPDATE checkpoints SET next_offset = in_to, mark = in_mark
    WHERE projection = in_projection AND topic = in_topic AND partition = in_partition
      AND next_offset = in_from AND owner_epoch = in_epoch;
    IF NOT FOUND THEN
        RAISE EXCEPTION 'the checkpoint of %/% is not at % in epoch % any more', in_topic, in_partition, in_from, in_epoch
            USING ERRCODE = 'PY001';
    END IF;
END $$;
-- +goose StatementEnd
