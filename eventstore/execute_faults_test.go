package eventstore_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/parley-platform/parley/domain/event"
	"github.com/parley-platform/parley/domain/fault"
	"github.com/parley-platform/parley/eventstore"
)

func TestNothingIsServedWhileTheGateIsShut(t *testing.T) {
	played(t, func(t *testing.T, s *scene) {
		require.NoError(t, s.do(0, acme("k"), note("a", 1)).err)
		s.nodes[0].open = false
		for _, cmd := range []eventstore.Command{acme(""), acme("k")} {
			got := s.send(0, cmd, note("b", 1))
			require.True(t, fault.Is(got.err, fault.CatchingUp))
		}
		_, err := eventstore.Read(t.Context(), s.nodes[0].store, notebooks, hot)
		require.True(t, fault.Is(err, fault.CatchingUp))
	})
}

func TestAnotherEpochVoidsWhatANodeKnew(t *testing.T) {
	played(t, func(t *testing.T, s *scene) {
		require.NoError(t, s.do(0, acme(""), note("a", 1)).err)
		cached := s.send(0, acme(""), note("b", 1))
		require.Zero(t, s.reads(), "the state is cached")
		s.until(cached)
		s.mu.Lock()
		s.crash()
		s.mu.Unlock()
		s.projected()
		s.looked()
		s.projected()
		s.looked()
		after := s.send(0, acme(""), note("c", 1))
		require.Equal(t, 1, s.reads(), "the state is read again")
		s.until(after)
		require.NoError(t, after.err)
	})
}

func TestWhatWasReadAfterPostgresWentBackIsNotAnswered(t *testing.T) {
	played(t, func(t *testing.T, s *scene) {
		require.NoError(t, s.do(0, acme(""), note("a", 1)).err)
		var queryErr error
		go func() { _, queryErr = eventstore.Read(t.Context(), s.nodes[1].store, notebooks, hot) }()
		refusal := s.send(1, acme(""), unless(0, note("b", 1))) // both passed the gate, neither has read
		time.Sleep(10 * time.Millisecond)                       // nor does the query wait for the command any more
		s.mu.Lock()
		s.hist = s.hist[:1]
		s.crash() // and now there is no note
		s.mu.Unlock()
		s.reads()
		time.Sleep(time.Second)
		synctest.Wait()
		require.True(t, fault.Is(queryErr, fault.CatchingUp))
		require.True(t, fault.Is(refusal.err, fault.CatchingUp))
	})
}

// Given a stream that answered more requests than are kept of it, when Postgres goes back while the index is asked for one, then that
// it knows none proves nothing.
func TestAnOldRequestThatPostgresLostIsNotTakenForNew(t *testing.T) {
	played(t, func(t *testing.T, s *scene) {
		for i := range 8 {
			require.NoError(t, s.do(0, acme(fmt.Sprint("r", i)), note("a", 1)).err)
		}
		again := s.send(0, acme("r3"), note("b", 1)) // the state is cached, the request is not
		s.mu.Lock()
		s.hist = s.hist[:1]
		s.crash()
		s.mu.Unlock()
		require.Equal(t, 1, s.reads())
		time.Sleep(time.Second)
		synctest.Wait()
		require.True(t, fault.Is(again.err, fault.CatchingUp), "%v", again.err)
	})
}

func TestANoThatWasHeardWhilePostgresWentBackProvesNothing(t *testing.T) {
	played(t, func(t *testing.T, s *scene) {
		call := s.send(0, acme(""), note("a", 1))
		s.reads()
		s.sends(s.landed)
		s.projectors = []*projector{{t: s.twin, node: 2}} // another node projects it
		s.projected()
		s.looked() // node 0 goes to ask who holds version 1
		require.False(t, call.over.Load())
		s.mu.Lock()
		s.hist = s.hist[:1]
		s.crash()
		s.mu.Unlock()
		require.Equal(t, 1, s.reads())
		require.True(t, fault.Is(call.err, fault.OutcomeUnknown))
	})
}

func TestAnUnknownOutcomeIsSettledByTheSameKey(t *testing.T) {
	for name, lands := range map[string]bool{"it landed": true, "it never did": false} {
		t.Run(name, func(t *testing.T) {
			played(t, func(t *testing.T, s *scene) {
				first := s.send(0, acme("k"), note("a", 1))
				s.reads()
				for !first.over.Load() { // no try is ever answered
					s.sends(s.held)
					time.Sleep(time.Second)
					synctest.Wait()
				}
				require.True(t, fault.Is(first.err, fault.OutcomeUnknown))
				if !lands {
					s.late = nil
				}
				second := s.send(1, acme("k"), note("b", 1))
				s.reads()
				for len(s.late) > 0 { // before the second try does
					s.landLate()
				}
				s.until(second)
				require.NoError(t, second.err)
				require.Equal(t, lands, second.res.Replayed)
				require.Len(t, s.db.index[hot], 1, "executed once")
			})
		})
	}
}

func TestTheVerdictIsAskedByCommitIDNotByOffset(t *testing.T) {
	played(t, func(t *testing.T, s *scene) {
		// given a commit whose first landing was not acknowledged
		decided := int64(0)
		call := s.send(0, acme(""), counted(&decided, note("a", 2)))
		s.reads()
		s.sends(s.ackLost)
		// when the acknowledgement is that of a duplicate
		time.Sleep(time.Second)
		synctest.Wait()
		require.Equal(t, 1, s.sends(s.landed))
		s.until(call)
		// then it is accepted all the same, once
		require.NoError(t, call.err)
		require.EqualValues(t, 1, decided)
		require.Equal(t, []int64{1, 2}, versions(call.res))
		require.Len(t, s.log, 5)
		require.Len(t, s.db.index[hot], 2)
	})
}

// heldChain brings about a chain of two commits of which the first is held up until
// its node gives up, and the second was sent twice and is asked about.
func (s *scene) heldChain(t *testing.T) *told {
	first := s.send(0, acme(""), note("a", 1))
	s.reads()
	second := s.send(0, acme(""), note("b", 1))
	for !first.over.Load() {
		s.sends(func(k *task) {
			if len(s.late) == 0 {
				s.held(k)
			} else {
				s.finish(k, 0, errLost)
			}
		})
		time.Sleep(time.Second)
		synctest.Wait()
	}
	require.True(t, fault.Is(first.err, fault.OutcomeUnknown))
	for s.sends(s.held) == 0 {
		time.Sleep(time.Second)
		synctest.Wait()
	}
	time.Sleep(time.Second)
	synctest.Wait()
	require.Equal(t, 1, s.sends(s.landed))
	s.projected()
	s.looked()
	require.Equal(t, 1, s.reads(), "it was not accepted: its head has not come")
	require.False(t, second.over.Load())
	return second
}

func (s *scene) allLateLands() {
	s.mu.Lock()
	for _, m := range s.late {
		s.land(m, len(m))
	}
	s.late = nil
	s.mu.Unlock()
	s.projected()
	s.looked()
}

func TestACommitThatMayYetBeAcceptedIsNotDecidedAgain(t *testing.T) {
	played(t, func(t *testing.T, s *scene) {
		second := s.heldChain(t)
		s.until(second)
		require.True(t, fault.Is(second.err, fault.OutcomeUnknown))
		s.allLateLands() // and now both are accepted
		require.Len(t, s.db.index[hot], 2)
	})
}

func TestACommitThatIsAcceptedLateAfterAllIsAnswered(t *testing.T) {
	played(t, func(t *testing.T, s *scene) {
		second := s.heldChain(t)
		s.allLateLands()
		s.until(second)
		require.NoError(t, second.err)
		require.Equal(t, []int64{2}, versions(second.res))
		require.Len(t, s.db.index[hot], 2)
	})
}

func TestAPanicInADecisionLeavesTheStreamToOthers(t *testing.T) {
	played(t, func(t *testing.T, s *scene) {
		require.NoError(t, s.do(0, acme(""), note("a", 1)).err)
		require.PanicsWithValue(t, "oh", func() {
			_, _ = eventstore.Execute(t.Context(), s.nodes[0].store, notebooks, hot, acme(""),
				func(notebook) ([]event.Payload, error) { panic("oh") })
		})
		require.NoError(t, s.do(0, acme(""), note("b", 1)).err)
	})
}

func TestNobodyWaitsLongerForTheIndexThanHeHasTime(t *testing.T) {
	played(t, func(t *testing.T, s *scene) {
		reader := s.send(0, acme(""), note("a", 1)) // its read hangs
		behind := s.send(0, acme(""), note("b", 1))
		behind.cancel()
		synctest.Wait()
		require.True(t, fault.Is(behind.err, fault.NotExecuted))
		s.until(reader)
		require.NoError(t, reader.err)
	})
}

func TestACallerWhoLeavesTheQueueDidNothing(t *testing.T) {
	played(t, func(t *testing.T, s *scene) {
		first := s.send(0, acme(""), note("a", 1))
		s.reads()
		waiting := s.send(0, acme(""), note("b", 1))
		waiting.cancel()
		synctest.Wait()
		require.True(t, fault.Is(waiting.err, fault.NotExecuted), "its change was never sent")
		first.cancel()
		synctest.Wait()
		require.True(t, fault.Is(first.err, fault.OutcomeUnknown), "its change was")
		s.finishAll()
		require.Len(t, s.db.index[hot], 1)
	})
}

func TestALogThatRefusesExecutesNothing(t *testing.T) {
	played(t, func(t *testing.T, s *scene) {
		call := s.send(0, acme(""), note("a", 1))
		s.reads()
		for !call.over.Load() {
			s.sends(s.rejected)
			time.Sleep(time.Second)
			synctest.Wait()
		}
		require.True(t, fault.Is(call.err, fault.NotExecuted))
		require.Equal(t, []int64{1}, versions(s.do(0, acme(""), note("b", 1)).res), "and the stream is as it was")
	})
}

func TestWhatReadersWouldSkipIsNotWritten(t *testing.T) {
	onEveryStage(t, func(t *testing.T, s stage) {
		for name, cmd := range map[string]eventstore.Command{
			"ce_actor":         {Tenant: "acme", Actor: "user:\xff"},
			"ce_tenant":        {Tenant: "ac\x00me"},
			"ce_correlationid": {Tenant: "acme", CorrelationID: strings.Repeat("x", eventstore.MaxAttribute+1)},
		} {
			got := s.do(0, cmd, note("a", 1))
			require.True(t, fault.Is(got.err, fault.BadRequest), name)
			require.ErrorContains(t, got.err, name)
		}
		large := s.do(0, acme(""), note(strings.Repeat("x", eventstore.MaxBatchBytes), 1))
		require.True(t, fault.Is(large.err, fault.TooLarge))
		require.Equal(t, []int64{1}, versions(s.do(0, acme(""), note("b", 1)).res), "and the stream is as it was")
	})
}

// patient is a Follower, Index and Topology that fail as they are told.
type patient struct {
	*node
	wait, load, count error
}

func (p *patient) Expect(string, int, string, int64, string) eventstore.Expectation { return p }
func (p *patient) Wait(context.Context, int64) (bool, error)                        { return p.wait == nil, p.wait }
func (p *patient) Produce(context.Context, string, int, []*eventstore.Record) (int64, error) {
	time.Sleep(time.Millisecond)
	return 0, nil
}
func (p *patient) Cancel()                                                    {}
func (p *patient) Load(context.Context, string) ([]*eventstore.Record, error) { return nil, p.load }
func (p *patient) Partitions(string) (int, error)                             { return 1, p.count }

func TestFailuresAroundTheStoreAreTold(t *testing.T) {
	boom := errors.New("boom")
	for name, c := range map[string]struct {
		p    patient
		code fault.Code
	}{
		"all is well":                  {patient{}, ""},
		"the index cannot be read":     {patient{load: boom}, fault.NotExecuted},
		"the index says why":           {patient{load: catchingUp}, fault.CatchingUp},
		"the topic is not open":        {patient{count: boom}, fault.NotExecuted},
		"the read models do not come":  {patient{wait: context.DeadlineExceeded}, fault.OutcomeUnknown},
		"a read model cannot take it":  {patient{wait: fault.New(fault.ProjectionFailed, "contacts")}, fault.ProjectionFailed},
		"the read models are in doubt": {patient{wait: boom}, fault.OutcomeUnknown},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				c.p.node = newTwin(1, nothing, 1).nodes[0]
				var seen []eventstore.Stats
				s := eventstore.New(eventstore.Config{Node: "n", Batches: &c.p, Index: &c.p, Follower: &c.p, Topology: &c.p,
					Observe: func(x eventstore.Stats) { seen = append(seen, x) }})
				res, err := eventstore.Execute(t.Context(), s, notebooks, hot, acme(""), note("a", 2))
				require.Equal(t, c.code, fault.CodeOf(err))
				require.Zero(t, s.QueueDepth())
				s.Close()
				require.Len(t, seen, 1)
				require.Equal(t, eventstore.Stats{Category: "notebooks", Attempts: 1, Events: res.Events, Took: seen[0].Took, Err: err}, seen[0])
				require.Equal(t, c.code == "", len(res.Events) == 2)
			})
		})
	}
}
