package consumer

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"sync"
	"syscall"
)

// Fold makes the consumer's results of one partition: it is given the results as
// they were saved (nil at first) and returns the new ones, JSON, which are saved
// together with the batch's Progress; nil leaves them as they are. What it changes elsewhere may be repeated after a crash (at
// least once); the results never count an event twice.
type Fold func(ctx context.Context, b Batch, results json.RawMessage) (json.RawMessage, error)

// Files is a Sink in a folder of its own: one journal per partition, each Take one
// line that is synced to disk. After a crash, kill -9 and power cut included, it
// stands where the last complete line left it. A journal that has grown is written
// anew beside the old one and takes its place by one rename.
type Files struct {
	dir  string
	fold Fold
	lock *os.File

	mu       sync.Mutex
	journals map[Place]*journal
}

var _ Sink = (*Files)(nil)

// ErrInUse says that another process works in the folder.
var ErrInUse = errors.New("the folder is in use by another process")

// OpenFiles takes the folder for this process, making it if need be. The lock ends
// with the process, however it ends. A nil fold keeps positions and heads only.
func OpenFiles(dir string, fold Fold) (*Files, error) {
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return nil, fmt.Errorf("making the state folder: %w", err)
	}
	lock, err := os.OpenFile(filepath.Join(dir, "lock"), os.O_RDWR|os.O_CREATE, 0o644)
	if err != nil {
		return nil, fmt.Errorf("locking the state folder: %w", err)
	}
	if err := syscall.Flock(int(lock.Fd()), syscall.LOCK_EX|syscall.LOCK_NB); err != nil {
		lock.Close()
		if errors.Is(err, syscall.EWOULDBLOCK) {
			return nil, fmt.Errorf("%s: %w: stop it, or choose another folder", dir, ErrInUse)
		}
		return nil, fmt.Errorf("locking the state folder %s: %w", dir, err)
	}
	return &Files{dir: dir, fold: fold, lock: lock, journals: map[Place]*journal{}}, nil
}

// Close gives the folder back; every Take that returned is on disk already.
func (f *Files) Close() error {
	f.mu.Lock()
	defer f.mu.Unlock()
	var all []error
	for _, j := range f.journals {
		all = append(all, j.close())
	}
	clear(f.journals)
	return errors.Join(append(all, f.lock.Close())...)
}

// Load implements Sink: it reads the journal from the disk again.
func (f *Files) Load(_ context.Context, at Place) (State, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if old := f.journals[at]; old != nil {
		if err := old.close(); err != nil {
			return State{}, err
		}
		delete(f.journals, at)
	}
	j, err := openJournal(filepath.Join(f.dir, fmt.Sprintf("%s-%d.journal", at.Topic, at.Partition)))
	if err != nil {
		return State{}, err
	}
	f.journals[at] = j
	return j.state, nil
}

// Take implements Sink.
func (f *Files) Take(ctx context.Context, b Batch) error {
	f.mu.Lock()
	j := f.journals[b.Place]
	f.mu.Unlock()
	if j == nil {
		return fmt.Errorf("%s was not loaded", b.Place)
	}
	line := entry{Position: &b.Progress.Position, Heads: b.Progress.Heads}
	if f.fold != nil {
		before := j.results
		after, err := f.fold(ctx, b, bytes.Clone(before))
		if err != nil {
			return err
		}
		if after != nil && !bytes.Equal(before, after) {
			line.Results = after
		}
	}
	return j.append(line)
}

// Results are the results of a partition as they were saved last; nil before Load
// and when nothing was saved.
func (f *Files) Results(at Place) json.RawMessage {
	f.mu.Lock()
	defer f.mu.Unlock()
	if j := f.journals[at]; j != nil {
		return j.saved()
	}
	return nil
}
