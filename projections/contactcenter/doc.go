// Package contactcenter has the read models of human agents, conversations, transfers, voicemails and the
// details of calls.
//
// It owns their tables: one file says what a model stores and how it is asked. It never chooses who takes a transfer: that
// is decided on the streams of queues and agents.
package contactcenter
