package logfolder

import (
	"fmt"

	"github.com/parley-platform/parley/eventstore"
)

// genesis is the record with which a partition of Parley's log begins.
type genesis struct {
	eventstore.Genesis
	file segment
	err  error // why it does not belong here
}

// readGenesis looks whether a batch at the begin is one. There may be several: nodes race
// to write them, and the first counts.
func (s *scan) readGenesis(p *Partition, f segment, r *reader, b batch) error {
	p.more = true
	if p.topic.kept() && b.first != int64(p.Batches) || b.size > 64<<10 {
		return nil
	}
	raw, err := r.bytes(b.at, int(b.size))
	if err != nil {
		return err
	}
	record, _, value, err := decodeFirst(raw)
	if err != nil || !eventstore.IsGenesis(record.Headers) {
		return nil // of another's topic, or what follows
	}
	p.more = false
	if p.Batches > 0 {
		return nil
	}
	g := &genesis{file: f}
	g.Genesis, g.err = eventstore.ParseGenesis(value, p.Topic, p.Number)
	p.genesis = g
	return nil
}

// beginnings compares the genesis records with one another: each stands where it says,
// all are of one log, and none is missing where there must have been one.
func (s *scan) beginnings() {
	topics := map[string][]eventstore.Beginning{}
	for _, p := range s.report.Partitions {
		for len(topics[p.Topic]) <= p.Number {
			topics[p.Topic] = append(topics[p.Topic], eventstore.Beginning{})
		}
		topics[p.Topic][p.Number] = eventstore.Beginning{Genesis: p.genesis != nil, More: p.more}
		g := p.genesis
		switch {
		case g == nil:
		case g.err != nil:
			s.found(s.damage(p, g.file, 0, 0, p.End, g.err.Error()))
		case s.report.LogID == "":
			s.report.LogID = g.LogID
		case s.report.LogID != g.LogID:
			s.found(s.damage(p, g.file, 0, 0, p.End, fmt.Sprintf("it belongs to log %s, what was read before to log %s", g.LogID, s.report.LogID)))
		}
	}
	for _, p := range s.report.Partitions {
		if p.genesis == nil && eventstore.GenesisLost(topics[p.Topic], p.Number) {
			s.missing(p)
		}
	}
}

// missing reports a partition that had a genesis and has none.
func (s *scan) missing(p *Partition) {
	if p.Batches > 0 && p.spans[0].first > 0 {
		return // that its beginning is missing was said
	}
	d := Damage{File: p.place().folder(), Topic: p.Topic, Part: p.Number, From: 0, To: -1,
		What: "its genesis is missing, though the others of its topic have theirs"}
	if files, err := segments(s.dir, p.place()); err == nil && len(files) > 0 {
		d.File = s.relative(files[0].path)
	}
	s.found(d)
}
