package consumer

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"hash/crc32"
	"io"
	"os"
	"path/filepath"
	"sync"
)

// entry is one line of a journal: what a Take changed. Lines without a position
// are heads of a journal that was written anew; they count with the next line that
// has one.
type entry struct {
	Position *Position       `json:"position,omitempty"`
	Heads    map[string]Head `json:"heads,omitempty"`
	Results  json.RawMessage `json:"results,omitempty"`
}

// journal is the file of one partition and what it says.
type journal struct {
	path  string
	file  *os.File
	state State // shared with the reader, which adds the same Progress again

	mu      sync.Mutex
	results json.RawMessage

	size  int64 // of the file
	fresh int64 // of the file when it was last written anew
}

// room is how much a journal grows before it is written anew, beside its own size.
const room = 1 << 20

// chunk is how many heads go into one line of a journal that is written anew.
const chunk = 1000

func openJournal(path string) (*journal, error) {
	file, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE, 0o644)
	if err != nil {
		return nil, fmt.Errorf("opening the journal: %w", err)
	}
	j := &journal{path: path, file: file, state: State{Heads: map[string]Head{}}}
	if err := errors.Join(j.read(), syncFolder(path)); err != nil {
		file.Close()
		return nil, err
	}
	j.fresh = j.size
	return j, nil
}

// read takes in the complete lines and cuts off what a crash left behind them.
func (j *journal) read() error {
	in := bufio.NewReaderSize(j.file, 1<<20)
	var good, at int64
	var heads []map[string]Head
	for number := 1; ; number++ {
		line, err := in.ReadBytes('\n')
		if err != nil && !errors.Is(err, io.EOF) {
			return fmt.Errorf("reading %s: %w", j.path, err)
		}
		at += int64(len(line))
		var e entry
		if err != nil || !decode(line, &e) {
			if _, more := in.Peek(1); more == nil { // damage in the middle is no crash of ours
				return fmt.Errorf("%s: line %d is damaged and others follow it: restore the folder from a backup, or remove it to begin at offset 0",
					j.path, number)
			}
			break
		}
		heads = append(heads, e.Heads)
		if e.Results != nil {
			j.results = e.Results
		}
		if e.Position == nil {
			continue
		}
		for _, h := range heads {
			j.state.Add(Progress{Position: *e.Position, Heads: h})
		}
		heads, good = nil, at
	}
	j.size = good
	if err := j.file.Truncate(good); err != nil {
		return fmt.Errorf("cutting the unfinished end of %s: %w", j.path, err)
	}
	if _, err := j.file.Seek(good, io.SeekStart); err != nil {
		return fmt.Errorf("reading %s: %w", j.path, err)
	}
	return nil
}

// append writes one line and returns when it is on the disk.
func (j *journal) append(e entry) error {
	line, err := encode(e)
	if err != nil {
		return err
	}
	if _, err := j.file.Write(line); err != nil {
		return fmt.Errorf("writing %s: %w", j.path, err)
	}
	if err := j.file.Sync(); err != nil {
		return fmt.Errorf("writing %s: %w", j.path, err)
	}
	j.size += int64(len(line))
	j.state.Add(Progress{Position: *e.Position, Heads: e.Heads})
	j.mu.Lock()
	if e.Results != nil {
		j.results = e.Results
	}
	j.mu.Unlock()
	if j.size > 2*j.fresh+room {
		return j.rewrite()
	}
	return nil
}

// rewrite puts a journal without history in the place of this one.
func (j *journal) rewrite() error {
	tmp, err := os.Create(j.path + ".new")
	if err != nil {
		return fmt.Errorf("writing the journal anew: %w", err)
	}
	size, err := j.whole(tmp)
	if err == nil {
		err = tmp.Sync()
	}
	if err == nil {
		err = os.Rename(tmp.Name(), j.path)
	}
	if err == nil {
		err = syncFolder(j.path)
	}
	if err != nil {
		tmp.Close()
		return fmt.Errorf("writing the journal anew: %w", err)
	}
	_ = j.file.Close()
	j.file, j.size, j.fresh = tmp, size, size
	return nil
}

func (j *journal) whole(w io.Writer) (size int64, err error) {
	out := bufio.NewWriterSize(w, 1<<20)
	put := func(e entry) error {
		line, err := encode(e)
		if err == nil {
			_, err = out.Write(line)
		}
		size += int64(len(line))
		return err
	}
	some := map[string]Head{}
	for stream, head := range j.state.Heads {
		some[stream] = head
		if len(some) == chunk {
			if err := put(entry{Heads: some}); err != nil {
				return 0, err
			}
			clear(some)
		}
	}
	if err := put(entry{Position: &j.state.Position, Heads: some, Results: j.results}); err != nil {
		return 0, err
	}
	return size, out.Flush()
}

func (j *journal) saved() json.RawMessage {
	j.mu.Lock()
	defer j.mu.Unlock()
	return bytes.Clone(j.results)
}

func (j *journal) close() error { return j.file.Close() }

// encode makes a line: its checksum, a space, JSON.
func encode(e entry) ([]byte, error) {
	body, err := json.Marshal(e)
	if err != nil {
		return nil, fmt.Errorf("encoding the state: %w", err)
	}
	line := fmt.Appendf(nil, "%08x ", crc32.ChecksumIEEE(body))
	return append(append(line, body...), '\n'), nil
}

func decode(line []byte, e *entry) bool {
	var sum uint32
	if len(line) < 11 || line[8] != ' ' {
		return false
	}
	if _, err := fmt.Sscanf(string(line[:8]), "%08x", &sum); err != nil {
		return false
	}
	body := bytes.TrimSuffix(line[9:], []byte{'\n'})
	return crc32.ChecksumIEEE(body) == sum && json.Unmarshal(body, e) == nil
}

// syncFolder makes a new name in a folder survive a power cut.
func syncFolder(path string) error {
	dir, err := os.Open(filepath.Dir(path))
	if err != nil {
		return fmt.Errorf("syncing the state folder: %w", err)
	}
	defer dir.Close()
	if err := dir.Sync(); err != nil {
		return fmt.Errorf("syncing the state folder: %w", err)
	}
	return nil
}
