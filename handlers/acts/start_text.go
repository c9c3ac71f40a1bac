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
	known map[[sha256.Size]byte]string
	bytes int
}

// mostStartTexts is how many bytes of them are remembered, keys included. Beyond it all are
// forgotten, which costs one reading of each.
const mostStartTexts = 1 << 20

var read = startTexts{known: map[[sha256.Size]byte]string{}}

// startText is what an agent says first. It says nothing while nothing is deployed
// and its working copy, which is being edited, cannot be read.
func startText(dsl string) string { return read.of(dsl) }

func (t *startTexts) of(dsl string) string {
	source := sha256.Sum256([]byte(dsl))
	t.mu.Lock()
	text, ok := t.known[source]
	t.mu.Unlock()
	if ok {
		return text
	}
	text, err := agents.StartText(dsl)
	if err != nil {
		text = ""
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.bytes += len(source) + len(text); t.bytes > mostStartTexts {
		clear(t.known)
		t.bytes = len(source) + len(text)
	}
	t.known[source] = text
	return text
}
