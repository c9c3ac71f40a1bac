//go:build apache

package engine_test

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"sync"
	"testing"
	"time"

	kafkago "github.com/segmentio/kafka-go"
	"github.com/stretchr/testify/require"

	"github.com/parley-platform/parley/adapters/embedded/embeddedtest"
	"github.com/parley-platform/parley/adapters/kafka/kafkatest"
	"github.com/parley-platform/parley/domain/fault"
	"github.com/parley-platform/parley/eventstore"
	"github.com/parley-platform/parley/projections/engine/enginetest"
)

// ordered are commands that writers repeat, each with its own key, until they are
// acknowledged, and what became of them.
type ordered struct {
	mu       sync.Mutex
	acked    map[string]string // request id to counter
	refused  map[fault.Code]int
	hasty    int // refusals that do not say when to try again
	odd      []error
	latest   map[fault.Code]error // one of each kind, for the message of a failure
	last     time.Time
	longest  time.Duration
	stopping chan struct{}
	writers  sync.WaitGroup
}

func order(n *enginetest.Node, t *testing.T, writers int) *ordered {
	t.Helper()
	o := &ordered{acked: map[string]string{}, refused: map[fault.Code]int{}, latest: map[fault.Code]error{}, stopping: make(chan struct{}),
		last: time.Now()}
	for w := range writers {
		o.writers.Add(1)
		go func() {
			defer o.writers.Done()
			for i := 0; !o.stopped(); i++ {
				o.command(t, n, fmt.Sprintf("w%d-%d", w, i/8), fmt.Sprintf("request-%d-%d", w, i))
				time.Sleep(30 * time.Millisecond) // the machine is that of three brokers too, which are to come back
			}
		}()
	}
	return o
}

// command repeats until it is acknowledged: one that has been begun is always ended.
func (o *ordered) command(t *testing.T, n *enginetest.Node, id, request string) {
	for {
		_, err := n.Add(t, id, 1, request)
		o.note(id, request, err)
		if err == nil {
			return
		}
		time.Sleep(time.Duration(20+rand.IntN(60)) * time.Millisecond) // a client's own pause
	}
}

func (o *ordered) note(id, request string, err error) {
	o.mu.Lock()
	defer o.mu.Unlock()
	code := fault.CodeOf(err)
	switch {
	case err == nil:
		o.acked[request] = id
		o.longest = max(o.longest, time.Since(o.last))
		o.last = time.Now()
	case code == fault.NotExecuted || code == fault.OutcomeUnknown || code == fault.CatchingUp:
		o.refused[code]++
		o.latest[code] = err
		if f := new(fault.Error); !errors.As(err, &f) || f.Retry <= 0 {
			o.hasty++
		}
	default:
		o.odd = append(o.odd, err)
	}
}

func (o *ordered) count() int {
	o.mu.Lock()
	defer o.mu.Unlock()
	return len(o.acked)
}

func (o *ordered) refusals(code fault.Code) int {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.refused[code]
}

// more waits for so many further acknowledgements.
func (o *ordered) more(t *testing.T, commands int) {
	t.Helper()
	want := o.count() + commands
	defer func() {
		if t.Failed() {
			o.mu.Lock()
			defer o.mu.Unlock()
			t.Logf("refused %v, last %v", o.refused, o.latest)
		}
	}()
	require.Eventually(t, func() bool { return o.count() >= want }, time.Minute, 10*time.Millisecond, "acknowledgements go on")
}

func (o *ordered) stopped() bool {
	select {
	case <-o.stopping:
		return true
	default:
		return false
	}
}

// settle lets the writers end what they began and compares: each acknowledged command
// is on the log once and in the read model, and its key replays.
func (o *ordered) settle(t *testing.T, n *enginetest.Node) {
	t.Helper()
	close(o.stopping)
	o.writers.Wait()
	require.Empty(t, o.odd)
	require.Zero(t, o.hasty, "each refusal says when to try again")
	t.Logf("%d acknowledged, refused %v, longest time without an acknowledgement %s", len(o.acked), o.refused,
		o.longest.Round(time.Millisecond))
	want := map[string]int{}
	for _, id := range o.acked {
		want[enginetest.Counters.Stream(id)]++
	}
	require.Equal(t, want, onLog(n, t), "acknowledged commands and the accepted ones on the log, by stream")
	replays := 0
	for request, id := range o.acked {
		if replays++; replays > 100 {
			break
		}
		res, err := n.Add(t, id, 1, request)
		require.NoError(t, err)
		require.True(t, res.Replayed, request)
		require.Equal(t, want[enginetest.Counters.Stream(id)], n.Total(t, id))
	}
}

// onLog folds the log from its beginning and counts the accepted events by stream.
func onLog(n *enginetest.Node, t *testing.T) map[string]int {
	t.Helper()
	ends, err := n.Log.Ends(t.Context())
	require.NoError(t, err)
	out, heads := map[string]int{}, eventstore.HeadMap{}
	for partition, end := range ends[enginetest.Counters.Topic()] {
		for next := int64(0); next < end; {
			got, err := n.Log.Fetch(t.Context(), enginetest.Counters.Topic(), partition, next)
			require.NoError(t, err)
			judged := eventstore.Arbitrate(heads, got.Entries)
			for _, commit := range judged.Accepted {
				for _, e := range commit {
					out[e.Record.Stream]++
				}
			}
			require.Greater(t, judged.Next, next)
			next = judged.Next
		}
	}
	return out
}

// inSync waits until every partition has a leader and all its replicas.
func inSync(t *testing.T, c *kafkatest.Cluster, n *enginetest.Node) {
	t.Helper()
	require.NoError(t, c.WaitReady(t.Context(), 3))
	require.Eventually(t, func() bool {
		m, err := n.Log.Client().Metadata(t.Context(), &kafkago.MetadataRequest{Topics: []string{enginetest.Counters.Topic()}})
		if err != nil || len(m.Topics) != 1 || len(m.Topics[0].Partitions) != enginetest.Counters.Partitions {
			return false
		}
		for _, p := range m.Topics[0].Partitions {
			if p.Error != nil || len(p.Isr) != 3 {
				return false
			}
		}
		return true
	}, time.Minute, 100*time.Millisecond, "all replicas are in sync")
}

func leaderOf(t *testing.T, c *kafkatest.Cluster, partition int) (leader int) {
	t.Helper()
	require.Eventually(t, func() (ok bool) {
		var err error
		leader, err = c.Leader(t.Context(), enginetest.Counters.Topic(), partition)
		return err == nil
	}, time.Minute, 50*time.Millisecond)
	return leader
}

// Given three brokers, replication factor 3 and min.insync.replicas=2, and writers who
// repeat what was refused, then no fault of a broker loses or doubles a command.
func TestThreeBrokersUnderFaults(t *testing.T) {
	t.Parallel()
	c := kafkatest.Start(t, kafkatest.Options{Brokers: 3, Owned: true})
	for _, x := range []struct {
		name  string
		fault func(t *testing.T, c *kafkatest.Cluster, n *enginetest.Node, o *ordered)
	}{
		{"the leader is killed", leaderKilled},
		{"each broker is restarted in its turn", rollingRestart},
		{"the leader stands still for 15 s", leaderPaused},
		{"two of three are down", twoDown},
		{"a new leader cuts off what was not acknowledged", unacknowledgedTruncated},
	} {
		t.Run(x.name, func(t *testing.T) {
			removeCounters(t, c)
			n := enginetest.Start(t, "a", c.Addresses(), embeddedtest.Database(t))
			inSync(t, c, n)
			o := order(n, t, 6)
			o.more(t, 60)
			x.fault(t, c, n, o)
			o.more(t, 60)
			inSync(t, c, n)
			o.settle(t, n)
		})
	}
}

func leaderKilled(t *testing.T, c *kafkatest.Cluster, n *enginetest.Node, o *ordered) {
	leader := leaderOf(t, c, 0)
	require.NoError(t, c.Kill(leader))
	o.more(t, 200)
	require.NotEqual(t, leader, leaderOf(t, c, 0))
	require.NoError(t, c.Restart(t.Context(), leader))
}

func rollingRestart(t *testing.T, c *kafkatest.Cluster, n *enginetest.Node, o *ordered) {
	for broker := range c.Addresses() {
		require.NoError(t, c.Restart(t.Context(), broker))
		inSync(t, c, n)
		o.more(t, 60)
	}
}

func leaderPaused(t *testing.T, c *kafkatest.Cluster, n *enginetest.Node, o *ordered) {
	leader := leaderOf(t, c, 0)
	require.NoError(t, c.Pause(leader))
	time.Sleep(15 * time.Second) // the fault itself
	o.more(t, 60)
	require.NoError(t, c.Resume(leader))
	inSync(t, c, n)
}

func twoDown(t *testing.T, c *kafkatest.Cluster, n *enginetest.Node, o *ordered) {
	require.NoError(t, c.Kill(0))
	require.NoError(t, c.Kill(1))
	before := o.refusals(fault.NotExecuted)
	require.Eventually(t, func() bool { return o.refusals(fault.NotExecuted) >= before+6 }, time.Minute, 10*time.Millisecond,
		"commands are refused as not executed: %v", o.refused)
	require.NoError(t, c.Restart(t.Context(), 0))
	require.NoError(t, c.Restart(t.Context(), 1))
}

// A record that only the leader has, because its followers stand still, is not below
// the high-water mark: nobody may be shown it, and the next leader does without it.
func unacknowledgedTruncated(t *testing.T, c *kafkatest.Cluster, n *enginetest.Node, o *ordered) {
	leader := leaderOf(t, c, 0)
	var followers []int
	for broker := range c.Addresses() {
		if broker != leader {
			followers = append(followers, broker)
		}
	}
	id := enginetest.IDOn(0)
	lost := enginetest.CommitOf(id, 1, "", 1)
	for _, f := range followers {
		require.NoError(t, c.Pause(f))
	}
	time.Sleep(500 * time.Millisecond) // what they had asked for is answered; shorter than their session
	res, err := n.Log.Client().Produce(t.Context(), &kafkago.ProduceRequest{Topic: enginetest.Counters.Topic(), Partition: 0,
		RequiredAcks: kafkago.RequireOne,
		Records:      kafkago.NewRecordReader(enginetest.Messages(lost...)...)})
	killed := c.Kill(leader)
	for _, f := range followers {
		require.NoError(t, c.Resume(f))
	}
	require.NoError(t, killed)
	require.NoError(t, err)
	require.NoError(t, res.Error)
	o.more(t, 60)
	require.NoError(t, c.Restart(t.Context(), leader))
	inSync(t, c, n)
	require.Zero(t, onLog(n, t)[enginetest.Counters.Stream(id)], "the record that nobody acknowledged is gone")
	require.Zero(t, n.Total(t, id), "and nobody was shown it")
}

// removeCounters gives the next case an empty log.
func removeCounters(t *testing.T, c *kafkatest.Cluster) {
	t.Helper()
	client := &kafkago.Client{Addr: kafkago.TCP(c.Addresses()...), Timeout: 10 * time.Second, Transport: &kafkago.Transport{
		MetadataTTL: 50 * time.Millisecond}}
	require.NoError(t, c.WaitReady(t.Context(), 3))
	require.Eventually(t, func() bool {
		m, err := client.Metadata(t.Context(), &kafkago.MetadataRequest{})
		if err != nil {
			return false
		}
		if !slices.ContainsFunc(m.Topics, func(topic kafkago.Topic) bool { return topic.Name == enginetest.Counters.Topic() }) {
			return true
		}
		_, _ = client.DeleteTopics(t.Context(), &kafkago.DeleteTopicsRequest{Topics: []string{enginetest.Counters.Topic()}})
		return false
	}, time.Minute, 100*time.Millisecond, "the topic of the case before is gone")
}
