package channels

import (
	"context"
	"sync"
	"time"

	"github.com/parley-platform/parley/domain/sessions"
	"github.com/parley-platform/parley/domain/threads"
)

// whileNoted is how long the end of a turn waits until its beginning is noted.
const whileNoted = 100 * time.Millisecond

// inHand are the messages that this node gives to sessions at this moment. A turn that is over at once is told of while
// its message is still being noted: whoever hears of it then would give the message once more, and be told that it was.
// A nil one remembers none.
type inHand struct {
	mu sync.Mutex
	of map[numbered]chan struct{}
}

// numbered is a message of a thread.
type numbered struct {
	stream string
	number int
}

// take takes a message in hand until done is called. One that somebody has stays his.
func (x *inHand) take(m numbered) (done func()) {
	if x == nil {
		return func() {}
	}
	x.mu.Lock()
	defer x.mu.Unlock()
	if x.of[m] != nil {
		return func() {}
	}
	over := make(chan struct{})
	x.of[m] = over
	return func() {
		x.mu.Lock()
		defer x.mu.Unlock()
		delete(x.of, m)
		close(over)
	}
}

// while has a message in hand for as long as it is given, be it that this panics.
func (x *inHand) while(m numbered, give func() (bool, error)) (later bool, err error) {
	defer x.take(m)()
	return give()
}

// put waits until a message that somebody has in hand is given, for a moment; false: nobody has, or it takes longer.
func (x *inHand) put(ctx context.Context, m numbered) bool {
	if x == nil {
		return false
	}
	x.mu.Lock()
	over := x.of[m]
	x.mu.Unlock()
	if over == nil {
		return false
	}
	select {
	case <-over:
		return true
	case <-time.After(whileNoted):
	case <-ctx.Done():
	}
	return false
}

// noted is whether a thread knows of a turn of a session, or of a later one. While it does not, the message that waits may be the one
// that the turn was about, and another node be at noting it: who gave it goes on with what came behind it, too.
func noted(s threads.State, session string, turn int) bool {
	return s.Took.Session == sessions.Sessions.StreamID(session) && s.Took.Turn >= turn
}

// awhile waits for as long as a note may take. Nobody is asked meanwhile: where the note comes, that spares the message to be given
// once more, which is some ten questions and often a commit that loses.
func awhile(ctx context.Context) error {
	select {
	case <-time.After(whileNoted):
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}
