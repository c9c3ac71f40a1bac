package voice

import (
	"slices"

	"github.com/parley-platform/parley/domain/calls"
)

// KeyReader makes digits of telephone events (RFC 4733): one for each, however often it is repeated, and however late.
type KeyReader struct {
	told []uint32 // timestamps of the events that were told last
}

// latestKeys are remembered: a packet that is late by as many keys is nobody's.
const latestKeys = 16

// Take reads the payload of a packet. ok is true when it is a key that was not told yet.
func (k *KeyReader) Take(stamp uint32, payload []byte) (digit string, ok bool) {
	if len(payload) < 4 || int(payload[0]) >= len(calls.Keys) || slices.Contains(k.told, stamp) {
		return "", false
	}
	k.told = append(k.told[max(0, len(k.told)+1-latestKeys):], stamp)
	return calls.Keys[payload[0] : payload[0]+1], true
}
