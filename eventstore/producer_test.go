package eventstore

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/parley-platform/parley/domain/fault"
)

var (
	errLost    = errors.New("no answer")
	errRefused = fmt.Errorf("connection refused: %w", ErrNotWritten)
)

// broker is Batches by a script: each produce takes a while and ends as the next
// answer says, with success when there is none.
type broker struct {
	mu       sync.Mutex
	takes    time.Duration
	answers  []error
	batches  [][]string // commits of each produce, as text
	wire     []string   // bytes of each produce
	at       []place
	inFlight map[place]int
	most     int
	end      map[place]int64
}

func (b *broker) Produce(ctx context.Context, topic string, partition int, records []*Record) (int64, error) {
	p := place{topic, partition}
	b.mu.Lock()
	if b.inFlight == nil {
		b.inFlight, b.end = map[place]int{}, map[place]int64{}
	}
	b.inFlight[p]++
	b.most = max(b.most, b.inFlight[p])
	var commits []string
	bytes := ""
	for _, r := range records {
		commits = append(commits, fmt.Sprint(r.Commit, "/", r.CommitIndex))
		bytes += fmt.Sprintf("%s %s %s\n", r.Stream, r.Headers(), r.Data)
	}
	b.batches, b.wire, b.at = append(b.batches, commits), append(b.wire, bytes), append(b.at, p)
	var answer error
	if len(b.answers) > 0 {
		answer, b.answers = b.answers[0], b.answers[1:]
	}
	b.mu.Unlock()
	select {
	case <-time.After(b.takes):
	case <-ctx.Done():
		answer = ctx.Err()
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	b.inFlight[p]--
	if answer != nil {
		return 0, answer
	}
	base := b.end[p]
	b.end[p] += int64(len(records))
	return base, nil
}

// commitOf makes a commit of n records, each about that many bytes on the log.
func commitOf(name string, n, bytes int) (out []*Record) {
	for i := range n {
		r := &Record{ID: id(fmt.Sprint(name, i)), Type: "t", Stream: "s", Tenant: "acme", Version: int64(i + 1), Commit: name, CommitIndex: i,
			CommitSize: n}
		r.Data = make([]byte, max(0, bytes-r.size()))
		out = append(out, r)
	}
	return out
}

func names(b *broker) (out [][]string) {
	for _, batch := range b.batches {
		out = append(out, slices.Compact(slices.Collect(func(yield func(string) bool) {
			for _, c := range batch {
				yield(c[:len(c)-2])
			}
		})))
	}
	return out
}

// producing runs a test in a bubble with a producer that is closed at its end.
func producing(t *testing.T, b *broker, test func(t *testing.T, p *Producer)) {
	synctest.Test(t, func(t *testing.T) {
		p := NewProducer(b, nil)
		test(t, p)
		p.Close()
	})
}

func appended(t *testing.T, p *Producer, records []*Record) <-chan Ack {
	t.Helper()
	ack, err := p.Append(t.Context(), "topic", 0, records)
	require.NoError(t, err)
	return ack
}

func TestCommitsThatArriveDuringABatchFormTheNextOne(t *testing.T) {
	b := &broker{takes: 50 * time.Millisecond}
	producing(t, b, func(t *testing.T, p *Producer) {
		start := time.Now()
		acks := []<-chan Ack{appended(t, p, commitOf("first", 1, 0))}
		synctest.Wait()
		for i := range 5 {
			acks = append(acks, appended(t, p, commitOf(fmt.Sprint("c", i), 2, 0)))
		}
		require.Equal(t, 5, p.Depth())
		var offsets []int64
		for _, ack := range acks {
			a := <-ack
			require.NoError(t, a.Err)
			require.False(t, a.Resent)
			offsets = append(offsets, a.Offset)
		}
		require.Equal(t, [][]string{{"first"}, {"c0", "c1", "c2", "c3", "c4"}}, names(b), "in the order of Append")
		require.Equal(t, []int64{0, 1, 3, 5, 7, 9}, offsets, "each commit learns its own offset")
		require.Equal(t, 1, b.most, "one batch in flight")
		require.Equal(t, 100*time.Millisecond, time.Since(start), "no timer in between")
		require.Zero(t, p.Depth())
	})
}

func TestPartitionsDoNotWaitForEachOther(t *testing.T) {
	b := &broker{takes: time.Second}
	producing(t, b, func(t *testing.T, p *Producer) {
		start := time.Now()
		var acks []<-chan Ack
		for partition := range 3 {
			ack, err := p.Append(t.Context(), "topic", partition, commitOf("c", 1, 0))
			require.NoError(t, err)
			acks = append(acks, ack)
		}
		for _, ack := range acks {
			require.NoError(t, (<-ack).Err)
		}
		require.Equal(t, time.Second, time.Since(start))
		require.Len(t, b.batches, 3)
	})
}

func TestABatchClosesAt4MiBAndNeverSplitsACommit(t *testing.T) {
	b := &broker{takes: time.Millisecond}
	producing(t, b, func(t *testing.T, p *Producer) {
		appended(t, p, commitOf("first", 1, 0))
		synctest.Wait()
		appended(t, p, commitOf("a", 3, 1<<20))                 // 3 MiB
		appended(t, p, commitOf("b", 1, 1<<20))                 // fits exactly
		appended(t, p, commitOf("c", 2, 1<<20))                 // 2 MiB
		appended(t, p, commitOf("d", 3, 1<<20))                 // would make 5
		last := appended(t, p, commitOf("e", 1, MaxBatchBytes)) // one alone
		require.NoError(t, (<-last).Err)
		require.Equal(t, [][]string{{"first"}, {"a", "b"}, {"c"}, {"d"}, {"e"}}, names(b))
		require.Equal(t, []string{"a/0", "a/1", "a/2", "b/0"}, b.batches[1])
	})
}

func TestACommitThatFitsIntoNoBatchIsRefused(t *testing.T) {
	b := &broker{}
	producing(t, b, func(t *testing.T, p *Producer) {
		_, err := p.Append(t.Context(), "topic", 0, commitOf("large", 1, MaxBatchBytes+1))
		require.True(t, fault.Is(err, fault.TooLarge))
		require.ErrorContains(t, err, fmt.Sprint(MaxBatchBytes+1))
	})
	require.Empty(t, b.batches)
}

func TestAQueueOverItsLimitIsRefused(t *testing.T) {
	b := &broker{takes: time.Second}
	producing(t, b, func(t *testing.T, p *Producer) {
		appended(t, p, commitOf("first", 1, 0))
		synctest.Wait()
		for range MaxQueue {
			appended(t, p, commitOf("c", 1, 0))
		}
		_, err := p.Append(t.Context(), "topic", 0, commitOf("c", 1, 0))
		require.True(t, fault.Is(err, fault.QueueFull))
		_, err = p.Append(t.Context(), "topic", 1, commitOf("c", 1, 0))
		require.NoError(t, err, "another partition has its own queue")
	})
}

func TestWhoeverIsGoneBeforeItsCommitIsSentDidNothing(t *testing.T) {
	b := &broker{takes: time.Second}
	producing(t, b, func(t *testing.T, p *Producer) {
		appended(t, p, commitOf("first", 1, 0))
		synctest.Wait()
		ctx, cancel := context.WithCancel(t.Context())
		gone, err := p.Append(ctx, "topic", 0, commitOf("gone", 1, 0))
		require.NoError(t, err)
		next := appended(t, p, commitOf("next", 1, 0))
		cancel()
		require.True(t, fault.Is((<-gone).Err, fault.NotExecuted))
		require.NoError(t, (<-next).Err)
		require.Equal(t, [][]string{{"first"}, {"next"}}, names(b))
	})
}

func TestACommitCanBeTakenBackUntilItIsSent(t *testing.T) {
	b := &broker{takes: time.Second}
	producing(t, b, func(t *testing.T, p *Producer) {
		first := appended(t, p, commitOf("first", 1, 0))
		synctest.Wait()
		second := appended(t, p, commitOf("second", 1, 0))
		third := appended(t, p, commitOf("third", 1, 0))
		require.False(t, p.withdraw("topic", 0, first), "on its way")
		require.True(t, p.withdraw("topic", 0, second))
		require.False(t, p.withdraw("topic", 0, second), "no longer there")
		require.NoError(t, (<-third).Err)
		require.Equal(t, [][]string{{"first"}, {"third"}}, names(b))
	})
}

func TestABatchGoesOnWhenItsCallersAreGone(t *testing.T) {
	b := &broker{takes: time.Second, answers: []error{errLost}}
	producing(t, b, func(t *testing.T, p *Producer) {
		ctx, cancel := context.WithCancel(t.Context())
		ack, err := p.Append(ctx, "topic", 0, commitOf("c", 1, 0))
		require.NoError(t, err)
		synctest.Wait()
		cancel()
		require.NoError(t, (<-ack).Err, "sent again without its caller, and acknowledged")
		require.Len(t, b.batches, 2)
	})
}

func repeat(err error, n int) (out []error) {
	for range n {
		out = append(out, err)
	}
	return out
}

func TestTheOutcomeOfASend(t *testing.T) {
	closedPartition := fmt.Errorf("the partition count changed: %w: %w", ErrNotWritten, ErrRefused)
	for name, c := range map[string]struct {
		answers []error
		takes   time.Duration
		code    fault.Code
		resent  bool
		tries   int // 0: as many as fit
	}{
		"acknowledged":                      {nil, time.Millisecond, "", false, 1},
		"refused once, then acknowledged":   {[]error{errRefused}, time.Millisecond, "", false, 2},
		"no answer once, then acknowledged": {[]error{errLost}, time.Millisecond, "", true, 2},
		"never written":                     {repeat(errRefused, 99), time.Millisecond, fault.NotExecuted, false, 0},
		"never answered":                    {repeat(errLost, 99), time.Millisecond, fault.OutcomeUnknown, true, 0},
		"one open try among many refused": {append([]error{errRefused, errLost}, repeat(errRefused, 99)...), time.Millisecond,
			fault.OutcomeUnknown, true, 0},
		"no answer at all":                     {nil, time.Hour, fault.OutcomeUnknown, true, 2},
		"repeating is no use":                  {[]error{closedPartition}, time.Millisecond, fault.NotExecuted, false, 1},
		"repeating is no use, after open ones": {[]error{errLost, closedPartition}, time.Millisecond, fault.OutcomeUnknown, true, 2},
	} {
		t.Run(name, func(t *testing.T) {
			b := &broker{answers: c.answers, takes: c.takes}
			var stats []ProduceStats
			synctest.Test(t, func(t *testing.T) {
				p := NewProducer(b, func(s ProduceStats) { stats = append(stats, s) })
				start := time.Now()
				a := <-appended(t, p, commitOf("c", 2, 0))
				require.Equal(t, c.code, fault.CodeOf(a.Err))
				require.Equal(t, c.resent, a.Resent)
				require.LessOrEqual(t, time.Since(start), resendFor+produceTimeout)
				p.Close()
			})
			if c.tries > 0 {
				require.Len(t, b.batches, c.tries)
			} else {
				require.Greater(t, len(b.batches), 10)
			}
			for _, w := range b.wire {
				require.Equal(t, b.wire[0], w, "a resend has the same bytes")
			}
			require.Len(t, stats, 1)
			require.Equal(t, []int{1, 2, len(b.batches)}, []int{stats[0].Commits, stats[0].Records, stats[0].Tries})
			require.Equal(t, c.code != "", stats[0].Err != nil)
		})
	}
}

func TestCloseWritesWhatWaitsAndRefusesTheRest(t *testing.T) {
	b := &broker{takes: time.Second, answers: []error{errRefused}}
	synctest.Test(t, func(t *testing.T) {
		p := NewProducer(b, nil)
		first := appended(t, p, commitOf("first", 1, 0))
		synctest.Wait()
		second := appended(t, p, commitOf("second", 1, 0))
		p.Close()
		require.NoError(t, (<-first).Err)
		require.NoError(t, (<-second).Err)
		_, err := p.Append(t.Context(), "topic", 0, commitOf("third", 1, 0))
		require.True(t, fault.Is(err, fault.NotExecuted))
		p.Close() // a second time is harmless
	})
	require.Equal(t, [][]string{{"first"}, {"first"}, {"second"}}, names(b))
}

func TestCloseOfAnIdleProducerReturns(t *testing.T) {
	b := &broker{}
	producing(t, b, func(t *testing.T, p *Producer) {
		require.NoError(t, (<-appended(t, p, commitOf("c", 1, 0))).Err)
		synctest.Wait()
	})
	NewProducer(b, nil).Close()
}
