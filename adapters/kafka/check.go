package kafka

import (
	"context"
	"errors"
	"fmt"
	"sort"
	"strconv"
	"strings"

	kafkago "github.com/segmentio/kafka-go"
)

// Check compares partition counts and settings of the opened topics with what
// they must be. A topic with another partition count is not written any more
// until a later Check finds it mended. It is called at start and each minute.
func (l *Log) Check(ctx context.Context) error {
	brokers, counts, err := l.describe(ctx)
	if err != nil {
		return err
	}
	broken := map[string]error{}
	l.mu.RLock()
	var topics []string
	for p, g := range l.genesis {
		if p.number == 0 {
			topics = append(topics, p.topic)
			if counts[p.topic] != g.Partitions {
				broken[p.topic] = repartitioned(p.topic, g.Partitions, counts[p.topic])
			}
		}
	}
	l.mu.RUnlock()
	sort.Strings(topics)
	l.mu.Lock()
	l.broken = broken
	l.mu.Unlock()
	wrong, err := l.wrongSettings(ctx, topics, settings(l.replicas(brokers)), lossy)
	if err != nil {
		return err
	}
	for _, e := range broken {
		wrong = append(wrong, e.Error())
	}
	if len(wrong) > 0 {
		return errors.New(strings.Join(wrong, "\n"))
	}
	return nil
}

// lossy is why a setting of a topic that is kept for ever is refused.
const lossy = "events could be lost"

// wrongSettings lists the settings that are not as wanted, why, and what to do.
func (l *Log) wrongSettings(ctx context.Context, topics []string, wanted map[string]string, why string) ([]string, error) {
	req := &kafkago.DescribeConfigsRequest{Addr: l.addr}
	for _, t := range topics {
		req.Resources = append(req.Resources, kafkago.DescribeConfigRequestResource{ResourceType: kafkago.ResourceTypeTopic, ResourceName: t})
	}
	var res *kafkago.DescribeConfigsResponse
	err := answered(ctx, settle, func() (err error) {
		res, err = l.client.DescribeConfigs(ctx, req)
		return err
	})
	if err != nil {
		return nil, fmt.Errorf("asking for the topics' settings: %w", err)
	}
	var wrong []string
	for _, r := range res.Resources {
		if r.Error != nil {
			l.cfg.Log.Warn("the settings of a topic cannot be checked; allow DescribeConfigs on it", "topic", r.ResourceName, "error", r.Error)
		}
		for _, c := range r.ConfigEntries {
			if want, bad := badSetting(c.ConfigName, c.ConfigValue, wanted); bad {
				wrong = append(wrong, fmt.Sprintf("topic %s has %s=%s, %s: set it with kafka-configs.sh --bootstrap-server %s "+
					"--alter --entity-type topics --entity-name %s --add-config %s=%s", r.ResourceName, c.ConfigName, c.ConfigValue, why,
					strings.Join(l.cfg.Brokers, ","), r.ResourceName, c.ConfigName, want))
			}
		}
	}
	return wrong, nil
}

func badSetting(name, value string, wanted map[string]string) (want string, bad bool) {
	want, known := wanted[name]
	if !known || value == want || value == "" {
		return want, false
	}
	have, err1 := strconv.Atoi(value)
	least, err2 := strconv.Atoi(want)
	switch name {
	case "message.timestamp.after.max.ms", // another loses nothing; writing may be refused while a clock is off
		"min.cleanable.dirty.ratio", "max.compaction.lag.ms", "segment.ms": // when an erased key is gone is for who runs the brokers to say
		return want, false
	case "max.message.bytes", "min.insync.replicas":
		return want, err1 == nil && err2 == nil && have < least
	}
	return want, true
}
