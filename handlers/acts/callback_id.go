package acts

import (
	"crypto/hmac"
	"encoding/base64"

	"github.com/google/uuid"
)

// CallbackPath is where the API takes answers to callbacks, without their ids.
const CallbackPath = "/api/v1/callbacks/"

const (
	purposeCallback = "callback"
	callbackProof   = 16 // bytes of the keyed hash in the id of a callback
)

// CallbackID is by what somebody outside answers a call of a session. It says which one, and
// nobody but the server can make it: so nothing needs to be kept of it.
func (l Log) CallbackID(session, call string) string {
	s, c := uuid.MustParse(session), uuid.MustParse(call)
	return base64.RawURLEncoding.EncodeToString(append(append(s[:], c[:]...), l.MAC(purposeCallback, session, call)[:callbackProof]...))
}

// CallbackOf is what CallbackID made an id of.
func (l Log) CallbackOf(id string) (session, call string, ok bool) {
	raw, err := base64.RawURLEncoding.Strict().DecodeString(id)
	if err != nil || len(raw) != 2*16+callbackProof {
		return "", "", false
	}
	session, call = uuid.UUID(raw[:16]).String(), uuid.UUID(raw[16:32]).String()
	return session, call, hmac.Equal(raw[32:], l.MAC(purposeCallback, session, call)[:callbackProof])
}
