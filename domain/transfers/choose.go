package transfers

import (
	"cmp"
	"slices"
	"time"
)

// Candidate is an agent who could take a transfer: of the queue, there, with free
// capacity of the kind, and with the skills.
type Candidate struct {
	HumanAgentID string
	Preferred    bool      // isPreferredAgent of the queue
	IdleSince    time.Time // since when nothing happened at the desk
}

// Choose is the agent to be offered a transfer, and false if nobody can be. served are
// the agents with affinity who had this customer before, those of this session first,
// then the most recent; except are those who must not get it.
//
// Who had the customer before comes first; then the preferred agents of the queue; then
// who has been idle for longest.
func Choose(among []Candidate, served []string, except ...string) (agentID string, ok bool) {
	known := func(c Candidate) int {
		if i := slices.Index(served, c.HumanAgentID); i >= 0 {
			return i
		}
		return len(served)
	}
	among = slices.DeleteFunc(slices.Clone(among), func(c Candidate) bool { return slices.Contains(except, c.HumanAgentID) })
	if len(among) == 0 {
		return "", false
	}
	return slices.MinFunc(among, func(a, b Candidate) int {
		return cmp.Or(cmp.Compare(known(a), known(b)), before(a.Preferred, b.Preferred), a.IdleSince.Compare(b.IdleSince),
			cmp.Compare(a.HumanAgentID, b.HumanAgentID))
	}).HumanAgentID, true
}

func before(a, b bool) int {
	switch {
	case a == b:
		return 0
	case a:
		return -1
	}
	return 1
}
