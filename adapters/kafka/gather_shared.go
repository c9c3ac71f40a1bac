package kafka

import (
	"context"
	"maps"
	"net"
	"slices"
	"time"

	"github.com/segmentio/kafka-go/protocol/fetch"
)

// shared is one request that several reads wait in.
type shared struct {
	addr  net.Addr
	reads map[place]*wait
}

// ask waits until the next beat for something to come, again and again for the reads
// that got nothing yet. At the beat, reads with time left join the others of that beat.
func (g *gatherer) ask(s *shared) {
	for s.leaveOut(); len(s.reads) > 0; s.leaveOut() {
		wait := untilBeat(time.Now())
		end := time.Now().Add(time.Duration(wait) * time.Millisecond)
		ctx, cancel := context.WithTimeout(context.Background(), time.Until(end)+late)
		res, err := g.next.RoundTrip(ctx, s.addr, s.request(wait))
		cancel()
		f, ok := res.(*fetch.Response)
		if err != nil || !ok || f.ErrorCode != 0 {
			sendAway(slices.Collect(maps.Values(s.reads)))
			return
		}
		if handed := g.hand(s, f); handed == 0 || !time.Now().Before(end) {
			g.rest(s)
			return
		}
	}
}

// late is how far beyond its wait an answer may be; then each read asks by itself.
const late = 10 * time.Second

// leaveOut drops the reads that nobody waits for any more.
func (s *shared) leaveOut() {
	maps.DeleteFunc(s.reads, func(_ place, w *wait) bool {
		select {
		case <-w.gone:
			return true
		default:
			return false
		}
	})
}

func (s *shared) request(wait int32) *fetch.Request {
	out := &fetch.Request{ReplicaID: -1, MaxWaitTime: wait, MinBytes: 1, SessionID: -1, SessionEpoch: -1}
	index := map[string]int{}
	for at, w := range s.reads {
		out.MaxBytes = max(out.MaxBytes, w.request.MaxBytes)
		i, ok := index[at.topic]
		if !ok {
			i = len(out.Topics)
			index[at.topic] = i
			out.Topics = append(out.Topics, fetch.RequestTopic{Topic: at.topic})
		}
		out.Topics[i].Partitions = append(out.Topics[i].Partitions, w.request.Topics[0].Partitions[0])
	}
	return out
}

// hand gives what came to those who wait for it, an error of a partition too.
func (g *gatherer) hand(s *shared, res *fetch.Response) (handed int) {
	for _, t := range res.Topics {
		for _, p := range t.Partitions {
			w, ok := s.reads[place{s.addr.String(), t.Topic, p.Partition}]
			if !ok {
				continue
			}
			w.last = answerOf(t.Topic, p)
			g.note(w.place, w.offset(), &p)
			if p.ErrorCode == 0 && p.RecordSet.Records == nil && p.HighWatermark > w.offset() { // there was no room for it beside the others
				w.last = nil
			}
			if w.last == nil || !nothing(w.offset(), &p) {
				s.answer(w)
				handed++
			}
		}
	}
	return handed
}

// rest lets those whose time is over go with nothing; the others wait on.
func (g *gatherer) rest(s *shared) {
	soon := time.Now().Add(beat / 2)
	for _, w := range s.reads {
		if w.until.Before(soon) {
			s.answer(w)
		}
	}
	g.join(slices.Collect(maps.Values(s.reads))...)
}

func (s *shared) answer(w *wait) {
	delete(s.reads, w.place)
	w.answer <- w.last
}

// answerOf is what the broker would have said to a reader of this partition only.
func answerOf(topic string, p fetch.ResponsePartition) *fetch.Response {
	return &fetch.Response{Topics: []fetch.ResponseTopic{{Topic: topic, Partitions: []fetch.ResponsePartition{p}}}}
}

func (w *wait) offset() int64 { return w.request.Topics[0].Partitions[0].FetchOffset }
