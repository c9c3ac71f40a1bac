package logfolder

import (
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"hash/crc32"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
)

// ourGroups begin with this. Others may commit what they like.
const ourGroups = "parley-"

// commit is where a consumer group stands.
type commit struct {
	Type      string `json:"type"`
	Group     string `json:"g"`
	Topic     string `json:"t"`
	Partition int    `json:"p"`
	Offset    int64  `json:"o"`
}

// readGroups reads groups.log: entries of a length, a checksum, a version and JSON. The
// last of each group and partition counts. An entry that is not whole in front of one
// that is would set groups back, and their reactors would act again.
func (s *scan) readGroups() error {
	name := filepath.Join(logName, "groups.log")
	data, err := os.ReadFile(filepath.Join(s.dir, name))
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	entries, end := groupEntries(data)
	if _, at := nextGroupEntry(data, end); at >= 0 {
		s.found(Damage{File: name, At: int64(end), From: -1, To: -1,
			What: fmt.Sprintf("%d bytes are no whole entry, though whole ones follow: consumer groups would be set back", at-end)})
	}
	stand := map[commit]int64{}
	for _, e := range entries {
		var c commit
		if json.Unmarshal(e, &c) != nil || !strings.HasPrefix(c.Group, ourGroups) {
			continue
		}
		offset := c.Offset
		key := commit{Group: c.Group, Topic: c.Topic, Partition: c.Partition}
		switch c.Type {
		case "commit":
			stand[key] = offset
		case "delete":
			delete(stand, key)
		}
	}
	for c, offset := range stand {
		c.Offset = offset
		s.groups = append(s.groups, c)
	}
	return nil
}

const groupEntryHead = 8 // length and checksum

// groupEntries reads the whole ones from the start, and where they end.
func groupEntries(data []byte) (entries [][]byte, end int) {
	for {
		body, size := groupEntry(data[end:])
		if size == 0 {
			return entries, end
		}
		entries = append(entries, body)
		end += size
	}
}

// groupEntry reads one; size is 0 if there is none that is whole.
func groupEntry(data []byte) (body []byte, size int) {
	if len(data) < groupEntryHead+2 {
		return nil, 0
	}
	length := int64(binary.LittleEndian.Uint32(data))
	if length < 2 || groupEntryHead+length > int64(len(data)) {
		return nil, 0
	}
	framed := data[groupEntryHead : groupEntryHead+length]
	if crc32.Checksum(framed, castagnoli) != binary.LittleEndian.Uint32(data[4:]) {
		return nil, 0
	}
	return framed[2:], groupEntryHead + int(length)
}

// nextGroupEntry finds the first whole one behind a place that is none; at is -1 if there
// is none.
func nextGroupEntry(data []byte, from int) (body []byte, at int) {
	for at := from + 1; at < len(data); at++ {
		if body, size := groupEntry(data[at:]); size > 0 && json.Valid(body) {
			return body, at
		}
	}
	return nil, -1
}
