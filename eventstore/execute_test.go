package eventstore_test

import (
	"fmt"
	"strconv"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/parley-platform/parley/domain/event"
	"github.com/parley-platform/parley/domain/fault"
	"github.com/parley-platform/parley/eventstore"
)

// counted counts how often a decision is made.
func counted(n *int64, decide func(notebook) ([]event.Payload, error)) func(notebook) ([]event.Payload, error) {
	return func(s notebook) ([]event.Payload, error) { atomic.AddInt64(n, 1); return decide(s) }
}

// unless refuses while the notebook has that many notes.
func unless(notes int64, decide func(notebook) ([]event.Payload, error)) func(notebook) ([]event.Payload, error) {
	return func(s notebook) ([]event.Payload, error) {
		if s.Notes == notes {
			return nil, refused
		}
		return decide(s)
	}
}

func nothingToDo(notebook) ([]event.Payload, error) { return nil, nil }

func TestAnAcceptedCommandReturnsItsEvents(t *testing.T) {
	onEveryStage(t, func(t *testing.T, s stage) {
		cmd := eventstore.Command{Tenant: "acme", Actor: "user:ann", CorrelationID: "tr-1", CausationID: "e-0", RequestID: "r", RequestHash: "h"}
		got := s.do(0, cmd, note("a", 2))
		require.NoError(t, got.err)
		require.Equal(t, []int64{1, 2}, versions(got.res))
		require.Equal(t, []string{"a", "a"}, texts(got.res))
		require.False(t, got.res.Replayed)
		first, second := got.res.Events[0], got.res.Events[1]
		require.Equal(t, "/parley/n0-1", first.Source)
		require.Equal(t, "parley.notebooks.noted.v1", first.Type)
		require.Equal(t, time.Now().UTC().Truncate(time.Hour), first.Time.Truncate(time.Hour))
		require.Equal(t, []string{"acme", "user:ann", "tr-1", "e-0", "r", "h", ""},
			[]string{first.Tenant, first.Actor, first.CorrelationID, first.CausationID, first.RequestID, first.RequestHash, first.Parent})
		require.Equal(t, []string{"acme", "user:ann", "tr-1", "e-0", "", "", ""},
			[]string{second.Tenant, second.Actor, second.CorrelationID, second.CausationID, second.RequestID, second.RequestHash, second.Parent})
		next := s.do(0, acme(""), note("b", 1))
		require.Equal(t, first.Commit, next.res.Events[0].Parent)
	})
}

func TestWhenItReturnsEveryNodeSeesTheEffect(t *testing.T) {
	onEveryStage(t, func(t *testing.T, s stage) {
		require.NoError(t, s.do(0, acme(""), note("a", 3)).err)
		for node := range 3 {
			got, err := s.seen(node)
			require.NoError(t, err)
			require.EqualValues(t, 3, got.Version)
			require.EqualValues(t, 3, got.State.Notes)
			require.Equal(t, "acme", got.Tenant)
		}
	})
}

func TestCommandsOfAHotStreamGoAsAChain(t *testing.T) {
	played(t, func(t *testing.T, s *scene) {
		// given a first command that is on its way
		decided := int64(0)
		calls := []*told{s.send(0, acme(""), counted(&decided, note("first", 1)))}
		s.reads()
		// when more come before it is acknowledged
		for i := range 5 {
			calls = append(calls, s.send(0, acme(""), counted(&decided, note(fmt.Sprint("c", i), 2))))
		}
		// then they need no read and go out as one batch behind it
		require.Equal(t, 0, s.reads())
		require.Equal(t, 1, s.sends(s.landed))
		require.Equal(t, 1, s.sends(s.landed))
		s.until(calls...)
		parent := ""
		for i, c := range calls {
			require.NoError(t, c.err)
			require.Equal(t, max(1, int64(2*i)), c.res.Events[0].Version)
			require.Equal(t, parent, c.res.Events[0].Parent)
			parent = c.res.Events[0].Commit
		}
		require.EqualValues(t, 6, decided, "each decided once")
	})
}

func TestWhenAChainBreaksAllBehindItAreDecidedAgain(t *testing.T) {
	played(t, func(t *testing.T, s *scene) {
		calls := []*told{s.send(0, acme(""), note("a", 1))}
		s.reads()
		rival := s.do2nd(1, "rival")
		decided := int64(0)
		calls = append(calls, s.send(0, acme(""), counted(&decided, note("b", 1))), s.send(0, acme(""), counted(&decided, note("c", 1))))
		s.until(append(calls, rival)...)
		for _, c := range append(calls, rival) {
			require.NoError(t, c.err)
		}
		require.Equal(t, []int64{1}, versions(rival.res))
		require.GreaterOrEqual(t, decided, int64(4))
	})
}

// do2nd lets a command of another node win against all that wait.
func (s *scene) do2nd(node int, name string) *told {
	x := s.send(node, acme(""), note(name, 1))
	s.reads()
	s.sends(func(k *task) {
		if k.node.no == node {
			s.landed(k)
		}
	})
	return x
}

func TestARefusalOnCachedStateIsDecidedAgainOnTheIndex(t *testing.T) {
	for name, weak := range map[string]func(notebook) ([]event.Payload, error){
		"refusal": unless(1, note("b", 1)),
		"empty": func(n notebook) ([]event.Payload, error) {
			if n.Notes == 1 {
				return nil, nil
			}
			return note("b", 1)(n)
		},
	} {
		t.Run(name, func(t *testing.T) {
			onEveryStage(t, func(t *testing.T, s stage) {
				// given node 0 believes there is one note, and there are two
				require.NoError(t, s.do(0, acme(""), note("a", 1)).err)
				require.NoError(t, s.do(1, acme(""), note("x", 1)).err)
				// then node 0 does not answer what only its cache says
				decided := int64(0)
				got := s.do(0, acme(""), counted(&decided, weak))
				require.NoError(t, got.err)
				require.Equal(t, []int64{3}, versions(got.res))
				require.EqualValues(t, 2, decided)
			})
		})
	}
}

// Given a node that keeps a stream, then what it has to say of it besides a commit is decided once, and the next commit
// goes on from what is kept: the index was only asked whether there is more.
func TestARefusalOnWhatIsKeptAndStillTrueIsDecidedOnce(t *testing.T) {
	played(t, func(t *testing.T, s *scene) {
		require.NoError(t, s.do(0, acme(""), note("a", 1)).err)
		for range 20 { // more often than it is doubted whether others write the stream
			decided := int64(0)
			require.ErrorIs(t, s.do(0, acme(""), counted(&decided, unless(1, note("b", 1)))).err, refused)
			require.EqualValues(t, 1, decided)
		}
		next := s.send(0, acme(""), note("b", 1))
		require.Zero(t, s.reads())
		s.until(next)
		require.NoError(t, next.err)
	})
}

// Given a stream that two nodes write by turns, then each decides once, on what the other wrote; who writes it alone
// again reads it no more.
func TestAStreamOfTwoNodesIsDecidedOnOnce(t *testing.T) {
	played(t, func(t *testing.T, s *scene) {
		require.NoError(t, s.do(0, acme(""), note("a", 1)).err)
		require.NoError(t, s.do(1, acme(""), note("b", 1)).err)
		require.NoError(t, s.do(0, acme(""), note("c", 1)).err) // loses once: nothing said that another writes
		for n := range 6 {
			decided, seen := int64(0), int64(0)
			got := s.do(n%2, acme("key-"+strconv.Itoa(n)), counted(&decided, func(b notebook) ([]event.Payload, error) {
				seen = b.Notes
				return note("d", 1)(b)
			}))
			require.NoError(t, got.err)
			require.EqualValues(t, 1, decided)
			require.EqualValues(t, 3+n, seen)
			again := s.do((n+1)%2, acme("key-"+strconv.Itoa(n)), note("e", 1))
			require.NoError(t, again.err)
			require.True(t, again.res.Replayed, "the other knows the request")
		}
		for range 20 {
			require.NoError(t, s.do(0, acme(""), note("f", 1)).err)
		}
		alone := s.send(0, acme(""), note("g", 1))
		require.Zero(t, s.reads())
		s.until(alone)
		require.NoError(t, alone.err)
	})
}

// Given a node that keeps a stream, then who reads there sees what others wrote since, and has a state of their own.
func TestAReadGoesOnFromWhatIsKept(t *testing.T) {
	played(t, func(t *testing.T, s *scene) {
		read := func(node int) (loaded eventstore.Loaded[notebook]) {
			over := make(chan error, 1)
			go func() {
				var err error
				loaded, err = eventstore.Read(t.Context(), s.nodes[node].store, notebooks, hot)
				over <- err
			}()
			synctest.Wait()
			s.reads()
			require.NoError(t, <-over)
			return loaded
		}
		require.NoError(t, s.do(0, acme(""), note("a", 1)).err)
		require.NoError(t, s.do(1, acme(""), note("b", 2)).err)
		for _, node := range []int{0, 1} {
			loaded := read(node)
			require.EqualValues(t, 3, loaded.Version)
			require.True(t, loaded.State.whole())
			loaded.State.Parts[0] = 100
		}
		require.True(t, read(0).State.whole())
		onItsWay := s.send(0, acme(""), note("c", 1))
		require.EqualValues(t, 3, read(0).Version, "nobody was told of it")
		s.until(onItsWay)
		require.NoError(t, onItsWay.err)
		require.EqualValues(t, 4, read(0).Version)
		require.NoError(t, s.do(0, acme(""), note("d", 1)).err)
		require.True(t, read(0).State.whole())
	})
}

func TestARefusalWaitsForWhatItWasDecidedOn(t *testing.T) {
	played(t, func(t *testing.T, s *scene) {
		// given a commit that is on its way
		first := s.send(0, acme(""), note("a", 1))
		s.reads()
		// when a command is refused because of it
		second := s.send(0, acme(""), unless(1, note("b", 1)))
		s.reads()
		require.False(t, second.over.Load(), "an unconfirmed commit refuses nobody")
		// and it never comes to the log
		for !first.over.Load() {
			s.sends(s.rejected)
			time.Sleep(time.Second)
			synctest.Wait()
		}
		s.until(second)
		require.NoError(t, second.err)
	})
}

func TestARefusalOnTheIndexIsAnsweredAtOnce(t *testing.T) {
	onEveryStage(t, func(t *testing.T, s stage) {
		decided := int64(0)
		got := s.do(0, acme(""), counted(&decided, unless(0, nil)))
		require.ErrorIs(t, got.err, refused)
		require.EqualValues(t, 1, decided)
		require.Zero(t, s.written())
	})
}

func TestTheSameRequestGetsTheFirstResult(t *testing.T) {
	for name, between := range map[string]func(s stage) int{
		"on the same node":       func(stage) int { return 0 },
		"on another node":        func(stage) int { return 1 },
		"after the node's death": func(s stage) int { s.reborn(0); return 0 },
		"after others' commits":  func(s stage) int { s.do(1, acme(""), note("x", 2)); return 0 },
	} {
		t.Run(name, func(t *testing.T) {
			onEveryStage(t, func(t *testing.T, s stage) {
				first := s.do(0, acme("k"), note("a", 2))
				require.NoError(t, first.err)
				node := between(s)
				decided := int64(0)
				again := s.do(node, acme("k"), counted(&decided, note("b", 1)))
				require.NoError(t, again.err)
				require.True(t, again.res.Replayed)
				require.Equal(t, texts(first.res), texts(again.res))
				require.Equal(t, versions(first.res), versions(again.res))
				require.Equal(t, first.res.Events[0].Commit, again.res.Events[0].Commit)
				require.Zero(t, decided, "answered from the accepted events")

				other := acme("k")
				other.RequestHash = "another body"
				require.True(t, fault.Is(s.do(node, other, note("b", 1)).err, fault.Conflict))
				newer := acme("k") // the hash on the log is that of an older version, without a key
				newer.RequestHash, newer.PlainHash = "keyed", "hash"
				require.True(t, s.do(node, newer, note("b", 1)).res.Replayed)
				newer.PlainHash = "another body"
				require.True(t, fault.Is(s.do(node, newer, note("b", 1)).err, fault.Conflict))
			})
		})
	}
}

func TestARequestIsNotAnsweredByItsFirstTryBeforeThatIsConfirmed(t *testing.T) {
	played(t, func(t *testing.T, s *scene) {
		first := s.send(0, acme("k"), note("a", 1))
		s.reads()
		second := s.send(0, acme("k"), note("b", 1))
		other := acme("k")
		other.RequestHash = "another body"
		third := s.send(0, other, note("c", 1))
		require.False(t, second.over.Load() || third.over.Load())
		gone := s.send(0, acme("k"), note("d", 1))
		gone.cancel()
		synctest.Wait()
		require.True(t, fault.Is(gone.err, fault.OutcomeUnknown), "its first try may yet be accepted")
		s.until(first, second, third)
		require.NoError(t, first.err)
		require.NoError(t, second.err)
		require.True(t, second.res.Replayed)
		require.Equal(t, []string{"a"}, texts(second.res))
		require.True(t, fault.Is(third.err, fault.Conflict))
	})
}

func TestTheSameRequestOnTwoNodesAtOnceIsExecutedOnce(t *testing.T) {
	played(t, func(t *testing.T, s *scene) {
		a, b := s.send(0, acme("k"), note("a", 1)), s.send(1, acme("k"), note("b", 1))
		s.reads() // both see that there is nothing yet
		s.until(a, b)
		require.NoError(t, a.err)
		require.NoError(t, b.err)
		require.Equal(t, texts(a.res), texts(b.res))
		require.NotEqual(t, a.res.Replayed, b.res.Replayed)
		require.Len(t, s.db.index[hot], 1)
	})
}

func TestRefusalsAndEmptyDecisionsBindNoKey(t *testing.T) {
	onEveryStage(t, func(t *testing.T, s stage) {
		got := s.do(0, acme("k"), nothingToDo)
		require.NoError(t, got.err)
		require.Empty(t, got.res.Events)
		require.ErrorIs(t, s.do(0, acme("k"), unless(0, nil)).err, refused)
		other := acme("k")
		other.RequestHash = "another body"
		got = s.do(0, other, note("a", 1))
		require.NoError(t, got.err)
		require.False(t, got.res.Replayed)
	})
}

func TestAnotherTenantsStreamIsNotFound(t *testing.T) {
	onEveryStage(t, func(t *testing.T, s stage) {
		require.NoError(t, s.do(0, acme("k"), note("a", 1)).err)
		stranger := eventstore.Command{Tenant: "evil"}
		for node := range 2 { // with the stream in the cache and without
			decided := int64(0)
			got := s.do(node, stranger, counted(&decided, note("b", 1)))
			require.True(t, fault.Is(got.err, fault.NotFound))
			require.Zero(t, decided, "it is not even looked at")
		}
		stranger.RequestID, stranger.RequestHash = "k", "hash"
		require.True(t, fault.Is(s.do(1, stranger, note("b", 1)).err, fault.NotFound))
	})
}

func TestACommandWithoutATenantActsForTheStreamsOwner(t *testing.T) {
	onEveryStage(t, func(t *testing.T, s stage) {
		timer := eventstore.Command{Actor: "timer:expiry"}
		require.True(t, fault.Is(s.do(0, timer, note("a", 1)).err, fault.NotFound), "it opens no stream")
		require.NoError(t, s.do(0, acme(""), note("b", 1)).err)
		got := s.do(1, timer, note("c", 1))
		require.NoError(t, got.err)
		require.Equal(t, "acme", got.res.Events[0].Tenant)
	})
}

func TestASupersededCommandIsDecidedAgain(t *testing.T) {
	played(t, func(t *testing.T, s *scene) {
		decided := int64(0)
		loser := s.send(0, acme(""), counted(&decided, note("a", 1)))
		s.reads()
		winner := s.do2nd(1, "b")
		s.until(loser, winner)
		require.NoError(t, loser.err)
		require.Equal(t, []int64{1}, versions(winner.res))
		require.Equal(t, []int64{2}, versions(loser.res))
		require.EqualValues(t, 2, decided)
	})
}

func TestRetriesAreBounded(t *testing.T) {
	played(t, func(t *testing.T, s *scene) {
		decided := int64(0)
		loser := s.send(0, acme(""), counted(&decided, note("a", 1)))
		for i := int64(0); !loser.over.Load(); i++ { // somebody else is always first
			s.reads()
			if atomic.LoadInt64(&decided) > i {
				rival := s.do2nd(1, fmt.Sprint("rival", i))
				s.until(rival)
				continue
			}
			i--
			s.round()
			time.Sleep(10 * time.Millisecond)
			synctest.Wait()
		}
		require.True(t, fault.Is(loser.err, fault.NotExecuted))
		require.EqualValues(t, eventstore.MaxAttempts, decided)
	})
}

func TestACommandWithoutACorrelationCarriesOnTheStreams(t *testing.T) {
	onEveryStage(t, func(t *testing.T, s stage) {
		begun := acme("")
		begun.CorrelationID = "tr-1"
		first := s.do(0, begun, note("a", 1))
		require.NoError(t, first.err)
		for node := range 2 { // with the stream in the cache and without
			got := s.do(node, eventstore.Command{Actor: "reactor:dialer"}, note("b", 1))
			require.NoError(t, got.err)
			require.Equal(t, "tr-1", got.res.Events[0].CorrelationID)
			require.Equal(t, first.res.Events[0].ID, got.res.Events[0].CausationID)
			first = got
		}
		named := acme("")
		named.CorrelationID = "tr-2"
		require.Equal(t, "tr-2", s.do(0, named, note("c", 1)).res.Events[0].CorrelationID)
	})
}

func TestANewStreamIsNotReadBeforeTheFirstTry(t *testing.T) {
	played(t, func(t *testing.T, s *scene) {
		fresh := acme("")
		fresh.New = true
		made := s.send(0, fresh, note("a", 1))
		require.Zero(t, s.reads())
		s.until(made)
		require.NoError(t, made.err)
		require.Equal(t, []int64{1}, versions(made.res))

		mistaken := s.do(1, fresh, note("b", 1)) // it was not new after all
		require.NoError(t, mistaken.err)
		require.Equal(t, []int64{2}, versions(mistaken.res))
	})
}

func TestARefusalOfANewStreamIsDecidedOnTheIndex(t *testing.T) {
	onEveryStage(t, func(t *testing.T, s stage) {
		require.NoError(t, s.do(0, acme(""), note("a", 3)).err)
		fresh := acme("")
		fresh.New = true
		seen := []int64{}
		got := s.do(1, fresh, func(n notebook) ([]event.Payload, error) {
			seen = append(seen, int64(n.Notes))
			return nil, refused
		})
		require.ErrorIs(t, got.err, refused)
		require.Equal(t, []int64{0, 3}, seen)
	})
}
