// Package embedded runs Kafka on this machine when no address of real brokers is
// configured (docs/architecture.md "Running it"). The Postgres that a node without a
// database runs is beside it, in private.
//
// It owns a [Broker] (an in-process server of the Kafka protocol), its data folder, who
// is let in, and what is refused.
//
// It never knows what is stored in it: topics and settings that a client can choose
// belong to the packages that use it over the same protocol and the same code as in
// production. What lies in the log's folder is read, before the broker opens it, by the
// package logfolder.
package embedded
