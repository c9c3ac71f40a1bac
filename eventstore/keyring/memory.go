package keyring

import (
	"container/list"
	"sync"

	"github.com/parley-platform/parley/eventstore/sealed"
)

// memory keeps the keys that were used last. nil stands for an erased one.
type memory struct {
	most int

	mu     sync.Mutex
	byID   map[sealed.ID]*list.Element // of *remembered
	recent *list.List                  // the last used in front
	erased uint64                      // how many erasures it has heard of
}

type remembered struct {
	id  sealed.ID
	key *sealed.Key
}

func newMemory(most int) *memory {
	return &memory{most: most, byID: map[sealed.ID]*list.Element{}, recent: list.New()}
}

func (m *memory) get(id sealed.ID) (*sealed.Key, bool) {
	m.mu.Lock()
	defer m.mu.Unlock()
	e := m.byID[id]
	if e == nil {
		return nil, false
	}
	m.recent.MoveToFront(e)
	return e.Value.(*remembered).key, true
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

// keep never brings an erased key back.
func (m *memory) keep(id sealed.ID, key *sealed.Key) {
	if e := m.byID[id]; e != nil {
		if r := e.Value.(*remembered); r.key != nil {
			r.key = key
		}
		m.recent.MoveToFront(e)
		return
	}
	m.byID[id] = m.recent.PushFront(&remembered{id, key})
	if m.recent.Len() > m.most {
		last := m.recent.Remove(m.recent.Back()).(*remembered)
		delete(m.byID, last.id)
	}
}
