package node_test

import (
	"bufio"
	"encoding/json"
	"net/http"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// told is one event of a turn that is streamed.
type told struct {
	name string
	data map[string]any
	raw  string
}

// turnReader reads a turn as it is told.
type turnReader struct {
	*http.Response
	lines *bufio.Scanner
}

// next is the next event; false: there is none any more.
func (r *turnReader) next(t *testing.T) (e told, ok bool) {
	t.Helper()
	for r.lines.Scan() {
		switch key, value, _ := strings.Cut(r.lines.Text(), ": "); key {
		case "event":
			e.name = value
		case "data":
			e.raw = value
			require.NoError(t, json.Unmarshal([]byte(value), &e.data))
		case "":
			if e.name != "" || r.lines.Text() == "" && e.raw != "" {
				return e, true
			}
		}
	}
	return e, false
}

func (r *turnReader) until(t *testing.T, name string) (all []told) {
	t.Helper()
	for {
		e, ok := r.next(t)
		require.True(t, ok, "no %s came after %v", name, all)
		if all = append(all, e); e.name == name {
			return all
		}
	}
}

func (r *turnReader) rest(t *testing.T) (all []told) {
	t.Helper()
	for e, ok := r.next(t); ok; e, ok = r.next(t) {
		all = append(all, e)
	}
	return all
}
