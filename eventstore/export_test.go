package eventstore

// Here the index is asked for nearly all requests.
func init() { requestsKept, mostRead, mostCollected, recentFirst = 1, 3, 4, 4 }

// MaxAttempts is how often a command is decided at most.
const MaxAttempts = maxAttempts

// Peek is the state that a node's cache has of a stream, for the ablation that answers
// from it.
func Peek[S any](s *Store, stream string) (state S, known bool) {
	e := entryOf[S](s.cache, stream, s.Follower.Epoch())
	e.turn <- struct{}{}
	defer e.pass()
	if e.loaded {
		state = *e.state
	}
	return state, e.loaded
}
