package logfolder

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
)

// NotesFile is the name of the notes beside the log.
const NotesFile = "acknowledged"

const logName = "log"

// topic is what topics.json says of one.
type topic struct {
	Name       string            `json:"name"`
	ID         json.RawMessage   `json:"id"`
	Partitions int               `json:"partitions"`
	Replicas   int               `json:"replicas"`
	Configs    map[string]string `json:"configs,omitempty"`
}

type topicsFile struct {
	Version int     `json:"version"`
	Topics  []topic `json:"topics"`
}

// kept tells whether every record of the topic is there for good, so that its offsets
// have no gaps. It is not so where a client asked for retention or compaction.
func (t topic) kept() bool {
	for _, name := range []string{"retention.ms", "retention.bytes"} {
		if v, said := t.Configs[name]; said && v != "-1" {
			return false
		}
	}
	return !strings.Contains(t.Configs["cleanup.policy"], "compact")
}

// place is one partition.
type place struct {
	topic  string
	number int
}

func (p place) String() string { return p.topic + "/" + strconv.Itoa(p.number) }

// folder is where the broker keeps the partition, below the folder of the log.
func (p place) folder() string {
	return filepath.Join(logName, "partitions", fmt.Sprintf("%s-%d", url.PathEscape(p.topic), p.number))
}

// placeOf is the reverse of folder's last part.
func placeOf(name string) (p place, ok bool) {
	at := strings.LastIndexByte(name, '-')
	if at < 1 {
		return p, false
	}
	topic, err1 := url.PathUnescape(name[:at])
	number, err2 := strconv.Atoi(name[at+1:])
	return place{topic, number}, err1 == nil && err2 == nil && number >= 0
}

// readTopics reads topics.json; nil if there is none.
func readTopics(dir string) ([]topic, error) {
	data, err := os.ReadFile(filepath.Join(dir, logName, "topics.json"))
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	var file topicsFile
	if err := json.Unmarshal(data, &file); err != nil {
		return nil, err
	}
	return file.Topics, nil
}

// onDisk lists the partitions that have a folder.
func onDisk(dir string) ([]place, error) {
	entries, err := os.ReadDir(filepath.Join(dir, logName, "partitions"))
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	var all []place
	for _, e := range entries {
		if p, ok := placeOf(e.Name()); ok && e.IsDir() {
			all = append(all, p)
		}
	}
	return all, nil
}

// segment is one file of a partition.
type segment struct {
	path string
	base int64 // offset of its first record
	size int64
}

func (s segment) index() string { return strings.TrimSuffix(s.path, ".dat") + ".idx" }

// segments lists a partition's, in order of their offsets.
func segments(dir string, p place) ([]segment, error) {
	folder := filepath.Join(dir, p.folder())
	entries, err := os.ReadDir(folder)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	var all []segment
	for _, e := range entries {
		name, dat := strings.CutSuffix(e.Name(), ".dat")
		base, err := strconv.ParseInt(name, 10, 64)
		if !dat || err != nil {
			continue
		}
		info, err := e.Info()
		if err != nil {
			return nil, err
		}
		all = append(all, segment{filepath.Join(folder, e.Name()), base, info.Size()})
	}
	slices.SortFunc(all, func(a, b segment) int { return int(min(1, max(-1, a.base-b.base))) })
	return all, nil
}
