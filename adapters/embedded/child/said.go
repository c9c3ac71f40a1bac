package child

import (
	"bytes"
	"sync"
)

// Said keeps the beginning of what a program says, for who has to tell why it failed.
type Said struct {
	Most int // bytes that are kept

	mu  sync.Mutex
	all bytes.Buffer
}

// Write keeps what there is room for.
func (s *Said) Write(b []byte) (int, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.all.Write(b[:min(len(b), s.Most-s.all.Len())])
	return len(b), nil
}

// String is what was kept.
func (s *Said) String() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.all.String()
}
