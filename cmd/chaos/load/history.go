// Package load is the callers of a chaos round and what they remember: careful users
// who repeat a request under its Idempotency-Key, at the other node, until they have
// an answer that says something, and who read at both nodes what they wrote.
//
// It records what was asked and answered, and when. It never judges; package checks
// does.
package load

import (
	"slices"
	"sync"
	"time"
)

// Kind is what an operation does.
type Kind string

// The kinds.
const (
	DialOut   Kind = "dial-out"
	CreateKey Kind = "create-key"
	RevokeKey Kind = "revoke-key"
	SetScope  Kind = "set-scope"  // takes permissions away: the number stands for those that may stay
	ReadScope Kind = "read-scope" // with the admin's key
	UseKey    Kind = "use-key"    // the same with a key that was made: opens it or not
	ReadCalls Kind = "read-calls"

	CreateCampaign Kind = "create-campaign"
	Trigger        Kind = "trigger-campaign" // play, pause, resume
	ReadRun        Kind = "read-run"
	Assign         Kind = "assign-conversation"
	SetPresence    Kind = "set-presence" // of a human agent
)

// Outcome is what became of an operation.
type Outcome string

// The outcomes.
const (
	OK      Outcome = "ok"
	Refused Outcome = "refused" // for good: the name is taken, the key is gone
	Unknown Outcome = "unknown" // it may have taken effect, or do so yet
	Failed  Outcome = "failed"  // a read without an answer: it says nothing
)

// Try is one request of an operation.
type Try struct {
	Node      string        `json:"node"`
	Start     time.Duration `json:"start"`
	End       time.Duration `json:"end"`
	Status    int           `json:"status"` // 0: no answer
	Code      string        `json:"code,omitempty"`
	RequestID string        `json:"requestId,omitempty"`
	Error     string        `json:"error,omitempty"`
}

// Op is one operation of a caller, with all its tries. Times count from the start of
// the history, on one clock.
type Op struct {
	ID      int           `json:"id"`
	Caller  int           `json:"caller"`
	Kind    Kind          `json:"kind"`
	Key     string        `json:"key,omitempty"` // Idempotency-Key
	Path    string        `json:"path,omitempty"`
	Start   time.Duration `json:"start"`
	End     time.Duration `json:"end"`
	Outcome Outcome       `json:"outcome"`
	Tries   []Try         `json:"tries"`

	// What it asked for.
	Name     string `json:"name,omitempty"`   // of the key to create
	KeyID    string `json:"keyId,omitempty"`  // to revoke or use; after a create: of the answer
	Number   int    `json:"number,omitempty"` // to set; after a read: that was read; -1: not known
	Detected string `json:"detected,omitempty"`
	Target   string `json:"target,omitempty"`

	// What the answer said.
	CallID   string            `json:"callId,omitempty"`
	SID      string            `json:"sid,omitempty"`
	Replayed bool              `json:"replayed,omitempty"`
	Total    int               `json:"total,omitempty"` // of a list
	Calls    map[string]string `json:"-"`               // of a list: status by call
	sessions map[string]string // of a list: session by call

	Campaign Campaign `json:"campaign,omitzero"` // of its operations
	Transfer Transfer `json:"transfer,omitzero"` // of an assignment, and of a presence
}

// Campaign is what operations on campaigns ask and are told.
type Campaign struct {
	Kind    string `json:"kind,omitempty"` // voice, sms
	List    string `json:"list,omitempty"` // whom it reaches
	ID      string `json:"id,omitempty"`
	Trigger string `json:"trigger,omitempty"`
	RunID   string `json:"instance,omitempty"` // the run that was started, paused, resumed or read
	Run     Run    `json:"run,omitzero"`       // as it was read
}

// Run is how far a run was when it was read.
type Run struct {
	Status    string `json:"status"`
	Contacts  int    `json:"totalContacts"`
	Pending   int    `json:"pending"`
	UnderWay  int    `json:"underWay"`
	Completed int    `json:"totalCallsCompleted"`
	Sent      int    `json:"totalMessagesSent"`
	Failed    int    `json:"totalFailed"`
}

// Done counts its outcomes.
func (r Run) Done() int { return r.Completed + r.Sent + r.Failed }

// Transfer is what an assignment asks and is told.
type Transfer struct {
	Session  string `json:"session,omitempty"`
	Agent    string `json:"agent,omitempty"` // the target, or
	Queue    string `json:"queue,omitempty"` // the target
	Presence string `json:"presence,omitempty"`
	ID       string `json:"id,omitempty"`
	Status   string `json:"status,omitempty"`
	Reason   string `json:"reason,omitempty"`
}

// History is everything that was asked in a round.
type History struct {
	Began time.Time

	mu    sync.Mutex
	ops   []*Op
	wrong []string
}

// NewHistory begins now.
func NewHistory() *History { return &History{Began: time.Now()} }

// Now is the time on the history's clock.
func (h *History) Now() time.Duration { return time.Since(h.Began) }

// add gives an operation its number and keeps it.
func (h *History) add(op *Op) *Op {
	h.mu.Lock()
	defer h.mu.Unlock()
	op.ID = len(h.ops)
	op.Start, op.Outcome, op.End = h.Now(), Unknown, -1
	h.ops = append(h.ops, op)
	return op
}

// finish notes the end of an operation; a reader sees all of it or nothing.
func (h *History) finish(op *Op, outcome Outcome, fill func()) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if fill != nil {
		fill()
	}
	op.Outcome, op.End = outcome, h.Now()
}

func (h *History) try(op *Op, t Try) {
	h.mu.Lock()
	defer h.mu.Unlock()
	op.Tries = append(op.Tries, t)
}

// Wrong notes an answer that no fault excuses.
func (h *History) Wrong(what string) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if len(h.wrong) < 50 && !slices.Contains(h.wrong, what) {
		h.wrong = append(h.wrong, what)
	}
}

// Wrongs are the answers that no fault excuses.
func (h *History) Wrongs() []string {
	h.mu.Lock()
	defer h.mu.Unlock()
	return slices.Clone(h.wrong)
}

// Ops are copies of the operations so far, in the order of their starts.
func (h *History) Ops() []Op {
	h.mu.Lock()
	defer h.mu.Unlock()
	out := make([]Op, len(h.ops))
	for i, op := range h.ops {
		out[i] = *op
		out[i].Tries = slices.Clone(op.Tries)
	}
	return out
}

// Writes says whether the operation changes something.
func (k Kind) Writes() bool {
	switch k {
	case DialOut, CreateKey, RevokeKey, SetScope, CreateCampaign, Trigger, Assign, SetPresence:
		return true
	}
	return false
}
