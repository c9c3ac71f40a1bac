package tokens

import "sync"

// bounded is a memory of at most so many things. Which one has to go for another does not matter: it only costs
// its owner one reading, or one fetch.
type bounded[K comparable, V any] struct {
	most int

	mu  sync.Mutex
	all map[K]V
}

// get gives what is remembered; else the zero value.
func (b *bounded[K, V]) get(name K) (V, bool) {
	b.mu.Lock()
	defer b.mu.Unlock()
	have, ok := b.all[name]
	return have, ok
}

func (b *bounded[K, V]) put(name K, v V) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.all == nil {
		b.all = map[K]V{}
	}
	if _, have := b.all[name]; !have && len(b.all) >= b.most {
		for other := range b.all {
			delete(b.all, other)
			break
		}
	}
	b.all[name] = v
}
