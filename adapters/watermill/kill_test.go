package watermillkafka_test

import (
	"context"
	"errors"
	"fmt"
	"math/rand"
	"net"
	"strconv"
	"sync"
	"testing"
	"time"

	"github.com/ThreeDotsLabs/watermill/message"
	"github.com/segmentio/kafka-go"
	"github.com/stretchr/testify/require"

	watermillkafka "github.com/parley-platform/parley/adapters/watermill"
)

// wire is a process's connections, which end with it.
type wire struct {
	mu    sync.Mutex
	dead  bool
	conns []net.Conn
}

func (w *wire) dial(ctx context.Context, network, address string) (net.Conn, error) {
	c, err := (&net.Dialer{}).DialContext(ctx, network, address)
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.dead {
		return nil, errors.New("this process was killed")
	}
	if err == nil {
		w.conns = append(w.conns, c)
	}
	return c, err
}

func (w *wire) kill() {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.dead = true
	for _, c := range w.conns {
		_ = c.Close()
	}
}

// killable is a member whose process can die: it then says nothing to anybody any
// more. died takes its memberships out, as its next start does.
func (b *broker) killable(t *testing.T, group, topic string) (m member, died func()) {
	t.Helper()
	w, ids := &wire{}, make(chan string, 16)
	cfg := b.config(group)
	cfg.DrainTimeout = 10 * time.Millisecond
	cfg.Client = &kafka.Client{Addr: kafka.TCP(b.address), Timeout: time.Second, Transport: &kafka.Transport{
		MetadataTTL: 200 * time.Millisecond, Dial: w.dial}}
	cfg.Dialer = &kafka.Dialer{Timeout: time.Second, DialFunc: w.dial}
	cfg.OnMember = func(_, id string) { ids <- id }
	m = join(t, cfg, topic)
	return m, func() {
		w.kill()
		for len(ids) > 0 {
			require.NoError(t, watermillkafka.Groups{Client: b.client}.Leave(t.Context(), group, <-ids))
		}
	}
}

// Given handlers that finish in any order, and processes that are killed at any
// moment, then each key is handled in order without a gap, nothing is lost, and what
// is committed is never above what is unfinished. A killed member whose place is given
// up holds nobody up: no session has to time out.
func TestAnyOrderOfCompletionAndAnyKill(t *testing.T) {
	const keys, each, lives = 9, 25, 5
	b := newBroker(t)
	topic := b.topic(t, 3)
	var all [][2]string
	for i := range each {
		for k := range keys {
			all = append(all, [2]string{fmt.Sprint("key-", k), strconv.Itoa(i)})
		}
	}
	b.publish(t, topic, all...)

	seed := time.Now().UnixNano()
	t.Logf("seed %d", seed)
	random := rand.New(rand.NewSource(seed))
	done := map[string]int{} // by key: how many are handled, from the first on
	total := func() (n int) {
		for _, d := range done {
			n += d
		}
		return n
	}
	begun := time.Now()
	for life := range lives {
		m, died := b.killable(t, "kills", topic)
		until := keys * each
		if life < lives-1 {
			until = min(until, total()+random.Intn(keys*each/lives)+1)
		}
		var held []*message.Message
		expected := map[string]int{} // the next of each key in this life
		for total() < until {
			if len(held) == 0 || len(held) < keys && random.Intn(2) == 0 {
				select {
				case msg := <-m.messages:
					held = append(held, msg)
					key := msg.Metadata[watermillkafka.MetadataKey]
					n, err := strconv.Atoi(string(msg.Payload))
					require.NoError(t, err)
					if want, seen := expected[key]; seen {
						require.Equal(t, want, n, "%s overtook itself", key)
					}
					require.LessOrEqual(t, n, done[key], "%s: what was not handled was passed over", key)
					expected[key] = n
					continue
				case <-time.After(patience):
					require.Fail(t, "nothing comes any more")
				default:
					if len(held) == 0 {
						time.Sleep(time.Millisecond) // a handler that waits for work
						continue
					}
				}
			}
			i := random.Intn(len(held))
			msg := held[i]
			held[i] = held[len(held)-1]
			held = held[:len(held)-1]
			key := msg.Metadata[watermillkafka.MetadataKey]
			if random.Intn(5) == 0 {
				msg.Nack()
				continue
			}
			expected[key]++
			done[key] = max(done[key], expected[key])
			msg.Ack()
		}
		if life == lives-1 {
			require.Eventually(t, func() bool {
				for len(held) > 0 { // repeats of what was handled
					held[0].Ack()
					held = held[1:]
				}
				select {
				case msg := <-m.messages:
					msg.Ack()
				default:
				}
				return sum(b.committed(t, "kills", topic)) == keys*each
			}, patience, time.Millisecond)
		}
		died()
		require.LessOrEqual(t, sum(b.committed(t, "kills", topic)), int64(total()), "more is committed than was handled")
	}
	t.Logf("%d lives took %s", lives, time.Since(begun))
}

// Given a subscription that is not admitted yet, then it joins nothing; it ends all
// the same.
func TestWhoIsNotAdmittedDoesNotJoin(t *testing.T) {
	b := newBroker(t)
	topic := b.topic(t, 1)
	b.publish(t, topic, [2]string{"k", "1"})
	groups := watermillkafka.Groups{Client: b.client}

	asked, admit := make(chan struct{}), make(chan struct{})
	cfg := b.config("gated")
	cfg.Admit = func(ctx context.Context) error {
		close(asked)
		select {
		case <-admit:
			return nil
		case <-ctx.Done():
			return ctx.Err()
		}
	}
	m := join(t, cfg, topic)
	<-asked
	n, err := groups.Members(t.Context(), "gated")
	require.NoError(t, err)
	require.Zero(t, n)
	close(admit)
	m.next(t).Ack()
	n, err = groups.Members(t.Context(), "gated")
	require.NoError(t, err)
	require.Equal(t, 1, n)

	cfg = b.config("refused")
	cfg.Admit = func(context.Context) error { return errors.New("no") }
	refused := join(t, cfg, topic)
	require.NoError(t, refused.Close())
	_, open := <-refused.messages
	require.False(t, open)
	require.Empty(t, b.committed(t, "refused", topic))
}

func TestAGroupIsSetDownOnlyWhenNobodyReadsAsIt(t *testing.T) {
	b := newBroker(t)
	topic := b.topic(t, 2)
	b.publish(t, topic, [2]string{"a", "1"}, [2]string{"b", "1"}, [2]string{"c", "1"}, [2]string{"d", "1"})
	groups := watermillkafka.Groups{Client: b.client}
	starts, ends, err := groups.Bounds(t.Context(), topic)
	require.NoError(t, err)
	require.Equal(t, map[int]int64{0: 0, 1: 0}, starts)
	require.EqualValues(t, 4, ends[0]+ends[1])
	require.NoError(t, groups.Commit(t.Context(), "down", topic, ends))
	require.Equal(t, ends, b.committed(t, "down", topic))

	cfg := b.config("down")
	cfg.StartAt = watermillkafka.StartRefuse
	m := join(t, cfg, topic)
	b.publish(t, topic, [2]string{"a", "2"})
	require.Equal(t, "a=2", pair(m.next(t)))
	require.Error(t, groups.Commit(t.Context(), "down", topic, starts))
}
