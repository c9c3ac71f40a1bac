// Package sink is where accepted commits become rows: the stream index, the heads of
// streams, and what a read model could not take and was set aside. It knows where a
// partition stands; who reads the log, and when, is engine's and rebuild's.
package sink
