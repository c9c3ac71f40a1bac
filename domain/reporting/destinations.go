package reporting

import (
	"cmp"
	"maps"
	"slices"
	"time"

	"github.com/parley-platform/parley/domain/conversations"
	"github.com/parley-platform/parley/domain/transfers"
)

// Destination is a queue that a conversation entered, or an agent who got it without one.
type Destination struct {
	QueueID, QueueName string // empty QueueID: it was an agent
	EnteredAt          time.Time
	Agent              *Responding // who took it; nil: nobody
}

// Responding is an agent who had the conversation, in one segment of it. Durations are
// never negative: two clocks may disagree about an order.
type Responding struct {
	HumanAgent
	Notes         []string
	AssignedAt    time.Time
	Response      *Span // until the first thing that the agent said; nil: nothing
	Interaction   *Span // until the end of the segment; nil: not known
	AfterCallWork *Work // nil: none was told
}

// Span is how long something took, and when it was over.
type Span struct {
	Took time.Duration
	At   time.Time
}

// Work is after-call work; At is zero where it is not known when it was over.
type Work Span

// destinations tells where the conversation went: by our transfers, else by the
// entries and exits that hooks told of. Of a conversation that we transferred, hooks
// tell of the same stay again; who comes back later has another one.
func (a HumanAgents) destinations(s Session, c *Conversation) []Destination {
	var all []visit
	told := make([]bool, len(c.Participants))
	for _, t := range s.Transfers {
		all = append(all, a.byTransfer(t, s, c, told))
	}
	for i, p := range c.Participants {
		if !told[i] {
			all = append(all, a.byHook(p, c))
		}
	}
	slices.SortStableFunc(all, func(a, b visit) int { return a.EnteredAt.Compare(b.EnteredAt) })
	out := []Destination{}
	for i, v := range all {
		if v.segment != nil {
			v.Agent = a.responding(*v.segment, segmentsOf(v.agent.ID, all[:i]), segmentsOf(v.agent.ID, all[i+1:]), s, c)
		}
		out = append(out, v.Destination)
	}
	return out
}

// visit is a destination of which it is known when who had the conversation, and not yet what they did.
type visit struct {
	Destination
	*segment // nil: nobody had it
}

func segmentsOf(agent string, all []visit) (own []segment) {
	for _, v := range all {
		if v.segment != nil && v.agent.ID == agent {
			own = append(own, *v.segment)
		}
	}
	return own
}

// byTransfer marks the stays that it tells as told.
func (a HumanAgents) byTransfer(t Transfer, s Session, c *Conversation, told []bool) visit {
	out := visit{Destination: Destination{QueueID: t.QueueID, QueueName: t.QueueName, EnteredAt: t.RequestedAt}}
	if t.AssignedAt == nil || t.Status == transfers.PhaseFailed { // who was given it has turned it down, or was not reached
		return out
	}
	in := segment{agent: HumanAgent{ID: t.HumanAgentID}, assigned: *t.AssignedAt, end: cmp.Or(t.EndedAt, &s.EndedAt)}
	if t.Reason == transfers.SessionEnded { // which its transfers are told of later
		in.end = &s.EndedAt
		if in.assigned.After(s.EndedAt) { // to somebody who found nobody there
			return out
		}
	}
	if t.HumanAgentID == "" {
		in.agent = a.came(*t.AssignedAt, c)
	}
	for _, p := range c.Participants { // who was told to have left had left by then
		if p.LeftAt != nil && a.idOf(p) == in.agent.ID && !p.LeftAt.Before(in.assigned) && p.LeftAt.Before(*in.end) {
			in.end = p.LeftAt
		}
	}
	for i, p := range c.Participants {
		if a.idOf(p) == in.agent.ID && in.holds(p) {
			told[i] = true
		}
	}
	if in.agent.ID != "" {
		out.segment = &in
	}
	return out
}

// came is who came to a conversation that waited, and is no agent of ours.
func (a HumanAgents) came(when time.Time, c *Conversation) HumanAgent {
	for _, p := range c.Participants {
		if p.EnteredAt.Sub(when).Abs() <= clocksApart {
			return HumanAgent{a.idOf(p), p.Name, p.Email}
		}
	}
	return HumanAgent{}
}

// holds reports whether a stay of the agent is, at least in part, in the segment. One that ends with it is, even if it was told
// to have begun at that very moment.
func (s segment) holds(p Stay) bool {
	if p.LeftAt != nil && p.LeftAt.Before(s.assigned) {
		return false
	}
	ends := p.LeftAt != nil && !p.LeftAt.After(*s.end)
	return ends || p.EnteredAt.Before(*s.end) || !p.EnteredAt.After(s.assigned.Add(clocksApart))
}

func (a HumanAgents) byHook(p Stay, c *Conversation) visit {
	in := segment{agent: HumanAgent{a.idOf(p), p.Name, p.Email}, assigned: p.EnteredAt, end: cmp.Or(p.LeftAt, c.EndedAt)}
	return visit{Destination{QueueID: p.QueueID, QueueName: p.QueueName, EnteredAt: p.EnteredAt}, &in}
}

// idOf is the agent's id; of one we do not know, the identity that was told.
func (a HumanAgents) idOf(p Stay) string {
	return cmp.Or(a[p.Identity].ID, a[p.Email].ID, p.Identity)
}

// met are the agents with what hooks call them in the conversation: an identity that only
// they know is the agent whose e-mail they told with it, also in messages and work, which
// tell none.
func (a HumanAgents) met(c *Conversation) HumanAgents {
	out, own := a, false
	for _, p := range c.Participants {
		card := a[p.Email]
		if a[p.Identity].ID != "" || card.ID == "" {
			continue
		}
		if !own { // most conversations have none, and the agents may be many
			out, own = maps.Clone(a), true
		}
		out[p.Identity] = card
	}
	return out
}

// is reports whether a name means the agent.
func (a HumanAgents) is(name, agent string) bool {
	return name == agent || a[name].ID == agent
}

// segment is the time in which an agent had the conversation.
type segment struct {
	agent    HumanAgent // name and e-mail as told; empty: as we know the agent
	assigned time.Time
	end      *time.Time // nil: not known
}

// responding tells what an agent did in a segment, who had the conversation before and later too. What is
// done after the conversation is done once, after the last.
func (a HumanAgents) responding(in segment, before, later []segment, s Session, c *Conversation) *Responding {
	card := a[in.agent.ID]
	r := &Responding{HumanAgent: HumanAgent{in.agent.ID, cmp.Or(in.agent.Name, card.Name), cmp.Or(in.agent.Email, card.Email)},
		Notes: c.AgentNotes, AssignedAt: in.assigned}
	if at := a.firstResponse(in, append(before, later...), s.Said); at != nil {
		r.Response = in.until(*at)
	}
	if in.end != nil {
		r.Interaction = in.until(*in.end)
	}
	for _, work := range c.AfterCallWork { // that of no agent, which is everybody's, comes first
		if len(later) == 0 && (work.HumanAgentID == "" || a.is(work.HumanAgentID, in.agent.ID)) {
			r.AfterCallWork = in.work(work)
		}
	}
	return r
}

func (s segment) until(t time.Time) *Span { return &Span{max(0, t.Sub(s.assigned)), t} }

// clocksApart is by how much two nodes may put the same moment differently. Nobody
// answers faster, so what an agent said so shortly before or after a segment is in it,
// unless the agent had the conversation then by another one.
const clocksApart = 250 * time.Millisecond

// firstResponse is when the agent first said something in the segment; nil: never.
func (a HumanAgents) firstResponse(in segment, others []segment, said map[string][]time.Time) (first *time.Time) {
	for name, times := range said {
		if !a.is(name, in.agent.ID) {
			continue
		}
		i, _ := slices.BinarySearchFunc(times, in.assigned.Add(-clocksApart), time.Time.Compare)
		for _, t := range times[i:] {
			if in.end != nil && t.After(in.end.Add(clocksApart)) {
				break
			}
			if !in.has(t) && slices.ContainsFunc(others, func(o segment) bool { return o.has(t) }) {
				continue
			}
			if at := in.within(t); first == nil || at.Before(*first) {
				first = &at
			}
			break
		}
	}
	return first
}

func (s segment) has(t time.Time) bool {
	return !t.Before(s.assigned) && (s.end == nil || !t.After(*s.end))
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

// work is over when that was told, else it began with the end of the segment.
func (s segment) work(told conversations.AfterCallWork) *Work {
	w := &Work{Took: max(0, time.Duration(told.DurationMs)*time.Millisecond), At: told.EndedAt}
	if w.At.IsZero() && s.end != nil {
		w.At = s.end.Add(time.Duration(told.DurationMs) * time.Millisecond)
	}
	return w
}
