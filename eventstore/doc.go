// Package eventstore writes decisions to the log and says which of them count.
//
// It owns the envelope of a record, the accept rule (the one arbiter of who wins, see
// Arbitrate), the group-committing producer, the node-local cache of stream states,
// request ids, and Execute: the way every command of Parley goes. Read is beside it, for
// who wants to know a state and decides nothing. The rules are those
// of docs/architecture.md "Streams, commits, and who wins"; each was checked by a
// model, and the property tests here hold this code to the same invariants.
//
// It never talks to Kafka or Postgres itself: it declares what it needs of them
// (Batches, Index, Follower) and the adapters and the projector implement it. It
// never knows a domain: states and events come in through domain/event.
package eventstore
