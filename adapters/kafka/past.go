package kafka

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	kafkago "github.com/segmentio/kafka-go"

	"github.com/parley-platform/parley/domain/event"
	"github.com/parley-platform/parley/eventstore"
)

// Remembered is a partition of which somebody knows that it had a genesis.
type Remembered struct {
	Topic     string
	Partition int
	LogID     string // of which log; empty: that is not known
	Who       string // who remembers, as in "the checkpoint of the read models"
}

// past is what is known of the log before it is opened: a partition that had a genesis
// gets no other one, which would hide that everything behind the first is gone.
type past struct {
	log   *Log
	asked bool
	all   []Remembered
}

// adoptAll reads the genesis records that are there, so that the log's id is known
// before anything is begun. Partitions that are empty are not read: they are many, and
// it takes one question to know them.
func (l *Log) adoptAll(ctx context.Context, categories []*event.Category, counts map[string]int) error {
	there := map[string][]int{}
	for _, c := range categories {
		if n := counts[c.Topic()]; n > 0 {
			there[c.Topic()] = numbers(n)
		}
	}
	var ends map[string]map[int]int64
	if err := patiently(ctx, func() (err error) { ends, err = l.ends(ctx, there); return err }); err != nil {
		return err
	}
	for _, c := range categories {
		n := counts[c.Topic()]
		for i := range n {
			if ends[c.Topic()][i] == 0 || l.adopted(c.Topic(), i) {
				continue
			}
			err := patiently(ctx, func() error {
				g, found, err := l.readGenesis(ctx, c.Topic(), i)
				if err != nil || !found {
					return err
				}
				return l.adopt(g, n)
			})
			if err != nil {
				return err
			}
		}
	}
	return nil
}

// numbers are those of so many partitions.
func numbers(n int) []int {
	all := make([]int, n)
	for i := range all {
		all[i] = i
	}
	return all
}

// adopted tells whether a partition's genesis is known.
func (l *Log) adopted(topic string, number int) bool {
	l.mu.RLock()
	defer l.mu.RUnlock()
	_, known := l.genesis[partition{topic, number}]
	return known
}

// missing refuses topics that are not on the brokers and once were.
func (p *past) missing(ctx context.Context, categories []*event.Category, counts map[string]int) error {
	for _, c := range categories {
		if counts[c.Topic()] > 0 {
			continue
		}
		if err := patiently(ctx, func() error { return p.ask(ctx) }); err != nil {
			return err
		}
		for _, r := range p.all {
			if r.Topic == c.Topic() && p.speaksOfThis(r) {
				return fmt.Errorf("topic %s is not on the brokers: %w", r.Topic, p.gone(r.Who, r.LogID))
			}
		}
	}
	return nil
}

// genesis judges a partition of which no genesis is known. found is true if it has one,
// which another node may have written meanwhile; an error says that there was one and
// that it is gone.
func (p *past) genesis(ctx context.Context, topic string, number, partitions int) (g eventstore.Genesis, found bool, err error) {
	ends, err := p.log.ends(ctx, map[string][]int{topic: numbers(partitions)})
	if err != nil {
		return g, false, err
	}
	if ends[topic][number] > 0 {
		if g, found, err = p.log.readGenesis(ctx, topic, number); err != nil || found {
			return g, found, err
		}
	}
	if err := p.ask(ctx); err != nil {
		return g, false, err
	}
	lost, err := p.lost(ctx, topic, number, ends[topic])
	if err != nil {
		return g, false, err
	}
	// Last of all: nodes that begin a log at once write in order, so what was seen of a
	// later partition, or of a reactor, was preceded by this one's.
	if g, found, err = p.log.writtenGenesis(ctx, topic, number); err != nil || found {
		return g, found, err
	}
	if lost {
		return g, false, fmt.Errorf("%s/%d is empty: %w", topic, number, p.gone("the rest of its topic", p.log.LogID()))
	}
	for _, r := range p.all {
		if r.Topic == topic && r.Partition == number && p.speaksOfThis(r) {
			return g, false, fmt.Errorf("%s/%d is empty: %w", topic, number, p.gone(r.Who, r.LogID))
		}
	}
	return g, false, nil
}

// lost looks at the other partitions of a topic, by where they ended a moment ago: what
// was empty then is taken for one that has not begun. One that begins meanwhile may look
// as if it were behind a lost one, so the caller reads the partition itself once more.
func (p *past) lost(ctx context.Context, topic string, number int, ends map[int]int64) (bool, error) {
	all := make([]eventstore.Beginning, len(ends))
	for i := range all {
		end := ends[i]
		if end == 0 {
			continue
		}
		more, err := p.log.holdsMore(ctx, topic, i, end)
		if err != nil {
			return false, err
		}
		_, found, err := p.log.readGenesis(ctx, topic, i)
		if err != nil {
			return false, err
		}
		all[i] = eventstore.Beginning{Genesis: found, More: more}
	}
	return eventstore.GenesisLost(all, number), nil
}

// holdsMore tells whether anything that takes part is in a partition besides genesis
// records, where it ends there. There may be several of those: nodes race to write them.
func (l *Log) holdsMore(ctx context.Context, topic string, number int, end int64) (bool, error) {
	if end <= 1 {
		return false, nil
	}
	fetched, err := l.Fetch(ctx, topic, number, 1)
	return slices.ContainsFunc(fetched.Entries, func(e eventstore.Entry) bool { return e.Record != nil || e.Err != nil }), err
}

// writtenGenesis reads the genesis of a partition that is probably empty.
func (l *Log) writtenGenesis(ctx context.Context, topic string, number int) (g eventstore.Genesis, found bool, err error) {
	end, err := l.settledEnd(ctx, topic, number)
	if err != nil || end == 0 {
		return g, false, err
	}
	return l.readGenesis(ctx, topic, number)
}

func (p *past) speaksOfThis(r Remembered) bool {
	id := p.log.LogID()
	return id == "" || r.LogID == "" || r.LogID == id
}

// gone says what to do.
func (p *past) gone(who, logID string) error {
	if logID != "" {
		who += " (log " + logID + ")"
	}
	return fmt.Errorf("%w: %s remembers that it had a genesis, so what followed is gone, and no new one is written. "+
		"Point Parley at the right brokers (--kafka-brokers), or bring the topic back from a replica or a backup, "+
		"every record in its order from offset 0. "+
		"To begin an empty log on purpose delete all topics parley.* and all consumer groups parley-*; then %s",
		eventstore.ErrOutOfRange, who, eventstore.BuildAnew)
}

// ask collects, once, what groups and others remember. Groups that may not be listed
// say nothing.
func (p *past) ask(ctx context.Context) error {
	if p.asked {
		return nil
	}
	if p.log.cfg.Remembered != nil {
		all, err := p.log.cfg.Remembered(ctx)
		if err != nil {
			return fmt.Errorf("asking whether there was a log before a new one is begun: %w", err)
		}
		p.all = all
	}
	groups, err := p.log.client.ListGroups(ctx, &kafkago.ListGroupsRequest{Addr: p.log.addr})
	if err == nil {
		err = groups.Error
	}
	if err != nil {
		return fmt.Errorf("asking for the consumer groups before a log is begun: %w", err)
	}
	for _, g := range groups.Groups {
		if strings.HasPrefix(g.GroupID, ourGroups) {
			if err := p.askGroup(ctx, g.GroupID); err != nil {
				return err
			}
		}
	}
	p.asked = true
	return nil
}

// ourGroups begin with this.
const ourGroups = "parley-"

// askGroup takes what a group has passed: a place behind the first record says that
// there was one.
func (p *past) askGroup(ctx context.Context, group string) error {
	res, err := p.log.client.OffsetFetch(ctx, &kafkago.OffsetFetchRequest{Addr: p.log.addr, GroupID: group})
	if err == nil {
		err = res.Error
	}
	if errors.Is(err, kafkago.GroupAuthorizationFailed) {
		return nil
	}
	if err != nil {
		return fmt.Errorf("asking where group %s stands: %w", group, err)
	}
	for topic, partitions := range res.Topics {
		for _, at := range partitions {
			if at.CommittedOffset > 0 {
				p.all = append(p.all, Remembered{Topic: topic, Partition: at.Partition, Who: "the consumer group " + group})
			}
		}
	}
	return nil
}
