// Package embedded runs the two parts that Parley needs, Kafka and Postgres, on this
// machine when no address of real ones is configured (docs/architecture.md "Running
// it").
//
// It owns a [Broker] (an in-process server of the Kafka protocol), a [Postgres]
// (a private server process made from the machine's own binaries), their data
// folders, and [Lock], which keeps a data folder to one process.
//
// It never knows what is stored in them: topics, tables and settings that a
// client can choose belong to the packages that use them over the same protocols
// and the same code as in production. What lies in the log's folder is read, before the
// broker opens it, by the package logfolder.
package embedded
