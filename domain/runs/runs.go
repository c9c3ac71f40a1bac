// Package runs freezes whom a run of a campaign reaches: one stream per run, which
// holds the terms of the run and the contacts of each of its passes.
//
// It owns that a contact has one index for good, and that a telephone number is in a
// pass once. It never decides whose turn it is (that is pacing), and never reads a
// contact list: contacts come in with the commands.
package runs

import (
	"strings"

	"github.com/parley-platform/parley/domain/event"
)

// Runs holds one stream per run, run-<tenant>.<campaignInstanceId>. Its rules:
//
//   - a pass is opened with the version of the contact lists it is made of, so that
//     whoever goes on with a listing that broke off lists the same contacts
//   - contacts are listed in order, in chunks that follow on each other without a gap;
//     a chunk that is there already is nothing
//   - indexes go on from pass to pass: contact 17 of a run is one contact of one pass
//
// Commands say nothing when the state has their effect already; they need no request ids.
var Runs = event.NewAggregate[State]("campaignruns", "run", event.Busy)

// Stream names the stream of a run. The separator is a character that no id can hold,
// so that two pairs of ids never share a stream.
func Stream(tenantID, runID string) string { return Runs.Stream(tenantID + "." + runID) }

// IDOf is the campaignInstanceId in the name of a run's stream, without its
// category's prefix.
func IDOf(streamID string) string {
	_, runID, _ := strings.Cut(streamID, ".")
	return runID
}

// The size of one event of contacts: both bounds hold, except for a single contact.
const (
	MaxChunk   = 500
	chunkBytes = 256 << 10
)

// State is what a run has listed. The contacts themselves are not in it: a run may have
// very many.
type State struct {
	Terms    Opened `json:"terms"`
	Pass     int    `json:"pass,omitempty"`     // the one that is listed, or was listed last; from 1
	From     int    `json:"from,omitempty"`     // index of its first contact
	Lists    int64  `json:"lists,omitempty"`    // version of the project's contact lists that the pass is made of
	Contacts int    `json:"contacts,omitempty"` // listed so far, in all passes
	Complete bool   `json:"complete,omitempty"` // the pass has all its contacts
}

// Exists reports whether the run was opened.
func (s State) Exists() bool { return s.Terms.RunID != "" }
