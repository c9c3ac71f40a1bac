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
// and a node that has none makes one. Whom a result is about nobody knows, so all are forgotten when
// anybody is erased. It may be used by many goroutines.
type toolResults struct {
	now      func() time.Time
	erasures func() uint64 // that the node has heard of
	most     int

	mu    sync.Mutex
	since uint64 // the erasures behind which all of these were answered
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

func newToolResults(now func() time.Time, erasures func() uint64) *toolResults {
	return &toolResults{now: now, erasures: erasures, most: mostCached, byKey: map[resultKey]*list.Element{}}
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
	asked := r.erasures()
	ended := call()
	if ended.Outcome == sessions.CallOK {
		r.put(key, ended, of.Tool.Cache, asked)
	}
	return ended
}

func (r *toolResults) get(key resultKey) (ended sessions.CallEnded, ok bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.forget()
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

// put keeps what was answered, unless somebody was erased since it was asked for.
func (r *toolResults) put(key resultKey, ended sessions.CallEnded, good time.Duration, asked uint64) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.forget()
	if asked != r.since {
		return
	}
	if e := r.byKey[key]; e != nil {
		r.drop(e)
	}
	r.byKey[key] = r.used.PushFront(&toolResult{key, ended, r.now().Add(good)})
	r.bytes += size(ended)
	for r.bytes > r.most {
		r.drop(r.used.Back())
	}
}

func (r *toolResults) forget() {
	if now := r.erasures(); now != r.since {
		r.since, r.bytes, r.byKey = now, 0, map[resultKey]*list.Element{}
		r.used.Init()
	}
}

func (r *toolResults) drop(e *list.Element) {
	kept := r.used.Remove(e).(*toolResult)
	delete(r.byKey, kept.key)
	r.bytes -= size(kept.ended)
}

// size counts what is around a result too.
func size(e sessions.CallEnded) int { return len(e.Result) + 512 }
