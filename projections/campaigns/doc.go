// Package campaigns has the read models of campaigns, their lists, runs, contacts and verdicts.
//
// It owns their tables: one file says what a model stores and how it is asked. It never decides whom a run calls, or when:
// that is domain/pacing.
package campaigns
