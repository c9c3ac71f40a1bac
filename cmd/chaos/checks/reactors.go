package checks

import (
	"strings"

	"github.com/parley-platform/parley/cmd/chaos/load"
	"github.com/parley-platform/parley/domain/calls"
	"github.com/parley-platform/parley/domain/deliveries"
	"github.com/parley-platform/parley/domain/event"
	"github.com/parley-platform/parley/domain/transfers"
	"github.com/parley-platform/parley/eventstore"
)

// Acted checks what the reactors made of the accepted events: each call is attempted
// at most once and ends once; each notice that a call or a transfer gives was queued
// once, and delivered under its id, which the customer's server has seen.
func Acted(f *Fold, seen map[string]load.Delivery, out *Findings) {
	queued := map[string]bool{}
	for stream, records := range f.Streams {
		if strings.HasPrefix(stream, deliveries.Deliveries.Prefix+"-") {
			delivered(stream, records, seen, queued, out)
		}
	}
	events := map[string]bool{}
	for stream, records := range f.Streams {
		if strings.HasPrefix(stream, calls.Calls.Prefix+"-") {
			called(stream, records, queued, out)
			for _, r := range records {
				events[noticeID(r)] = true
			}
		}
	}
	folded(f, transfers.Transfers, func(stream string, after transfers.State, r *eventstore.Record, p event.Payload) {
		if transfers.NoticeOf(after, p) == nil {
			return
		}
		if events[noticeID(r)] = true; !queued[noticeID(r)] {
			out.Add("reactors", "%s v%d (%s) calls for a callback that was never queued", stream, r.Version, r.Type)
		}
	})
	for id := range queued {
		if !events[id] {
			out.Add("reactors", "notice %s was queued because of an event that was never accepted", id)
		}
	}
	for id, d := range seen {
		if !queued[id] {
			out.Add("reactors", "the customer got delivery %s (%s of call %s, session %s), which no accepted event queued", id, d.Status, d.Call,
				d.Session)
		}
	}
}

// delivered folds one delivery stream.
func delivered(stream string, records []*eventstore.Record, seen map[string]load.Delivery, queued map[string]bool, out *Findings) {
	ended := map[string]int{}
	for _, r := range records {
		p, err := deliveries.Deliveries.Decode(r.Type, r.Data)
		if err != nil {
			return
		}
		switch e := p.(type) {
		case deliveries.Enqueued:
			if queued[e.NoticeID] {
				out.Doubled++
				out.Add("reactors", "notice %s was queued twice in %s", e.NoticeID, stream)
			}
			queued[e.NoticeID] = true
			ended[e.NoticeID] += 0
		case deliveries.Delivered:
			ended[e.NoticeID]++
			if seen[e.NoticeID].Times == 0 {
				out.Add("reactors", "notice %s is recorded as delivered, and the customer never got it", e.NoticeID)
			}
		case deliveries.Withdrawn:
			ended[e.NoticeID]++
		case deliveries.Undelivered:
			ended[e.NoticeID]++
			out.Add("reactors", "notice %s was given up: %s %s", e.NoticeID, e.Reason, e.Error)
		}
	}
	for id, n := range ended {
		if n != 1 {
			out.Add("reactors", "notice %s of %s ended %d times", id, stream, n)
		}
	}
}

// called folds one call.
func called(stream string, records []*eventstore.Record, queued map[string]bool, out *Findings) {
	var state calls.State
	attempts, ends := 0, 0
	for _, r := range records {
		p, err := calls.Calls.Decode(r.Type, r.Data)
		if err != nil {
			return
		}
		calls.Calls.Fold(&state, p)
		switch p.(type) {
		case calls.AttemptStarted:
			attempts++
		case calls.Completed, calls.Failed:
			ends++
		}
		if calls.NoticeOf(state, p) != nil && !queued[noticeID(r)] {
			out.Add("reactors", "%s v%d (%s) calls for a notification that was never queued", stream, r.Version, r.Type)
		}
	}
	if attempts > 1 {
		out.Doubled++
		out.Add("reactors", "%s was attempted %d times", stream, attempts)
	}
	if ends != 1 {
		out.Add("reactors", "%s ended %d times", stream, ends)
	}
}

// noticeID is the delivery id of the notification that an event calls for.
func noticeID(r *eventstore.Record) string { return r.ID }
