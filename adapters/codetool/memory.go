package codetool

import (
	"context"
	"encoding/json"
	"errors"

	"github.com/parley-platform/parley/domain/fault"
	"github.com/parley-platform/parley/domain/memories"
)

// Memory does something to the memory of a program, in the process that started the child. What it
// refuses with a fault, the program can catch.
type Memory func(ctx context.Context, u Use) (Used, error)

// Use is what a program wants of a store.
type Use struct {
	Action  string          `json:"action"` // get, set or delete
	Store   string          `json:"store"`
	Content json.RawMessage `json:"content"` // of set; empty: none was given
	Version *int            `json:"version"` // the one that the program has read; nil: it says none
}

// Used is what came of it.
type Used struct {
	Content json.RawMessage // of get
	Version int             // of get and set
}

// Bounds of what a program does to its memory.
const (
	mostUses = 100       // in one call
	mostUse  = 512 << 10 // bytes; a store is smaller
)

// refusal is an error as programs see it.
type refusal struct {
	Code    fault.Code `json:"code"`
	Message string     `json:"message"`
	Field   string     `json:"field,omitempty"`
}

func refused(err error) json.RawMessage {
	told := refusal{Code: fault.Internal, Message: "the memory cannot be used"}
	if e := (*fault.Error)(nil); errors.As(err, &e) {
		told.Code, told.Message = e.Code, e.Message
		if len(e.Details) > 0 {
			told.Field = e.Details[0].Field
		}
	}
	return encoded(map[string]any{"error": told})
}

func encoded(v any) json.RawMessage {
	out, err := json.Marshal(v)
	if err != nil {
		return json.RawMessage(`{"error": {"code": "INTERNAL_ERROR", "message": "the memory has what is no JSON"}}`)
	}
	return out
}

// tooLarge is what comes of a use that no store has room for.
var tooLarge = refused(fault.New(fault.TooLarge, "content may have %d bytes as JSON", memories.MaxContent))

// do does what a child asks for, which is not trusted. n says how many there were before.
func (m Memory) do(ctx context.Context, asked json.RawMessage, n int) json.RawMessage {
	var raw struct{ Store, Version, Content json.RawMessage }
	var u Use
	switch {
	case m == nil || json.Unmarshal(asked, &raw) != nil:
		return refused(fault.New(fault.Forbidden, "the tool has no STORES"))
	case n >= mostUses:
		return refused(fault.New(fault.LimitReached, "one call may use its memory %d times", mostUses))
	case json.Unmarshal(raw.Store, &u.Store) != nil || u.Store == "":
		return refused(fault.Field("store", "must be the name of a store"))
	case len(raw.Version) > 0 && json.Unmarshal(raw.Version, &u.Version) != nil, u.Version != nil && *u.Version < 0:
		return refused(fault.Field("version", "must be the version that was read: a whole number, 0 of a store that was never written"))
	case json.Unmarshal(asked, &u) != nil:
		return refused(fault.New(fault.BadRequest, "the memory has get, set and delete"))
	}
	used, err := m(ctx, u)
	switch {
	case err != nil:
		return refused(err)
	case u.Action == "get":
		return encoded(map[string]any{"value": map[string]any{"content": used.Content, "version": used.Version}})
	case u.Action == "set":
		return encoded(map[string]any{"value": map[string]any{"version": used.Version}})
	}
	return encoded(map[string]any{"value": map[string]any{"deleted": true}})
}
