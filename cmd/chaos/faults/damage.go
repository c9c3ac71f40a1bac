package faults

import (
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// damage is one way in which a log on disk becomes what was not written. It names the
// files, or the folders of partitions, one of which a refusal must name.
type damage struct {
	name string
	do   func(p partitions, r *rand.Rand) (where []string, err error)
}

var damages = []damage{
	{"flip a byte in the middle", flipByte},
	{"cut a segment in half", cutSegment},
	{"empty a segment", emptySegment},
	{"delete a partition", deletePartition},
	{"swap two partitions", swapPartitions},
	{"write a batch twice", doubleBatch},
}

// partitions are the segments of a broker's folder that hold several batches, the folder
// of a partition each: PATH/TOPIC-N/0.dat.
type partitions []string

// leastBatches is how many batches a segment must have to be damaged: so many that there
// is something whole on both sides.
const leastBatches = 4

// partitionsIn finds them, of Parley's topics whose names begin with a prefix.
func partitionsIn(folder, prefix string) (found partitions, err error) {
	err = filepath.WalkDir(folder, func(path string, e fs.DirEntry, err error) error {
		if err != nil || e.IsDir() || filepath.Ext(path) != ".dat" || !strings.HasPrefix(partitionOf(path), prefix) {
			return err
		}
		data, err := os.ReadFile(path)
		if len(batchesOf(data)) >= leastBatches {
			found = append(found, path)
		}
		return err
	})
	if err == nil && len(found) < 2 {
		err = fmt.Errorf("%s has %d partitions of %s with %d batches or more: too few to damage", folder, len(found), prefix, leastBatches)
	}
	slices.Sort(found)
	return found, err
}

// partitionOf is TOPIC-N of a segment.
func partitionOf(segment string) string { return filepath.Base(filepath.Dir(segment)) }

func (p partitions) one(r *rand.Rand) string { return p[r.IntN(len(p))] }

// batchesOf is where each batch of a segment begins: it begins with the offset of its
// first record and the length of what follows (Kafka's record batch).
func batchesOf(data []byte) (starts []int) {
	for at := 0; at+12 <= len(data); {
		size := 12 + int(binary.BigEndian.Uint32(data[at+8:]))
		if at+size > len(data) {
			break
		}
		starts = append(starts, at)
		at += size
	}
	return starts
}

// change rewrites a segment.
func change(segment string, how func(data []byte) []byte) ([]string, error) {
	data, err := os.ReadFile(segment)
	if err != nil {
		return nil, err
	}
	return []string{partitionOf(segment)}, os.WriteFile(segment, how(data), 0o600)
}

// flipByte changes one bit of a batch that has others before and after it.
func flipByte(p partitions, r *rand.Rand) ([]string, error) {
	return change(p.one(r), func(data []byte) []byte {
		starts := batchesOf(data)
		n := 1 + r.IntN(len(starts)-2)
		data[starts[n]+r.IntN(starts[n+1]-starts[n])] ^= 1 << r.IntN(8)
		return data
	})
}

func cutSegment(p partitions, r *rand.Rand) ([]string, error) {
	return change(p.one(r), func(data []byte) []byte { return data[:len(data)/2] })
}

func emptySegment(p partitions, r *rand.Rand) ([]string, error) {
	return change(p.one(r), func([]byte) []byte { return nil })
}

func deletePartition(p partitions, r *rand.Rand) ([]string, error) {
	segment := p.one(r)
	return []string{partitionOf(segment)}, os.RemoveAll(filepath.Dir(segment))
}

func swapPartitions(p partitions, r *rand.Rand) ([]string, error) {
	order := r.Perm(len(p))
	a, b := filepath.Dir(p[order[0]]), filepath.Dir(p[order[1]])
	aside := a + ".aside"
	return []string{filepath.Base(a), filepath.Base(b)}, errors.Join(os.Rename(a, aside), os.Rename(b, a), os.Rename(aside, b))
}

// doubleBatch appends the last batch once more, as a write that is repeated by a disk does.
func doubleBatch(p partitions, r *rand.Rand) ([]string, error) {
	return change(p.one(r), func(data []byte) []byte {
		starts := batchesOf(data)
		return append(data, data[starts[len(starts)-1]:]...)
	})
}

// lockFile says which process has a folder open; it is not of the log.
const lockFile = "parley.lock"

// digest is what a log holds, byte for byte, by the names of its files.
func digest(folder string) (map[string]string, error) {
	out := map[string]string{}
	return out, filepath.WalkDir(folder, func(path string, e fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		name, err := filepath.Rel(folder, path)
		if err != nil || name == lockFile {
			return err
		}
		if e.IsDir() {
			out[name] = "folder"
			return nil
		}
		data, err := os.ReadFile(path)
		sum := sha256.Sum256(data)
		out[name] = hex.EncodeToString(sum[:])
		return err
	})
}

// changed names what differs between two digests.
func changed(before, after map[string]string) (names []string) {
	for name, sum := range before {
		if after[name] != sum {
			names = append(names, name)
		}
	}
	for name := range after {
		if before[name] == "" {
			names = append(names, name)
		}
	}
	slices.Sort(names)
	return names
}
