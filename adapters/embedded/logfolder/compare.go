package logfolder

import (
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"strings"
)

func cmpPlace(a, b place) int {
	return cmp.Or(cmp.Compare(a.topic, b.topic), cmp.Compare(a.number, b.number))
}

// claim is an end that somebody remembers.
type claim struct {
	end int64
	who string
}

// compare holds the end that was found against all that speak of it.
func (s *scan) compare(p *Partition) error {
	claims, err := s.claims(p)
	if err != nil {
		return err
	}
	var worst claim
	for _, c := range claims {
		if c.end > worst.end {
			worst = c
		}
	}
	p.noted = max(worst.end, p.End)
	if n, known := s.noted.notes[p.place()]; known && n.begun != 0 && p.Batches > 0 && p.spans[0].first == 0 && n.begun != p.begun {
		files, err := segments(s.dir, p.place())
		if err != nil {
			return err
		}
		s.found(s.damage(p, files[0], 0, -1, -1, "it begins otherwise than was noted: it is another partition's, or another log's"))
	}
	if worst.end <= p.End {
		return nil
	}
	return s.short(p, worst)
}

// short reports a partition whose end is below one that is known.
func (s *scan) short(p *Partition, c claim) error {
	if p.Torn != nil {
		p.Torn.To, p.Torn.What = c.end, fmt.Sprintf("%s, and %s had offset %d", p.Torn.What, c.who, c.end-1)
		s.found(*p.Torn)
		p.Torn = nil
		return nil
	}
	files, err := segments(s.dir, p.place())
	if err != nil {
		return err
	}
	if len(files) == 0 {
		s.found(Damage{File: p.place().folder(), Topic: p.Topic, Part: p.Number, From: 0, To: c.end,
			What: fmt.Sprintf("there is nothing, and %s had offset %d", c.who, c.end-1)})
		return nil
	}
	last := files[len(files)-1]
	s.found(s.damage(p, last, last.size, p.End, c.end, fmt.Sprintf("the log ends at offset %d, and %s had offset %d", p.End, c.who, c.end-1)))
	return nil
}

// claims are all that say how far the partition reached at least.
func (s *scan) claims(p *Partition) (all []claim, err error) {
	if n, known := s.noted.notes[p.place()]; known {
		all = append(all, claim{n.last + 1, "the note of what was acknowledged (" + NotesFile + ")"})
	}
	if snap, path, ok := s.readSnapshot(p); ok {
		all = append(all, claim{snap.HighWatermark, "the last clean stop (" + path + ")"})
	}
	for _, g := range s.groups {
		if g.Topic == p.Topic && g.Partition == p.Number {
			all = append(all, claim{g.Offset, "the consumer group " + g.Group})
		}
	}
	for _, k := range s.cfg.Known {
		if k.Topic == p.Topic && k.Partition == p.Number && s.speaksOfThis(k) {
			all = append(all, claim{k.End, k.Who})
		}
	}
	c, err := s.indexed(p)
	return append(all, c), err
}

// indexed compares the batches of the last segment with the entries of its index, which
// gets one behind each batch. Both are synced before a batch is acknowledged. In one
// life of the machine the index is therefore never ahead; where the machine itself
// stopped, it may be by the one batch that was being written.
func (s *scan) indexed(p *Partition) (claim, error) {
	const entrySize = 15
	index, err := lastIndex(filepath.Join(s.dir, p.place().folder()))
	if err != nil || index == "" {
		return claim{}, err // it says nothing, and the broker does without it
	}
	info, err := os.Stat(index)
	if err != nil {
		return claim{}, err
	}
	if p.broken {
		return claim{}, nil // what it lacks is said
	}
	ahead := info.Size() / entrySize
	if n := len(p.spans); n > 0 && (segment{path: p.spans[n-1].path}).index() == index {
		ahead -= int64(p.inLast)
	}
	if s.noted.boot == "" || s.noted.boot != boot() {
		ahead--
	}
	if ahead <= 0 {
		return claim{}, nil
	}
	return claim{p.End + ahead, fmt.Sprintf("the index %s, with %d batches more,", s.relative(index), ahead)}, nil
}

// lastIndex is the index of the highest offset in a partition's folder; empty if there is none.
func lastIndex(folder string) (path string, err error) {
	entries, err := os.ReadDir(folder)
	if errors.Is(err, fs.ErrNotExist) {
		return "", nil
	}
	highest := int64(-1)
	for _, e := range entries {
		name, idx := strings.CutSuffix(e.Name(), ".idx")
		if base, err := strconv.ParseInt(name, 10, 64); idx && err == nil && base > highest {
			path, highest = filepath.Join(folder, e.Name()), base
		}
	}
	return path, err
}

// spokenOf adds the partitions of which there is nothing at all, and which somebody
// remembers nevertheless.
func (s *scan) spokenOf() {
	have := map[place]bool{}
	for _, p := range s.report.Partitions {
		have[p.place()] = true
	}
	add := func(topicName string, number int) {
		if at := (place{topicName, number}); !have[at] {
			have[at] = true
			s.report.Partitions = append(s.report.Partitions, unread(at, topic{Name: topicName}))
		}
	}
	for _, g := range s.groups {
		add(g.Topic, g.Partition)
	}
	for _, k := range s.cfg.Known {
		if s.speaksOfThis(k) {
			add(k.Topic, k.Partition)
		}
	}
}

// speaksOfThis tells whether somebody remembers this log, or any where there is none.
func (s *scan) speaksOfThis(k Known) bool {
	return k.LogID == "" || s.report.LogID == "" || k.LogID == s.report.LogID
}
