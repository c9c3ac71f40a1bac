package eventstore_test

import (
	"hash/fnv"
	"strconv"

	"github.com/parley-platform/parley/domain/event"
	"github.com/parley-platform/parley/domain/fault"
)

// notebook is the aggregate of the tests: it counts its notes and keeps a
// fingerprint of all of them, so that a decision can say on which state it was made.
type notebook struct {
	Notes int64
	Print uint64
	Parts map[int]int64 // notes by their part, changed in place as in the states of the domain
}

// whole reports whether nobody changed the state behind the back of who has it.
func (n notebook) whole() bool {
	sum := int64(0)
	for _, count := range n.Parts {
		sum += count
	}
	return sum == n.Notes
}

var notebooks = event.NewAggregate[notebook]("notebooks", "notebook", event.Quiet)

// noted is its event.
type noted struct {
	Call string `json:"call"` // which call of Execute decided it
	Text string `json:"text"` // unique per decision
	Part int    `json:"part"`
	Base uint64 `json:"base"` // fingerprint of the state it was decided on
}

func (e noted) Apply(n *notebook) {
	h := fnv.New64a()
	_, _ = h.Write([]byte(strconv.FormatUint(n.Print, 16) + e.Text + strconv.Itoa(e.Part)))
	n.Notes, n.Print = n.Notes+1, h.Sum64()
	if n.Parts == nil {
		n.Parts = map[int]int64{}
	}
	n.Parts[e.Part]++
}

var _ = event.Register[noted](notebooks, "noted", 1)

var catchingUp = fault.New(fault.CatchingUp, "the read models are catching up")

// note decides parts notes, whatever the state is.
func note(text string, parts int) func(notebook) ([]event.Payload, error) {
	return func(s notebook) (out []event.Payload, err error) {
		for i := range parts {
			out = append(out, noted{Call: text, Text: text, Part: i, Base: s.Print})
		}
		return out, nil
	}
}
