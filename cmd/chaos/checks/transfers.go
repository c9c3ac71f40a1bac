package checks

import (
	"encoding/json"
	"fmt"

	"github.com/parley-platform/parley/cmd/chaos/load"
	"github.com/parley-platform/parley/domain/event"
	"github.com/parley-platform/parley/domain/humanagents"
	"github.com/parley-platform/parley/domain/transfers"
	"github.com/parley-platform/parley/domain/waitinglines"
	"github.com/parley-platform/parley/eventstore"
)

// Transferred checks that each transfer was assigned at most once and has one outcome;
// that its request was answered with the first one; that all that is told of it was
// queued, with what its events say; and that nobody stands in a line any more.
func Transferred(f *Fold, ops []load.Op, seen map[string]load.Delivery, out *Findings) {
	assigned, ended := map[string]int{}, map[string]int{}
	final := folded(f, transfers.Transfers, func(stream string, after transfers.State, r *eventstore.Record, p event.Payload) {
		switch p.(type) {
		case transfers.Assigned:
			assigned[stream]++
		case transfers.Failed, transfers.TimedOut, transfers.Ended:
			ended[stream]++
		}
		if notice := transfers.NoticeOf(after, p); notice != nil {
			calledBack(stream, r, notice, seen, out)
		}
	})
	for stream := range final {
		if assigned[stream] > 1 {
			out.Doubled++
		}
		if assigned[stream] > 1 || ended[stream] != 1 {
			out.Add("transfer", "%s was assigned %d times and ended %d times", stream, assigned[stream], ended[stream])
		}
	}
	answered(final, ops, out)
	inLine(f, out)
}

// calledBack checks that the callback of an event came, with what the event says.
func calledBack(stream string, r *eventstore.Record, notice *transfers.Notice, seen map[string]load.Delivery, out *Findings) {
	d, came := seen[noticeID(r)]
	if !came {
		out.Add("transfer", "%s v%d (%s) was never called back", stream, r.Version, r.Type)
		return
	}
	var got transfers.Notice
	if err := json.Unmarshal([]byte(d.Body), &got); err != nil || got != *notice {
		out.Add("transfer", "%s v%d (%s) was called back with %s; its event says %+v", stream, r.Version, r.Type, d.Body, *notice)
	}
}

// answered holds what requests were answered against the first outcome.
func answered(final map[string]transfers.State, ops []load.Op, out *Findings) {
	for _, op := range ops {
		if op.Kind != load.Assign || op.Outcome != load.OK {
			continue
		}
		s := final[transfers.Stream(op.Transfer.ID)]
		if string(s.Answer.Status) != op.Transfer.Status || string(s.Answer.Reason) != op.Transfer.Reason {
			out.Add("transfer", "transfer %s was answered %s %s; its first outcome is %+v", op.Transfer.ID, op.Transfer.Status, op.Transfer.Reason,
				s.Answer)
		}
	}
}

// inLine checks that everybody entered a line at most once and has left it.
func inLine(f *Fold, out *Findings) {
	entered := map[string]int{}
	final := folded(f, waitinglines.Lines, func(stream string, _ waitinglines.State, _ *eventstore.Record, p event.Payload) {
		if e, ok := p.(waitinglines.Entered); ok {
			if entered[e.TransferID]++; entered[e.TransferID] == 2 {
				out.Add("transfer", "transfer %s entered %s twice", e.TransferID, stream)
			}
		}
	})
	for stream, s := range final {
		for _, p := range s.Line {
			out.Add("transfer", "transfer %s still stands in %s", p.TransferID, stream)
		}
	}
}

// Capacity checks that no agent ever had more than they can have, at any point of the
// log's order, that each event says how many they then had, and that in the end they have
// nothing. The callers never change what an agent can have, so the records at the end say
// it for the whole round.
func Capacity(f *Fold, out *Findings) {
	limits := map[string]func(humanagents.Kind) int{}
	for _, org := range folded(f, humanagents.Organisations, nil) {
		for _, a := range org.Agents {
			limits[humanagents.DeskStream(a.AccountID, a.ID)] = a.Limit
		}
	}
	final := folded(f, humanagents.Desks, func(stream string, s humanagents.Desk, r *eventstore.Record, p event.Payload) {
		switch e := p.(type) {
		case humanagents.CapacityClaimed:
			load := s.Load(e.Kind)
			if limit := limits[stream]; limit == nil || load > limit(e.Kind) {
				out.Add("capacity", "%s v%d gives a conversation to an agent who then has %d of kind %s: more than they can", stream, r.Version, load,
					e.Kind)
			}
			if load != e.Load || s.Presence() != humanagents.Available {
				out.Add("capacity", "%s v%d says that the agent, who is %s, has %d conversations; it is %d", stream, r.Version, s.Presence(), e.Load,
					load)
			}
		case humanagents.CapacityReleased:
			if load := s.Load(e.Kind); load != e.Load {
				out.Add("capacity", "%s v%d says that the agent has %d conversations left; it is %d", stream, r.Version, e.Load, load)
			}
		}
	})
	for stream, desk := range final {
		if len(desk.Claims) > 0 {
			out.Add("capacity", "%s still has %s at the end", stream, claims(desk))
		}
	}
}

func claims(d humanagents.Desk) (text string) {
	for id, c := range d.Claims {
		text += fmt.Sprintf("[claim %s of %s]", id, c.ConversationID)
	}
	return text
}
