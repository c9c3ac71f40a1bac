package logfolder

import "time"

// Report is what a scan found.
type Report struct {
	Dir        string
	LogID      string // of the genesis records; empty: there is none
	Partitions []*Partition
	Damage     []Damage
	Bytes      int64 // of segments
	Took       time.Duration
}

// Partition is one of them, as it lies there.
type Partition struct {
	Topic   string
	Number  int
	Batches int
	End     int64   // the offset behind the last whole batch
	Torn    *Damage // an incomplete last batch that nobody was told about; the broker cuts it off

	begun   uint32 // checksum of the first batch
	last    batch
	inLast  int   // whole batches of the last segment that has any
	claimed int64 // the offset that follows the batch before, by its own word; -1 at the begin of a file
	broken  bool  // this segment has damage
	spans   []span
	genesis *genesis
	more    bool // it holds more than genesis records
	topic   topic
	noted   int64 // the highest end that anything speaks of
}

// span is a run of whole batches whose offsets follow one another.
type span struct {
	path     string
	from, to int64 // bytes
	first    int64 // offset
	end      int64 // offset
	shift    int64 // what is to be added to the offsets that the batches name, which were spoiled
}

// unread is a partition of which nothing is known yet.
func unread(at place, t topic) *Partition {
	return &Partition{Topic: at.topic, Number: at.number, topic: t, last: batch{first: -1}}
}

func (p *Partition) place() place { return place{p.Topic, p.Number} }

// Err is a DamagedError, or nil.
func (r *Report) Err() error {
	if len(r.Damage) == 0 {
		return nil
	}
	return &DamagedError{r.Dir, r.Damage}
}
