package codetool

import "context"

// share is how many children one owner of programs has in use. It is forgotten when it has none,
// and waits for none.
type share struct {
	room  chan struct{} // as many as it may have
	users int
}

// enter waits until the owner of a program may have a child more, and until there is room for it.
// So an owner who wants many waits for its own, and leaves the rest to others. false: neither came
// in time.
func (r *Runner) enter(ctx context.Context, owner string) (leave func(), ok bool) {
	ctx, cancel := context.WithTimeout(ctx, r.o.Patience)
	defer cancel()
	s := r.shareOf(owner)
	for i, room := range []chan struct{}{s.room, r.room} {
		select {
		case room <- struct{}{}:
		case <-ctx.Done():
			if i > 0 {
				<-s.room
			}
			r.release(owner, s)
			return nil, false
		}
	}
	return func() {
		<-r.room
		<-s.room
		r.release(owner, s)
	}, true
}

func (r *Runner) shareOf(owner string) *share {
	r.mu.Lock()
	defer r.mu.Unlock()
	s := r.shares[owner]
	if s == nil {
		s = &share{room: make(chan struct{}, r.o.Share)}
		r.shares[owner] = s
	}
	s.users++
	return s
}

func (r *Runner) release(owner string, s *share) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if s.users--; s.users == 0 {
		delete(r.shares, owner)
	}
}
