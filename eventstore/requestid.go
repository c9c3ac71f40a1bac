package eventstore

import (
	"crypto/sha256"
	"encoding/hex"

	"github.com/google/uuid"
)

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
