package slices

import (
	"container/list"
	"crypto/sha256"
	"encoding/json"
	"sync"
	"time"

	"github.com/parley-platform/parley/domain/sessions"
	"github.com/parley-platform/parley/handlers/acts/driving"
)

// mostCached is how many bytes of results a node keeps, of all tenants together; with more of
// them, those go that were not asked for longest.
const mostCached = 32 << 20

// toolResults are what tools with CACHE answered, on this node alone: what it saves is requests,
// and a node that has none makes one. It may be used by many goroutines.
type toolResults struct {
	now  func() time.Time
	most int

	mu    sync.Mutex
	bytes int
	byKey map[resultKey]*list.Element
	used  list.List // the first of them was asked for last
}

type resultKey [sha256.Size]byte

type toolResult struct {
	key   resultKey
	ended sessions.CallEnded
	until time.Time
}

func newToolResults(now func() time.Time) *toolResults {
	return &toolResults{now: now, most: mostCached, byKey: map[resultKey]*list.Element{}}
}

// or is what was answered to the same, else what call answers now. The same is: for the same
// project and environment, with everything that goes out, secrets among it. A failure is not kept.
func (r *toolResults) or(of driving.Asking, sent any, call func() sessions.CallEnded) sessions.CallEnded {
	if of.Tool.Cache <= 0 || of.Tool.Write {
		return call()
	}
	said, err := json.Marshal([]any{of.Tenant, of.Project, of.Environment, of.Tool.Kind, sent})
	if err != nil {
		return call()
	}
	key := resultKey(sha256.Sum256(said))
	if kept, ok := r.get(key); ok {
		return kept
	}
	ended := call()
	if ended.Outcome == sessions.CallOK {
		r.put(key, ended, of.Tool.Cache)
	}
	return ended
}

func (r *toolResults) get(key resultKey) (ended sessions.CallEnded, ok bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	e := r.byKey[key]
	if e == nil {
		return ended, false
	}
	kept := e.Value.(*toolResult)
	if !r.now().Before(kept.until) {
		r.drop(e)
		return ended, false
	}
	r.used.MoveToFront(e)
	return sessions.CallEnded{Outcome: sessions.CallOK, Result: append(json.RawMessage(nil), kept.ended.Result...)}, true
}

func (r *toolResults) put(key resultKey, ended sessions.CallEnded, good time.Duration) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if e := r.byKey[key]; e != nil {
		r.drop(e)
	}
	r.byKey[key] = r.used.PushFront(&toolResult{key, ended, r.now().Add(good)})
	r.bytes += size(ended)
	for r.bytes > r.most {
		r.drop(r.used.Back())
	}
}

func (r *toolResults) drop(e *list.Element) {
	kept := r.used.Remove(e).(*toolResult)
	delete(r.byKey, kept.key)
	r.bytes -= size(kept.ended)
}

// size counts what is around a result too.
func size(e sessions.CallEnded) int { return len(e.Result) + 512 }
