package watermillkafka

import (
	"context"
	"errors"
	"log/slog"
	"sync"
	"time"

	"github.com/ThreeDotsLabs/watermill/message"
	"github.com/segmentio/kafka-go"
)

// subscription is one topic of one member: it lives through many generations of
// the group.
type subscription struct {
	cfg   Config
	topic string
	base  context.Context // values for the messages' contexts, never cancelled
	out   chan *message.Message
	ended chan struct{} // after the last generation: nobody waits for answers any more
	log   *slog.Logger

	known int // partitions the topic had before this member joined; -1: unknown

	active sync.WaitGroup // sessions that may still hand out or commit

	mu      sync.Mutex
	closed  bool   // no further session begins
	member  string // what the group calls us
	stopped map[int]error
	orphans map[laneID]<-chan struct{}
}

// goodbye is how long Close waits for the broker to be told.
const goodbye = 2 * time.Second

func newSubscription(cfg Config, topic string, base context.Context) *subscription {
	return &subscription{cfg: cfg, topic: topic, base: base, out: make(chan *message.Message), ended: make(chan struct{}),
		log: cfg.Logger.With("group", cfg.Group, "topic", topic), stopped: map[int]error{}, orphans: map[laneID]<-chan struct{}{}}
}

// run joins the group and serves its generations until one of the channels closes.
func (s *subscription) run(cancelled, closing <-chan struct{}) {
	defer close(s.out)
	defer close(s.ended)
	if !s.admitted(cancelled, closing) {
		return
	}
	s.known = s.countPartitions()
	group, err := kafka.NewConsumerGroup(kafka.ConsumerGroupConfig{
		ID: s.cfg.Group, Brokers: s.cfg.Brokers, Dialer: s.cfg.Dialer, Topics: []string{s.topic},
		HeartbeatInterval: s.cfg.Heartbeat, SessionTimeout: s.cfg.SessionTimeout, RebalanceTimeout: s.cfg.RebalanceTimeout,
		JoinGroupBackoff: s.cfg.RejoinAfter, GroupBalancers: []kafka.GroupBalancer{inOrder{}},
		// A join waits for RebalanceTimeout and this. The embedded broker begins a rebalance's
		// wait anew whenever somebody joins, so members with less patience than two of them
		// would give up and join in turns, for ever.
		Timeout:     s.cfg.RebalanceTimeout,
		StartOffset: kafka.FirstOffset, // only how "none committed" looks here; session decides what it means
	})
	if err != nil { // what it checks was checked by Config.prepared
		s.log.Error("consumer group refused its configuration", "error", err)
		return
	}
	served := make(chan struct{})
	go func() {
		defer close(served)
		s.serve(group)
	}()
	select {
	case <-cancelled:
	case <-closing:
	}
	s.mu.Lock()
	s.closed = true
	s.mu.Unlock()
	left := make(chan struct{})
	go func() {
		defer close(left)
		_ = group.Close() // drains, commits and leaves; it returns nil only
		<-served
		s.sayGoodbye()
	}()
	s.leave(left)
}

// admitted waits for Config.Admit. One that was refused waits for its end, so that
// the handlers of others go on.
func (s *subscription) admitted(cancelled, closing <-chan struct{}) bool {
	if s.cfg.Admit == nil {
		return true
	}
	ctx, stop := context.WithCancel(s.base)
	defer stop()
	go func() {
		defer stop()
		select {
		case <-cancelled:
		case <-closing:
		case <-ctx.Done():
		}
	}()
	err := s.cfg.Admit(ctx)
	if err != nil && ctx.Err() == nil {
		s.log.Error("the group is not read", "error", err)
		<-ctx.Done()
	}
	return err == nil && ctx.Err() == nil
}

// sayGoodbye leaves the group once more: the library forgets to when it is closed
// in the middle of a rebalance, and then everybody would wait for this member
// until its session times out. A member that has left already is not an error. (A
// member closed during its very first join is not known by name; that one does
// time out.)
func (s *subscription) sayGoodbye() {
	s.mu.Lock()
	id := s.member
	s.mu.Unlock()
	if id == "" {
		return
	}
	ctx, cancel := context.WithTimeout(context.Background(), goodbye)
	defer cancel()
	_, err := s.cfg.Client.LeaveGroup(ctx, &kafka.LeaveGroupRequest{GroupID: s.cfg.Group, Members: []kafka.LeaveGroupRequestMember{{ID: id}}})
	if err != nil {
		s.log.Info("leaving the consumer group failed, its session will time out", "error", err)
	}
}

// leave waits for the running session, which is bounded, and a little for the
// goodbye. A join that waits for other members cannot be called back: it says
// goodbye when it returns, without holding up the caller.
func (s *subscription) leave(left <-chan struct{}) {
	over := make(chan struct{})
	go func() {
		s.active.Wait()
		close(over)
	}()
	select {
	case <-left:
	case <-over:
		select {
		case <-left:
		case <-time.After(goodbye):
			s.log.Info("left the consumer group while joining")
		}
	}
	<-over
}

// begin admits one more session, of the given member id, unless the subscription
// is over.
func (s *subscription) begin(member string) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.closed {
		return false
	}
	if s.member != member && s.cfg.OnMember != nil {
		s.cfg.OnMember(s.topic, member)
	}
	s.member = member
	s.active.Add(1)
	return true
}

// serve takes generation after generation. Errors of joining come here too; the
// group itself pauses RejoinAfter between tries.
func (s *subscription) serve(group *kafka.ConsumerGroup) {
	for {
		gen, err := group.Next(context.Background())
		switch {
		case errors.Is(err, kafka.ErrGroupClosed):
			return
		case err != nil:
			s.failed(err)
		default:
			gen.Start(func(ctx context.Context) { newSession(s, gen).run(ctx) })
		}
	}
}

// failed tells operators of a try to join. That others join or leave meanwhile is how groups come about.
func (s *subscription) failed(err error) {
	level := slog.LevelWarn
	if errors.Is(err, kafka.RebalanceInProgress) {
		level = slog.LevelDebug
	}
	s.log.Log(context.Background(), level, "joining the consumer group failed, trying again", "error", err)
}

// countPartitions is -1 when nobody can say, 0 when there is no such topic.
func (s *subscription) countPartitions() int {
	ctx, cancel := context.WithTimeout(context.Background(), askPatience)
	defer cancel()
	n, err := countPartitions(ctx, s.cfg.Client, s.topic)
	if errors.Is(err, kafka.UnknownTopicOrPartition) {
		return 0
	}
	if err != nil {
		return -1
	}
	return n
}

// stop notes that a partition is not read any more.
func (s *subscription) stop(partition int, err error) {
	s.mu.Lock()
	s.stopped[partition] = err
	s.mu.Unlock()
	s.log.Error("partition stopped", "partition", partition, "error", err)
	if s.cfg.OnStopped != nil {
		s.cfg.OnStopped(s.topic, partition, err)
	}
}

// forget clears what was stopped: the partitions are not this member's any more.
func (s *subscription) forget() {
	s.mu.Lock()
	defer s.mu.Unlock()
	clear(s.stopped)
}

func (s *subscription) err() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	var all []error
	for _, err := range s.stopped {
		all = append(all, err)
	}
	return errors.Join(all...)
}

// abandon notes a handler that outlived its generation. Its key is not handed out
// by this process again before it has returned, whatever the group assigns.
func (s *subscription) abandon(id laneID, done <-chan struct{}) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.orphans[id] = done
}

// orphan is nil when no handler of an earlier generation is at work on the key.
func (s *subscription) orphan(id laneID) <-chan struct{} {
	s.mu.Lock()
	defer s.mu.Unlock()
	done := s.orphans[id]
	select {
	case <-done:
		delete(s.orphans, id)
		return nil
	default:
		return done
	}
}
