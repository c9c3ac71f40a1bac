package watermillkafka

import (
	"context"
	"sync"
	"time"

	"github.com/segmentio/kafka-go"
)

// session is one generation of the group: the partitions this member has between
// two rebalances, and what it commits for them.
type session struct {
	sub *subscription
	gen *kafka.Generation

	mu        sync.Mutex
	reached   map[int]int64 // lowest unfinished offset per partition
	committed map[int]int64
	moved     chan struct{} // something was finished since the last look
}

func newSession(sub *subscription, gen *kafka.Generation) *session {
	return &session{sub: sub, gen: gen, reached: map[int]int64{}, committed: map[int]int64{}, moved: make(chan struct{}, 1)}
}

// run serves the assigned partitions until the generation ends or this member
// wants another one, then drains and commits. Returning ends the generation.
func (s *session) run(ctx context.Context) {
	if ctx.Err() != nil || !s.sub.begin(s.gen.MemberID) {
		return
	}
	defer s.sub.active.Done()
	defer s.sub.forget()
	working, drain := context.WithCancel(context.Background())
	defer drain()
	var workers sync.WaitGroup
	for _, a := range s.gen.Assignments[s.sub.topic] {
		if a.Offset >= 0 {
			s.committed[a.ID] = a.Offset
		}
		p := newPartition(s, a)
		workers.Add(1)
		go func() {
			defer workers.Done()
			p.run(working)
		}()
	}
	s.sub.log.Info("partitions assigned", "generation", s.gen.ID, "partitions", len(s.gen.Assignments[s.sub.topic]))
	s.keep(ctx)
	drain()
	s.await(&workers)
	if err := s.commit(); err != nil {
		s.sub.log.Warn("last commit of the generation failed, its records come again", "generation", s.gen.ID, "error", err)
	}
}

// keep commits, some time after something was finished, and looks for new partitions until
// the generation has to end.
func (s *session) keep(ctx context.Context) {
	var commits <-chan time.Time // nil while there is nothing to commit
	looks := time.NewTicker(s.sub.cfg.WatchEvery)
	defer looks.Stop()
	other := -1 // a new partition count that was seen once
	for {
		select {
		case <-ctx.Done():
			return
		case <-s.moved:
			if commits == nil {
				commits = time.After(s.sub.cfg.CommitEvery)
			}
		case <-commits:
			commits = nil
			if err := s.commit(); err != nil {
				s.sub.log.Warn("committing offsets failed, joining again", "generation", s.gen.ID, "error", err)
				return
			}
		case <-looks.C:
			n := s.sub.countPartitions()
			switch {
			case n < 0 || n == s.sub.known:
				other = -1
			case n != other:
				other = n // wait for a second look: by then every broker knows, the leader's too
			default:
				s.sub.log.Info("partition count changed, joining again", "from", s.sub.known, "to", n)
				s.sub.known = n
				return
			}
		}
	}
}

// await waits for the workers, which are bounded by DrainTimeout. The library has
// stopped its heartbeats by now; without ours a long drain would cost the
// membership and so the last commit.
func (s *session) await(workers *sync.WaitGroup) {
	done := make(chan struct{})
	go func() {
		workers.Wait()
		close(done)
	}()
	beats := time.NewTicker(s.sub.cfg.Heartbeat)
	defer beats.Stop()
	for {
		select {
		case <-done:
			return
		case <-beats.C:
			ctx, cancel := context.WithTimeout(context.Background(), s.sub.cfg.Heartbeat)
			// "Rebalance in progress" is the expected answer, and any other is
			// found out by the commit that follows.
			_, _ = s.sub.cfg.Client.Heartbeat(ctx, &kafka.HeartbeatRequest{GroupID: s.gen.GroupID, GenerationID: s.gen.ID, MemberID: s.gen.MemberID})
			cancel()
		}
	}
}

// reach notes that every record of the partition below the offset is finished.
func (s *session) reach(partition int, offset int64) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.reached[partition] = offset
	select {
	case s.moved <- struct{}{}:
	default:
	}
}

func (s *session) commit() error {
	s.mu.Lock()
	moved := map[int]int64{}
	for p, offset := range s.reached {
		if was, ok := s.committed[p]; !ok || was != offset {
			moved[p] = offset
		}
	}
	s.mu.Unlock()
	if len(moved) == 0 {
		return nil
	}
	if err := s.gen.CommitOffsets(map[string]map[int]int64{s.sub.topic: moved}); err != nil {
		return err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	for p, offset := range moved {
		s.committed[p] = offset
	}
	return nil
}
