package keyring

import (
	"sync"

	"github.com/parley-platform/parley/eventstore/sealed"
)

// fresh is the keys that this node has made and not met on the topic yet. Nobody else
// makes the same id, so the first record of it that is met is the one that was written here, and
// nobody need be asked whether the key was erased before. Whatever comes of it later is asked for.
type fresh struct {
	mu  sync.Mutex
	ids map[sealed.ID]struct{}
}

// mostFresh bounds them where nobody follows the topic: more than that is not on its way.
const mostFresh = 4 * largestLot

func (f *fresh) add(made []Record) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.ids == nil || len(f.ids) > mostFresh {
		f.ids = make(map[sealed.ID]struct{}, len(made))
	}
	for _, r := range made {
		f.ids[r.ID] = struct{}{}
	}
}

// met reports whether a record is the first of such a key.
func (f *fresh) met(id sealed.ID) bool {
	f.mu.Lock()
	defer f.mu.Unlock()
	_, ok := f.ids[id]
	delete(f.ids, id)
	return ok
}

// drop forgets them where the topic could not be followed: it may be another one, from which
// the first record of a key is missing, and others may have read more of it than this node.
func (f *fresh) drop() {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.ids = nil
}
