package embedded

import (
	"fmt"
	"time"
)

// retain drops, each hour, what topics of others have asked to be kept for a time only. The
// broker does it together with its own compaction, which it must not.
func (b *Broker) retain() {
	tick := time.NewTicker(time.Hour)
	defer tick.Stop()
	for {
		select {
		case <-b.closed:
			return
		case <-tick.C:
			b.cluster.ApplyRetention()
		}
	}
}

// Drop removes the records of a compacted topic before an offset, and the files in which
// nothing else stands. It is for this process alone: no client may, of whatever topic. What
// still holds was written once more behind the offset before.
func (b *Broker) Drop(topic string, partition int32, before int64) error {
	info := b.cluster.TopicInfo(topic)
	if info == nil {
		return fmt.Errorf("embedded broker: there is no topic %s", topic)
	}
	if policy := info.Configs["cleanup.policy"]; policy == nil || *policy != "compact" {
		return fmt.Errorf("embedded broker: topic %s keeps everything, nothing of it is dropped", topic)
	}
	if err := b.cluster.DeleteRecords(topic, partition, before); err != nil {
		return fmt.Errorf("embedded broker: dropping what stands before offset %d of %s: %w", before, topic, err)
	}
	return nil
}
