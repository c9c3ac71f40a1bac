package logfolder

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"time"
)

// Known is an offset that somebody else remembers: that the log reached it.
type Known struct {
	Topic     string
	Partition int
	End       int64  // the log ends here or behind
	Who       string // who says so, as in "the checkpoint of the read models"
	LogID     string // of which log; empty: of whatever lies there
}

// ScanConfig says what to compare a folder with.
type ScanConfig struct {
	Known []Known
	// Progress is told about every second how far the scan is; nil: nobody asks.
	Progress func(done, total int64)
}

// scan is the work of one.
type scan struct {
	ctx    context.Context
	dir    string
	cfg    ScanConfig
	noted  noted
	groups []commit
	report *Report
	total  int64
	done   int64
	told   time.Time
	began  time.Time
}

// Scan reads every segment of a folder and compares it with what was noted of it. It
// changes nothing. The report has the damage; the error is that of reading.
func Scan(ctx context.Context, dir string, cfg ScanConfig) (*Report, error) {
	s := &scan{ctx: ctx, dir: dir, cfg: cfg, report: &Report{Dir: dir}, began: time.Now()}
	s.told = s.began
	if err := s.run(); err != nil {
		return nil, fmt.Errorf("scanning the log in %s: %w", dir, err)
	}
	s.report.Took = time.Since(s.began)
	return s.report, nil
}

func (s *scan) run() error {
	var err error
	if s.noted, err = readNotes(s.dir); err != nil {
		return err
	}
	all, err := s.places()
	if err != nil {
		return err
	}
	if err := s.readGroups(); err != nil {
		return err
	}
	for _, p := range all {
		files, err := segments(s.dir, p.place())
		if err != nil {
			return err
		}
		for _, f := range files {
			s.total += f.size
		}
	}
	for _, p := range all {
		if err := s.partition(p); err != nil {
			return fmt.Errorf("%s: %w", p.place(), err)
		}
	}
	s.report.Partitions, s.report.Bytes = all, s.done
	s.beginnings()
	s.spokenOf()
	for _, p := range s.report.Partitions {
		if err := s.compare(p); err != nil {
			return fmt.Errorf("%s: %w", p.place(), err)
		}
	}
	return nil
}

// places lists the partitions: those that topics.json knows, and those that were noted
// or have a folder and that it should know.
func (s *scan) places() ([]*Partition, error) {
	known := map[place]bool{}
	var all []*Partition
	add := func(p place, t topic) {
		if !known[p] {
			known[p] = true
			all = append(all, unread(p, t))
		}
	}
	topics, err := readTopics(s.dir)
	if err != nil {
		s.found(Damage{File: filepath.Join(logName, "topics.json"), From: -1, To: -1,
			What: fmt.Sprintf("what topics there are cannot be read: %v", err)})
	}
	for _, t := range topics {
		for i := range t.Partitions {
			add(place{t.Name, i}, t)
		}
	}
	listed := len(all)
	folders, err := onDisk(s.dir)
	if err != nil {
		return nil, err
	}
	for _, p := range folders {
		if files, err := segments(s.dir, p); err != nil {
			return nil, err
		} else if len(files) > 0 {
			add(p, topic{Name: p.topic})
		}
	}
	for p := range s.noted.notes {
		add(p, topic{Name: p.topic})
	}
	s.listed(all[:listed], all[listed:])
	slices.SortFunc(all, func(a, b *Partition) int {
		return cmpPlace(a.place(), b.place())
	})
	return all, nil
}

// listed compares the partitions that the broker would serve with those that it would
// not look at, or would begin anew.
func (s *scan) listed(served, others []*Partition) {
	if len(s.report.Damage) == 0 {
		for _, p := range others {
			s.found(Damage{File: filepath.Join(logName, "topics.json"), Topic: p.Topic, Part: p.Number, From: -1, To: -1,
				What: "the list of topics does not name it, though it was written to"})
			break
		}
	}
	_, err := os.Stat(filepath.Join(s.dir, logName, "meta.json"))
	if errors.Is(err, fs.ErrNotExist) && len(served)+len(others) > 0 {
		s.found(Damage{File: filepath.Join(logName, "meta.json"), From: -1, To: -1,
			What: "it is not there: the broker would take the folder for an empty one"})
	}
}

func (s *scan) found(d Damage) { s.report.Damage = append(s.report.Damage, d) }

// relative is a path as it is shown.
func (s *scan) relative(path string) string {
	if r, err := filepath.Rel(s.dir, path); err == nil {
		return r
	}
	return path
}

// partition reads one from its begin to its end.
func (s *scan) partition(p *Partition) error {
	files, err := segments(s.dir, p.place())
	if err != nil {
		return err
	}
	for i, f := range files {
		if err := s.segment(p, f, i == len(files)-1); err != nil {
			return fmt.Errorf("%s: %w", s.relative(f.path), err)
		}
	}
	return nil
}

// segment follows the batches of one file.
func (s *scan) segment(p *Partition, f segment, last bool) error {
	r, err := openSegment(f.path)
	if err != nil {
		return err
	}
	defer r.Close()
	p.claimed, p.broken = -1, false
	if f.size == 0 && !(last && f.base == p.End) { // a segment that was begun and not written to, else
		s.found(s.damage(p, f, 0, p.End, -1, "the segment is empty"))
	}
	for at := int64(0); at < f.size; {
		if err := s.ctx.Err(); err != nil {
			return err
		}
		b, whole, err := r.batch(at)
		if err != nil {
			return err
		}
		if !whole {
			found, more, err := r.next(at, p.End)
			if err != nil {
				return err
			}
			if !more {
				s.tail(p, f, at, r.size, last)
				s.progress(r.size - at)
				return nil
			}
			s.found(s.damage(p, f, at, p.End, found.first, fmt.Sprintf("%d bytes are no whole batch, though whole ones follow", found.at-at)))
			s.progress(found.at - at)
			at, b = found.at, found
			p.broken, p.claimed = true, -1
		}
		if err := s.take(p, f, r, b); err != nil {
			return err
		}
		at += b.size
		p.claimed = b.first + b.count
		s.progress(b.size)
	}
	return nil
}

// take judges where a whole batch stands.
func (s *scan) take(p *Partition, f segment, r *reader, b batch) error {
	shift := int64(0)
	behindDamage := b.at > 0 && !p.endsAt(f, b.at)
	switch follows := b.first == p.End || b.first > p.End && s.mayBegin(p, b.first); {
	case !follows && behindDamage && b.first > p.End: // said already
	case !follows:
		p.broken = true
		believable, err := s.believable(p, f, r, b)
		if err != nil {
			return err
		}
		switch {
		case b.first > p.End && believable:
			s.found(s.damage(p, f, b.at, p.End, b.first,
				fmt.Sprintf("the log goes on at offset %d, where %d should follow: what was between is missing", b.first, p.End)))
		case b.first < p.End && believable:
			s.found(s.damage(p, f, b.at, b.first, b.first+b.count,
				fmt.Sprintf("offset %d stands where %d should follow: it is there twice, or belongs elsewhere", b.first, p.End)))
			return nil // not taken
		default:
			s.found(s.damage(p, f, b.at, p.End, p.End+b.count,
				fmt.Sprintf("the batch calls itself %d, where %d should follow", b.first, p.End)))
			shift = p.End - b.first
		}
	case b.at == 0 && b.first != f.base:
		s.found(s.damage(p, f, 0, b.first, b.first+b.count,
			fmt.Sprintf("the file is named after offset %d and begins with %d", f.base, b.first)))
	}
	if b.epoch != 0 {
		s.found(s.damage(p, f, b.at+12, b.first+shift, b.first+shift+b.count,
			fmt.Sprintf("the leader epoch is %d, where there is never any but 0", b.epoch)))
	}
	if p.Batches == 0 {
		p.begun = b.sum
	}
	if !p.more {
		if err := s.readGenesis(p, f, r, b); err != nil {
			return err
		}
	}
	p.Batches++
	if n := len(p.spans); n == 0 || p.spans[n-1].path != f.path {
		p.inLast = 0
	}
	p.inLast++
	p.extend(f, b, shift)
	return nil
}

// mayBegin tells whether the records before an offset may rightly be gone: by a topic's
// own retention, or because somebody had them deleted.
func (s *scan) mayBegin(p *Partition, first int64) bool {
	if !p.topic.kept() {
		return true
	}
	snap, _, ok := s.readSnapshot(p)
	return p.Batches == 0 && ok && snap.LogStartOffset >= first
}

// believable tells whether a batch's own offset is right, though it does not follow: the
// file is named after it, it follows the batch before, repeats it, or the next one
// follows it. The checksum does not cover it.
func (s *scan) believable(p *Partition, f segment, r *reader, b batch) (bool, error) {
	if b.at == 0 && b.first == f.base || b.first == p.claimed || b.first == p.last.first && b.sum == p.last.sum {
		return true, nil
	}
	next, whole, err := r.batch(b.at + b.size)
	return whole && next.first == b.first+b.count, err
}

// endsAt tells whether the whole batches end at a place in a file.
func (p *Partition) endsAt(f segment, at int64) bool {
	n := len(p.spans)
	return n > 0 && p.spans[n-1].path == f.path && p.spans[n-1].to == at
}

// extend appends a whole batch to what is whole.
func (p *Partition) extend(f segment, b batch, shift int64) {
	first := b.first + shift
	if n := len(p.spans); n > 0 {
		if l := &p.spans[n-1]; l.path == f.path && l.to == b.at && l.end == first && l.shift == shift && b.epoch == 0 {
			l.to, l.end = b.at+b.size, first+b.count
			p.last, p.End = b, first+b.count
			return
		}
	}
	p.spans = append(p.spans, span{path: f.path, from: b.at, to: b.at + b.size, first: first, end: first + b.count, shift: shift})
	p.last, p.End = b, first+b.count
}

// tail judges bytes at the end of a segment behind which nothing is whole. At the very
// end of a partition that is how a batch looks that was being written when the process
// died; whether it was acknowledged is compared later.
func (s *scan) tail(p *Partition, f segment, at, size int64, last bool) {
	d := s.damage(p, f, at, p.End, -1, fmt.Sprintf("%d bytes are no whole batch", size-at))
	switch {
	case !last:
		d.What += ", though whole ones follow in the next segment"
		s.found(d)
	case size-at > biggestBatch:
		d.What += ", more than one batch can have that was being written"
		s.found(d)
	default:
		p.Torn = &d
	}
}

// damage is one of a partition, from an offset up to another.
func (s *scan) damage(p *Partition, f segment, at, from, to int64, what string) Damage {
	return Damage{File: s.relative(f.path), At: at, Topic: p.Topic, Part: p.Number, From: from, To: to, What: what}
}

// progress says how far it is, about every second.
func (s *scan) progress(n int64) {
	s.done += n
	if s.cfg.Progress == nil || time.Since(s.told) < time.Second {
		return
	}
	s.told = time.Now()
	s.cfg.Progress(s.done, s.total)
}

// snapshot is what a clean stop wrote of a partition.
type snapshot struct {
	HighWatermark  int64 `json:"high_watermark"`
	LogStartOffset int64 `json:"log_start_offset"`
}

// readSnapshot reads it; ok is false if there is none that can be read, which the
// broker passes over as well.
func (s *scan) readSnapshot(p *Partition) (snap snapshot, path string, ok bool) {
	path = filepath.Join(p.place().folder(), "snapshot.json")
	data, err := os.ReadFile(filepath.Join(s.dir, path))
	return snap, path, err == nil && json.Unmarshal(data, &snap) == nil
}
