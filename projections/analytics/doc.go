// Package analytics keeps every accepted event in the one shape of analytics-events,
// with hourly sums beside it, and answers what the analytics operations ask.
//
// It owns how events of each context appear (register.go and one file per context), the
// worker that follows the log behind the awaited read models, and the queries. It has a
// checkpoint of its own, nobody waits for it, and each answer says as of when it is. It
// never decides which commits count: it reads the log up to where the awaited read
// models are and asks the stream index.
package analytics
