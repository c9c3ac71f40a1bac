package logfolder

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"

	"github.com/google/uuid"

	"github.com/parley-platform/parley/eventstore"
)

// SalvageConfig says what a salvaged log needs that its folder may not tell any more.
type SalvageConfig struct {
	Scan     ScanConfig
	Topics   map[string]SalvagedTopic // of the log: they begin with a genesis
	Settings map[string]string        // of another topic whose description is gone
}

// SalvagedTopic is what a topic of the log is made with.
type SalvagedTopic struct {
	Partitions int
	Settings   map[string]string
	Key        string // of its genesis; empty: it has none
}

// Missing is a run of offsets of which the records are lost.
type Missing struct {
	Topic     string
	Partition int
	From, To  int64 // From up to, not including, To
	Bytes     int64 // that lie there and are no whole batch; 0 where nothing lies
}

// Salvaged is what was copied and what was not.
type Salvaged struct {
	OldLog, NewLog string
	Damage         []Damage
	Missing        []Missing
	Batches        int
	Bytes          int64
	Foreign        []string // partitions of another log, which were left
}

// Salvage copies what is whole of the folder from into the folder to, which it makes.
// Offsets stay as they are: at each one that is lost stands a record that takes no part.
// The copy is another log, by a new id: what was built from the old one, such as read
// models, knows of more than it holds.
func Salvage(ctx context.Context, from, to string, cfg SalvageConfig) (*Salvaged, error) {
	s := &scan{ctx: ctx, dir: from, cfg: cfg.Scan, report: &Report{Dir: from}}
	if err := s.run(); err != nil {
		return nil, fmt.Errorf("reading the log in %s: %w", from, err)
	}
	if len(s.report.Damage) == 0 {
		return nil, fmt.Errorf("the log in %s is whole: there is nothing to salvage", from)
	}
	r := &salvage{scan: s, to: to, cfg: cfg, out: &Salvaged{OldLog: s.report.LogID, NewLog: uuid.NewString(), Damage: s.report.Damage}}
	if err := r.run(); err != nil {
		return nil, fmt.Errorf("salvaging into %s: %w", to, err)
	}
	return r.out, nil
}

type salvage struct {
	*scan
	to    string
	cfg   SalvageConfig
	out   *Salvaged
	all   []topic
	pools map[place][]piece // the segments of each, wherever they lie
}

func (r *salvage) run() error {
	topics, err := r.topics()
	if err != nil {
		return err
	}
	r.all = topics
	if err := r.identify(); err != nil {
		return err
	}
	if err := os.MkdirAll(filepath.Join(r.to, logName, "partitions"), 0o755); err != nil {
		return err
	}
	for _, t := range topics {
		for i := range t.Partitions {
			if err := r.partition(t, place{t.Name, i}); err != nil {
				return fmt.Errorf("%s: %w", place{t.Name, i}, err)
			}
		}
	}
	if err := r.groupsFile(); err != nil {
		return err
	}
	if err := r.json("topics.json", topicsFile{1, topics}); err != nil {
		return err
	}
	// Last: without it the broker takes the folder for an empty one.
	return r.json("meta.json", map[string]any{"version": 1, "cluster_id": uuid.NewString()})
}

func (r *salvage) json(name string, v any) error {
	data, err := json.Marshal(v)
	if err != nil {
		return err
	}
	return replace(filepath.Join(r.to, logName, name), data)
}

// topics are those that are described, and those of which only partitions are left.
func (r *salvage) topics() ([]topic, error) {
	known, err := readTopics(r.dir)
	if err != nil {
		known = nil // that it cannot be read is among the damage
	}
	for _, p := range r.report.Partitions {
		i := slices.IndexFunc(known, func(t topic) bool { return t.Name == p.Topic })
		if i < 0 {
			id, err := json.Marshal([]byte(uuid.New().String()[:16]))
			if err != nil {
				return nil, err
			}
			i = len(known)
			made, ours := r.cfg.Topics[p.Topic]
			if !ours {
				made.Settings = r.cfg.Settings
			}
			known = append(known, topic{Name: p.Topic, ID: id, Partitions: made.Partitions, Replicas: 1, Configs: made.Settings})
		}
		known[i].Partitions = max(known[i].Partitions, p.Number+1)
		if p.genesis != nil && p.genesis.Topic == p.Topic {
			known[i].Partitions = max(known[i].Partitions, p.genesis.Partitions)
		}
	}
	return known, nil
}

// partition writes one: what is whole at its offsets, and marks of loss between.
func (r *salvage) partition(t topic, at place) error {
	w := &writer{dir: filepath.Join(r.to, at.folder())}
	defer w.close()
	p, err := r.whole(t, at)
	if err != nil {
		return err
	}
	end, spans := r.end(p, at), p.spans
	ofLog := r.ofLog(t) // one of which nothing is left or remembered, too
	if !t.kept() && len(spans) > 0 {
		w.next = spans[0].first
		if ofLog && p.genesis == nil { // there is room: something stood before
			w.next = max(0, w.next-1)
		}
	}
	if ofLog {
		if err := r.genesis(w, t, at); err != nil {
			return err
		}
	}
	var before *span
	for i := range spans {
		if err := r.span(w, t, p, before, spans[i]); err != nil {
			return err
		}
		before = &spans[i]
	}
	if err := r.fill(w, t, at, end, r.unread(p, before, nil)); err != nil {
		return err
	}
	return w.finish()
}

// ofLog tells whether a topic's partitions begin with a genesis.
func (r *salvage) ofLog(t topic) bool {
	return r.cfg.Topics[t.Name].Partitions > 0 ||
		slices.ContainsFunc(r.report.Partitions, func(p *Partition) bool { return p.Topic == t.Name && p.genesis != nil })
}

// end is how far the partition reached as far as anything tells.
func (r *salvage) end(p *Partition, at place) int64 {
	end := max(p.End, r.notedEnd(at))
	for _, known := range r.report.Partitions {
		if known.place() == at {
			end = max(end, known.noted)
		}
	}
	return end
}

// notedEnd is what notes and groups say of a place.
func (r *salvage) notedEnd(at place) (end int64) {
	if n, known := r.noted.notes[at]; known {
		end = n.last + 1
	}
	for _, g := range r.groups {
		if g.Topic == at.topic && g.Partition == at.number {
			end = max(end, g.Offset)
		}
	}
	return end
}

// genesis begins a partition of the new log.
func (r *salvage) genesis(w *writer, t topic, at place) error {
	g := eventstore.Genesis{LogID: r.out.NewLog, Topic: at.topic, Partition: at.number, Partitions: t.Partitions, Rule: eventstore.Rule}
	headers, value, err := g.Message()
	if err != nil {
		return err
	}
	raw, err := encode(record(r.cfg.Topics[at.topic].Key, headers, value))
	if err != nil {
		return err
	}
	return w.append(raw, 1)
}

// span copies the batches of one, after filling up to it.
func (r *salvage) span(w *writer, t topic, p *Partition, before *span, s span) error {
	if err := r.fill(w, t, p.place(), s.first, r.unread(p, before, &s)); err != nil {
		return err
	}
	f, err := openSegment(s.path)
	if err != nil {
		return err
	}
	defer f.Close()
	for pos := s.from; pos < s.to; {
		b, whole, err := f.batch(pos)
		if err == nil && !whole {
			err = fmt.Errorf("%s changed while it was read", s.path)
		}
		if err != nil {
			return err
		}
		pos += b.size
		if first := b.first + s.shift; first < w.next { // the old genesis
			continue
		}
		raw := make([]byte, b.size)
		if _, err := io.ReadFull(io.NewSectionReader(f.f, b.at, b.size), raw); err != nil {
			return err
		}
		if err := w.append(raw, b.count); err != nil {
			return err
		}
		r.out.Batches++
		r.out.Bytes += b.size
	}
	return nil
}

// unread are the bytes between two spans that are in none.
func (r *salvage) unread(p *Partition, before, after *span) (n int64) {
	began := before == nil
	for _, f := range r.pools[p.place()] {
		switch {
		case before != nil && f.path == before.path && after != nil && f.path == after.path:
			return after.from - before.to
		case before != nil && f.path == before.path:
			n, began = n+f.size-before.to, true
		case after != nil && f.path == after.path:
			return n + after.from
		case began:
			n += f.size
		}
	}
	return n
}

// fillSize is how many marks of loss go into a batch.
const fillSize = 1000

// fill marks the offsets up to an end as lost.
func (r *salvage) fill(w *writer, t topic, at place, to, bytes int64) error {
	if to <= w.next {
		return nil
	}
	if !t.kept() {
		w.next = to // gaps are nothing unusual there
		return nil
	}
	r.out.Missing = append(r.out.Missing, Missing{at.topic, at.number, w.next, to, bytes})
	for w.next < to {
		n := min(fillSize, to-w.next)
		raw, err := encode(lostRecords(at, w.next, n)...)
		if err != nil {
			return err
		}
		if err := w.append(raw, n); err != nil {
			return err
		}
	}
	return nil
}

// groupsFile copies the places of groups that can be read: all offsets are as they were.
func (r *salvage) groupsFile() error {
	data, err := os.ReadFile(filepath.Join(r.dir, logName, "groups.log"))
	if errors.Is(err, os.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	var out []byte
	for at := 0; at < len(data); {
		if _, size := groupEntry(data[at:]); size > 0 {
			out = append(out, data[at:at+size]...)
			at += size
			continue
		}
		_, next := nextGroupEntry(data, at)
		if next < 0 {
			break
		}
		at = next
	}
	return replace(filepath.Join(r.to, logName, "groups.log"), out)
}
