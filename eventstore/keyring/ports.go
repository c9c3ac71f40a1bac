package keyring

import (
	"context"
	"errors"
	"time"

	"github.com/parley-platform/parley/eventstore/sealed"
)

// Record is what stands on the topic under a key's id; the last one of an id holds.
type Record struct {
	ID       sealed.ID
	Wrapped  string    // the secret, wrapped by the master key; empty: the key is erased
	MadeAt   time.Time // when the key was made
	ErasedAt time.Time // zero: it is not
}

// Erased reports whether the key is gone for good.
func (r Record) Erased() bool { return r.Wrapped == "" }

// Topic is the one compacted topic of the log, parley.keys.
type Topic interface {
	// Append writes records in one batch; without an error they are durable.
	Append(ctx context.Context, records []Record) error
	// Read returns what stands from an offset on, and where to go on. It waits a while for
	// something to come.
	Read(ctx context.Context, from int64) (records []Record, next int64, err error)
	// End is behind the newest record.
	End(ctx context.Context) (int64, error)
}

// Table keeps what was read of the topic, for keys that no node remembers.
type Table interface {
	// Next is the offset up to which it has the topic, ErrUnmade before there is a table.
	Next(ctx context.Context) (int64, error)
	// Put adds what was read from one offset to the next. Of several nodes that put the same,
	// the first does it. An erased key stays erased. It returns how far the table is. Where all of them are keys
	// that it was found not to have it need not look for them again.
	Put(ctx context.Context, from, next int64, records []Record, allNew bool) (int64, error)
	// Find returns the records of those ids that it has.
	Find(ctx context.Context, ids []sealed.ID) ([]Record, error)
}

// Wrapper is the master key.
type Wrapper interface {
	Seal(plaintext []byte, context string) (string, error)
	Unseal(sealed, context string) ([]byte, error)
}

// ErrUnmade says that the database is a new one: whoever prepares it makes the table.
var ErrUnmade = errors.New("the table of keys is not made yet")

// ErrLost says that a key is neither on the topic nor erased: the topic was cut, or is not
// this log's. Nothing can be done with what was sealed with it until it is back.
var ErrLost = errors.New("the key is not on parley.keys, and was not erased: bring that topic back as it was")

// ErrShut says that a key was wrapped by another master key.
var ErrShut = errors.New("the key does not open with this keyset: put the keyset file of this log back")
