// Package consumer reads Parley's topics from Go and delivers what counts: the
// commits that the accept rule takes, each whole and once, in the order of the log.
//
// A record on a topic is not yet an event of Parley: of two commits that were
// decided on the same head only the first counts, a resend counts once, and part of
// a commit never. Who wins is settled by one function, eventstore.Arbitrate; this
// package applies the same one that the server applies. To judge, the head of every
// stream must be known, so a consumer begins at offset 0 or where it stopped, with
// the heads it saved; anywhere else it refuses (ErrNoHeads).
//
// It owns the reading, the judging and the state to be saved (State, Files). It
// never writes to Kafka, joins no consumer group and commits no offsets there:
// positions and heads belong together, in one place of the consumer's own.
//
// # Cost
//
// A consumer keeps the heads of all streams of its partitions in memory, about 250
// bytes each: a million calls are 250 MB. To scale out, give each process some of
// the partitions (Config.Partitions); there is no automatic rebalancing, because a
// partition cannot be judged without its heads. Who wants consumer groups, or
// cannot apply the rule, reads parley.<category>.accepted (parley serve
// --accepted-topics) and drops what comes twice by ce_id.
package consumer
