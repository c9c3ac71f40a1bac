package keyring

import (
	"sync"

	"github.com/parley-platform/parley/eventstore/sealed"
)

// memory keeps the keys that were used last.
type memory struct {
	most int

	mu     sync.Mutex
	byID   map[sealed.ID]*remembered
	recent remembered // the ring of them begins and ends here: behind it is the last used
	erased uint64     // how many erasures it has heard of
}

// remembered is one of them. Its key does not change, so it is given as it stands here.
type remembered struct {
	before, behind *remembered
	gone           bool // the key is erased, and is not here
	key            sealed.Key
}

func newMemory(most int) *memory {
	m := &memory{most: most}
	m.clear()
	return m
}

// get is nil for a key that is erased, and false for one that is not known.
func (m *memory) get(id sealed.ID) (*sealed.Key, bool) {
	m.mu.Lock()
	defer m.mu.Unlock()
	r := m.byID[id]
	if r == nil {
		return nil, false
	}
	m.use(r)
	if r.gone {
		return nil, true
	}
	return &r.key, true
}

// mark is a moment, for putSince.
func (m *memory) mark() uint64 {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.erased
}

// putSince keeps what was looked up after a mark, unless some key was erased meanwhile: it
// may be that one, and is looked up again when it is needed.
func (m *memory) putSince(mark uint64, id sealed.ID, key *sealed.Key) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if mark == m.erased || key == nil {
		m.keep(id, key)
	}
}

func (m *memory) put(id sealed.ID, key *sealed.Key) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.keep(id, key)
}

// erase forgets a key for good.
func (m *memory) erase(id sealed.ID) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.erased++
	m.keep(id, nil)
}

// forget forgets all: erasures may have been missed.
func (m *memory) forget() {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.erased++
	m.clear()
}

func (m *memory) clear() {
	m.byID = map[sealed.ID]*remembered{}
	m.recent.before, m.recent.behind = &m.recent, &m.recent
}

// keep never brings an erased key back.
func (m *memory) keep(id sealed.ID, key *sealed.Key) {
	old := m.byID[id]
	if old != nil && (key != nil || old.gone) { // it is that key, or is gone already
		m.use(old)
		return
	}
	r := &remembered{gone: key == nil, key: sealed.Key{ID: id}}
	if key != nil {
		r.key = *key
	}
	if old != nil { // who was given its key may still have it
		old.leave()
	}
	m.byID[id] = r
	r.enter(&m.recent)
	if len(m.byID) > m.most {
		last := m.recent.before
		last.leave()
		delete(m.byID, last.key.ID)
	}
}

func (m *memory) use(r *remembered) {
	if m.recent.behind != r {
		r.leave()
		r.enter(&m.recent)
	}
}

func (r *remembered) enter(behind *remembered) {
	r.before, r.behind = behind, behind.behind
	r.before.behind, r.behind.before = r, r
}

func (r *remembered) leave() { r.before.behind, r.behind.before = r.behind, r.before }
