package rest

import (
	"cmp"
	"slices"
	"time"

	"github.com/parley-platform/parley/domain/conversations"
	"github.com/parley-platform/parley/domain/transfers"
	"github.com/parley-platform/parley/projections"
)

// destinations tells where the conversation went: by our transfers, else by the
// entries and exits that hooks told of. Of a conversation that we transferred, hooks
// tell of the same agents again.
func (w detailWriter) destinations(d projections.CallDetail, c *projections.ConversationInfo) []destination {
	out := []destination{}
	known := map[string]bool{}
	for _, t := range d.Transfers {
		known[t.AgentID] = true
		out = append(out, w.byTransfer(t, d, c))
	}
	for _, p := range c.Participants {
		if card := w.agents[p.Identity]; known[p.Identity] || card.AgentID != "" && known[card.AgentID] {
			continue
		}
		out = append(out, w.byHook(p, d, c))
	}
	slices.SortStableFunc(out, func(a, b destination) int { return cmp.Compare(a.EnterTime, b.EnterTime) })
	return out
}

func (w detailWriter) byTransfer(t projections.Transfer, d projections.CallDetail, c *projections.ConversationInfo) destination {
	out := destination{DestinationType: "AgentEntry", EnterTime: w.local(t.RequestedAt)}
	if t.QueueID != "" {
		out.DestinationType, out.QueueID, out.QueueName = "QueueEntry", t.QueueID, t.QueueName
	}
	if t.AssignedAt == nil {
		return out
	}
	end := t.EndedAt
	if end == nil && t.Status == transfers.PhaseAssigned {
		end = &d.EndedAt
	}
	out.RespondingAgent = w.agent(segment{names: []string{t.AgentID}, assigned: *t.AssignedAt, end: end}, d, c)
	return out
}

func (w detailWriter) byHook(p projections.ConversationStay, d projections.CallDetail, c *projections.ConversationInfo) destination {
	out := destination{DestinationType: "AgentEntry", EnterTime: w.local(p.EnteredAt)}
	if p.QueueID != "" {
		out.DestinationType, out.QueueID, out.QueueName = "QueueEntry", p.QueueID, p.QueueName
	}
	out.RespondingAgent = w.agent(segment{names: []string{p.Identity}, name: p.Name, email: p.AgentEmail, assigned: p.EnteredAt, end: cmp.Or(p.LeftAt, c.EndedAt)}, d, c)
	return out
}

// segment is the time in which an agent had the conversation.
type segment struct {
	names       []string // by which the agent is known
	name, email string   // as told; empty: as we know the agent
	assigned    time.Time
	end         *time.Time
}

func (w detailWriter) agent(s segment, d projections.CallDetail, c *projections.ConversationInfo) *respondingAgent {
	card := w.agents[s.names[0]]
	a := &respondingAgent{AgentID: cmp.Or(card.AgentID, s.names[0]), AgentNotes: orNone(c.AgentNotes), DestinationType: "AgentSegment", Status: "Answered",
		Name: cmp.Or(s.name, card.Name), Email: cmp.Or(s.email, card.Email), AcceptedTime: w.local(s.assigned), AssignedAt: w.local(s.assigned)}
	if card.AgentID != "" {
		s.names = append(s.names, card.AgentID)
	}
	for _, name := range s.names {
		if at, ok := d.FirstResponse[name]; ok && a.FirstResponseTime == "" {
			a.FirstResponseTime, a.FirstResponseDuration = w.local(at), seconds(at.Sub(s.assigned))
		}
	}
	if s.end != nil {
		a.InteractionEndTime, a.InteractionDuration = w.local(*s.end), seconds(s.end.Sub(s.assigned))
	}
	of := func(work conversations.AfterCallWork) bool {
		return work.AgentID == "" || slices.Contains(s.names, work.AgentID)
	}
	if i := slices.IndexFunc(c.AfterCallWork, of); i >= 0 {
		work := c.AfterCallWork[i]
		a.AfterCallWorkDuration = seconds(time.Duration(work.DurationMs) * time.Millisecond)
		switch {
		case !work.EndedAt.IsZero():
			a.AfterCallWorkEndTime = w.local(work.EndedAt)
		case s.end != nil:
			a.AfterCallWorkEndTime = w.local(s.end.Add(time.Duration(work.DurationMs) * time.Millisecond))
		}
	}
	return a
}

// seconds is a duration as call details show it, never negative: two clocks may
// disagree about an order.
func seconds(d time.Duration) *float64 {
	s := max(0, float64(d.Milliseconds())/1000)
	return &s
}
