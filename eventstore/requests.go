package eventstore

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"maps"

	"github.com/google/uuid"
)

// Requests finds what a request led to that nobody keeps any more. An Index may implement it beside Load; of a long stream
// a node, and a snapshot, then keep the first requests and the newest ones.
type Requests interface {
	// Request is the first record of the commit that a request led to, if that is behind version RequestsKept of the
	// stream; of several the newest, nil: there is none.
	Request(ctx context.Context, stream, id string) (*Record, error)
}

// RequestsKept is how many versions from the beginning of a stream, and back from its newest event, have their requests
// kept where others are not.
const RequestsKept = 256

var ( // tests keep fewer
	requestsKept  int64 = RequestsKept
	mostRead            = 3 * RequestsKept // requests of a stream that is read, and of its snapshot
	mostCollected       = 1 << 16          // and of one that a node goes on with, which asks nothing as long as it has all of them
)

// request is one idempotent request that the stream has answered.
type request struct {
	hash     string
	from, to int64   // versions of its commit
	flight   *flight // while its commit is on its way
}

func requestOf(first *Record) *request {
	return &request{hash: first.RequestHash, from: first.Version, to: first.Version + int64(first.CommitSize) - 1}
}

// answered are the requests that a stream has answered.
type answered struct {
	of   map[string]*request // by request id
	gone int64               // of those from behind the first ones up to this version the index knows; 0: all are here
}

func noneAnswered() answered { return answered{of: map[string]*request{}} }

// forget leaves to the index what is neither among the first nor among the newest, where there are more than that many and
// it can be asked. What is on its way stays: it is not in the index yet.
func (a *answered) forget(index Index, head int64, most int) {
	if _, can := index.(Requests); !can || len(a.of) <= most {
		return
	}
	for id, r := range a.of {
		if r.flight == nil && r.from > requestsKept && r.to <= head-requestsKept {
			delete(a.of, id)
			a.gone = max(a.gone, r.to)
		}
	}
}

// short is a copy of what a snapshot keeps of them.
func (a *answered) short(index Index, head int64) answered {
	out := answered{of: maps.Clone(a.of), gone: a.gone}
	out.forget(index, head, mostRead)
	return out
}

// known is what the command's request has led to before; nil: nothing. The caller has the turn.
func (x *execution[S]) known(ctx context.Context, e *entry[S], epoch uint64) (*request, error) {
	if x.cmd.RequestID == "" {
		return nil, nil
	}
	if r := e.requests.of[x.cmd.RequestID]; r != nil {
		seen := *r // settle changes it
		return &seen, nil
	}
	index, can := x.s.Index.(Requests)
	if e.requests.gone == 0 || !can {
		return nil, nil
	}
	first, err := index.Request(ctx, x.stream, x.cmd.RequestID)
	switch {
	case err != nil:
		return nil, unavailable(x.stream, err)
	case x.s.Follower.Epoch() != epoch: // it may have been asked of an index that went back
		return nil, errAgain
	case first == nil:
		return nil, nil
	}
	return requestOf(first), nil
}

// MAC is a keyed hash over length-prefixed parts, under a key per purpose
// (adapters/vault provides it).
type MAC func(purpose string, parts ...string) []byte

// RequestID is the ce_requestid of a client's Idempotency-Key: it tells nothing
// about the key, and the same key on another operation, path or tenant is another id.
func RequestID(mac MAC, tenant, operation, path, key string) string {
	return hex.EncodeToString(mac("request", tenant, operation, path, key)[:16])
}

// CauseID is the request id of a command that a reactor derives from an event:
// the same event and step give the same command once.
func CauseID(reactor, eventID, step string) string {
	sum := sha256.Sum256([]byte(reactor + "\x00" + eventID + "\x00" + step))
	return hex.EncodeToString(sum[:16])
}

// DerivedID is the UUIDv8 of a thing that a request creates: both tries of a
// request id meet at version 1 of the same stream. Without a request id it is a
// fresh UUIDv7.
func DerivedID(mac MAC, requestID, what string) uuid.UUID {
	if requestID == "" {
		return uuid.Must(uuid.NewV7())
	}
	var id uuid.UUID
	copy(id[:], mac("id", requestID, what))
	id[6] = id[6]&0x0f | 0x80
	id[8] = id[8]&0x3f | 0x80
	return id
}

// RequestHash is the ce_requesthash of what a client asked for: without the key nobody can
// try what that was.
func RequestHash(mac MAC, canonical []byte) string {
	return hex.EncodeToString(mac("request-hash", string(canonical))[:16])
}
