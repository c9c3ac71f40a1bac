package acts

import (
	"crypto/sha256"
	"sync"

	"github.com/parley-platform/parley/domain/agents"
)

// startTexts remembers what sources of agents say first, by the hash of the source: reading
// one as YAML is what costs most of a dial-out beside its command.
type startTexts struct {
	mu    sync.Mutex
	known map[[sha256.Size]byte]beginning
	bytes int
}

// beginning is how an agent begins a call.
type beginning struct {
	text  string // that it says at the answer, if it says no more
	talks bool   // it may be run: whether it can be is seen at the answer
}

// mostStartTexts is how many bytes of them are remembered, keys included. Beyond it all are
// forgotten, which costs one reading of each.
const mostStartTexts = 1 << 20

var read = startTexts{known: map[[sha256.Size]byte]beginning{}}

// Begins is how an agent of a source begins a call: what it says at the answer, and whether it may be
// run.
func Begins(dsl string) (text string, talks bool) {
	b := read.of(dsl)
	return b.text, b.talks
}

// of is how an agent begins. It says nothing while nothing is deployed and its working copy,
// which is being edited, cannot be read.
func (t *startTexts) of(dsl string) beginning {
	source := sha256.Sum256([]byte(dsl))
	t.mu.Lock()
	begins, ok := t.known[source]
	t.mu.Unlock()
	if ok {
		return begins
	}
	if text, err := agents.StartText(dsl); err == nil {
		begins = beginning{text, agents.Talks(dsl)}
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.bytes += len(source) + len(begins.text); t.bytes > mostStartTexts {
		clear(t.known)
		t.bytes = len(source) + len(begins.text)
	}
	t.known[source] = begins
	return begins
}
