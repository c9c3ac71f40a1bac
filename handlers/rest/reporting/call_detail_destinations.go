package reporting

import (
	"cmp"
	"slices"
	"time"

	"github.com/parley-platform/parley/domain/conversations"
	"github.com/parley-platform/parley/handlers/rest"
	"github.com/parley-platform/parley/projections/contactcenter"
)

// destinations tells where the conversation went: by our transfers, else by the
// entries and exits that hooks told of. Of a conversation that we transferred, hooks
// tell of the same agents again.
func (w detailWriter) destinations(d contactcenter.CallDetail, c *contactcenter.ConversationInfo) []destination {
	type entry struct {
		at time.Time
		destination
	}
	var entries []entry
	known := map[string]bool{}
	for _, t := range d.Transfers {
		known[t.AgentID] = true
		entries = append(entries, entry{t.RequestedAt, w.byTransfer(t, d, c)})
	}
	for _, p := range c.Participants {
		if !known[w.agentOf(p)] {
			entries = append(entries, entry{p.EnteredAt, w.byHook(p, d, c)})
		}
	}
	slices.SortStableFunc(entries, func(a, b entry) int { return a.at.Compare(b.at) })
	out := []destination{}
	for _, e := range entries {
		out = append(out, e.destination)
	}
	return out
}

func (w detailWriter) byTransfer(t contactcenter.Transfer, d contactcenter.CallDetail, c *contactcenter.ConversationInfo) destination {
	out := destination{DestinationType: "AgentEntry", EnterTime: w.local(t.RequestedAt)}
	if t.QueueID != "" {
		out.DestinationType, out.QueueID, out.QueueName = "QueueEntry", t.QueueID, t.QueueName
	}
	if t.AssignedAt == nil {
		return out
	}
	s := segment{agent: t.AgentID, assigned: *t.AssignedAt, end: t.EndedAt}
	if s.end == nil {
		s.end = &d.EndedAt
	}
	for _, p := range c.Participants { // who was told to have left had left by then
		if p.LeftAt != nil && w.agentOf(p) == t.AgentID && !p.LeftAt.Before(s.assigned) && p.LeftAt.Before(*s.end) {
			s.end = p.LeftAt
		}
	}
	out.RespondingAgent = w.agent(s, d, c)
	return out
}

func (w detailWriter) byHook(p contactcenter.ConversationStay, d contactcenter.CallDetail, c *contactcenter.ConversationInfo) destination {
	out := destination{DestinationType: "AgentEntry", EnterTime: w.local(p.EnteredAt)}
	if p.QueueID != "" {
		out.DestinationType, out.QueueID, out.QueueName = "QueueEntry", p.QueueID, p.QueueName
	}
	s := segment{agent: w.agentOf(p), name: p.Name, email: p.AgentEmail, assigned: p.EnteredAt, end: cmp.Or(p.LeftAt, c.EndedAt)}
	out.RespondingAgent = w.agent(s, d, c)
	return out
}

// agentOf is the agent's id; of one we do not know, the identity that was told.
func (w detailWriter) agentOf(p contactcenter.ConversationStay) string {
	return cmp.Or(w.agents[p.Identity].AgentID, w.agents[p.AgentEmail].AgentID, p.Identity)
}

// is reports whether a name means the agent.
func (w detailWriter) is(name, agent string) bool {
	return name == agent || w.agents[name].AgentID == agent
}

// segment is the time in which an agent had the conversation.
type segment struct {
	agent       string
	name, email string // as told; empty: as we know the agent
	assigned    time.Time
	end         *time.Time // nil: not known
}

func (w detailWriter) agent(s segment, d contactcenter.CallDetail, c *contactcenter.ConversationInfo) *respondingAgent {
	card := w.agents[s.agent]
	a := &respondingAgent{AgentID: s.agent, AgentNotes: rest.OrNone(c.AgentNotes), DestinationType: "AgentSegment", Status: "Answered",
		Name: cmp.Or(s.name, card.Name), Email: cmp.Or(s.email, card.Email), AcceptedTime: w.local(s.assigned), AssignedAt: w.local(s.assigned)}
	if at := w.firstResponse(s, d); at != nil {
		a.FirstResponseTime, a.FirstResponseDuration = w.local(*at), seconds(at.Sub(s.assigned))
	}
	if s.end != nil {
		a.InteractionEndTime, a.InteractionDuration = w.local(*s.end), seconds(s.end.Sub(s.assigned))
	}
	for _, work := range c.AfterCallWork { // that of no agent, which is everybody's, comes first
		if work.AgentID == "" || w.is(work.AgentID, s.agent) {
			w.addWork(a, s, work)
		}
	}
	return a
}

// clocksApart is by how much two nodes may put the same moment differently. Nobody
// answers faster, so what an agent said so shortly before or after a segment is in it.
const clocksApart = 250 * time.Millisecond

// firstResponse is when the agent first said something in the segment; nil: never.
func (w detailWriter) firstResponse(s segment, d contactcenter.CallDetail) (first *time.Time) {
	for name, times := range d.Said {
		if !w.is(name, s.agent) {
			continue
		}
		i, _ := slices.BinarySearchFunc(times, s.assigned.Add(-clocksApart), time.Time.Compare)
		if i == len(times) || s.end != nil && times[i].After(s.end.Add(clocksApart)) {
			continue
		}
		if at := s.within(times[i]); first == nil || at.Before(*first) {
			first = &at
		}
	}
	return first
}

// within moves a time to the nearest one of the segment.
func (s segment) within(t time.Time) time.Time {
	if s.end != nil && t.After(*s.end) {
		t = *s.end
	}
	if t.Before(s.assigned) {
		t = s.assigned
	}
	return t
}

func (w detailWriter) addWork(a *respondingAgent, s segment, work conversations.AfterCallWork) {
	duration := time.Duration(work.DurationMs) * time.Millisecond
	a.AfterCallWorkDuration, a.AfterCallWorkEndTime = seconds(duration), ""
	switch {
	case !work.EndedAt.IsZero():
		a.AfterCallWorkEndTime = w.local(work.EndedAt)
	case s.end != nil:
		a.AfterCallWorkEndTime = w.local(s.end.Add(duration))
	}
}

// seconds is a duration as call details show it, never negative: two clocks may
// disagree about an order.
func seconds(d time.Duration) *float64 {
	s := max(0, float64(d.Milliseconds())/1000)
	return &s
}
