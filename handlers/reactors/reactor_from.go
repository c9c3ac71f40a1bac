package reactors

import (
	"fmt"
	"github.com/parley-platform/parley/domain/registrations"
	"slices"
	"strconv"
	"strings"
)

// From is one --reactor-from: where a group without a usable offset is set down.
type From struct {
	Reactor   string
	Topic     string // empty: every partition that the reactor reads
	Partition int
	End       bool
	Offset    int64 // unless End
	Said      string
}

// ParseFrom reads NAME=end, NAME=OFFSET, NAME=TOPIC/PARTITION:end or
// NAME=TOPIC/PARTITION:OFFSET.
func ParseFrom(said string) (From, error) {
	bad := func() (From, error) {
		return From{}, fmt.Errorf("--reactor-from %s: NAME=end, NAME=OFFSET or NAME=TOPIC/PARTITION:OFFSET is wanted, as in webhook-sender=end",
			said)
	}
	name, where, ok := strings.Cut(said, "=")
	if !ok || name == "" {
		return bad()
	}
	f := From{Reactor: name, Said: where}
	if place, at, one := cutLast(where, ":"); one {
		topic, number, ok := cutLast(place, "/")
		n, err := strconv.Atoi(number)
		if !ok || topic == "" || err != nil || n < 0 {
			return bad()
		}
		f.Topic, f.Partition, where = topic, n, at
	}
	if where == "end" {
		f.End = true
		return f, nil
	}
	n, err := strconv.ParseInt(where, 10, 64)
	if err != nil || n < 0 {
		return bad()
	}
	f.Offset = n
	return f, nil
}

// at is the offset that f means on a partition of which there is start to end; ok is
// false when f is about another.
func (f From) at(name, topic string, partition int, start, end int64) (offset int64, ok bool, err error) {
	if f.Reactor != name || f.Topic != "" && (f.Topic != topic || f.Partition != partition) {
		return 0, false, nil
	}
	if f.End {
		return end, true, nil
	}
	if f.Offset < start || f.Offset > end {
		return 0, false, fmt.Errorf("--reactor-from %s=%s: %s/%d goes from %d to %d; say end, or partition by partition: %s=%s/%d:OFFSET",
			f.Reactor, f.Said, topic, partition, start, end, name, topic, partition)
	}
	return f.Offset, true, nil
}

// lost is a partition on which a group stands nowhere, or where there is no log.
type lost struct {
	topic      string
	partition  int
	committed  int64 // negative: none
	start, end int64
}

func (l lost) String() string {
	if l.committed < 0 {
		return fmt.Sprintf("%s/%d: no committed offset", l.topic, l.partition)
	}
	return fmt.Sprintf("%s/%d: the committed offset %d is not on the log (%d to %d)", l.topic, l.partition, l.committed, l.start, l.end)
}

// placeOf is what the command line says about what is lost. It says nothing about a
// group that stands well, however long it stays on the command line.
func placeOf(said []From, name string, missing []lost) (positions []registrations.Position, words string, err error) {
	var all []string
	for _, l := range missing {
		for _, f := range said {
			at, ok, err := f.at(name, l.topic, l.partition, l.start, l.end)
			if err != nil {
				return nil, "", err
			}
			if ok {
				positions = append(positions, registrations.Position{Topic: l.topic, Partition: l.partition, Offset: at})
				all = append(all, f.Said)
				break
			}
		}
	}
	return positions, strings.Join(slices.Compact(all), " "), nil
}
