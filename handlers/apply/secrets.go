package apply

import (
	"bytes"
	"crypto/rand"
	"encoding/base64"
	"encoding/json"
	"strings"

	"github.com/parley-platform/parley/domain/event"
)

// Vault seals secrets before they become part of a command. A fingerprint is keyed,
// and equal for two sealings of the same secret of the same thing.
type Vault interface {
	SealClientSecret(tenantID, clientID string, secret []byte) (sealed, fingerprint string, err error)
	SealWebhookSecret(tenantID, projectID string, secret []byte) (sealed, fingerprint string, err error)
	SealTrunkPassword(tenantID, name string, password []byte) (sealed, fingerprint string, err error)
	SealCredential(tenantID, connectionID, name string, value []byte) (sealed, fingerprint string, err error)
	MAC(purpose string, parts ...string) []byte
	SealModelKey(tenantID, provider string, key []byte) (sealed, fingerprint string, err error)
}

// MaxSecret is the longest secret of a manifest, in bytes.
const MaxSecret = 4096

// secret is one that can stand in a command.
type secret struct {
	sealed      string
	fingerprint string
	generated   bool
}

// generated is a secret that was made here, until it is known whether it was used.
type generated struct {
	field  string
	plain  string
	sealed string
}

// sealSecret seals the secret that a manifest names in a field. Without one a fresh
// secret is offered to the command, which takes it only where there is none yet.
func (d *draft) sealSecret(field, plain string, seal func(tenantID, id string, plain []byte) (string, string, error), id string) (secret,
	error) {
	s := secret{generated: plain == ""}
	if len(plain) > MaxSecret {
		d.fault(field, "must be at most %d bytes", MaxSecret)
		return s, nil
	}
	if s.generated {
		plain = freshSecret()
	}
	var err error
	if s.sealed, s.fingerprint, err = seal(d.meta.Tenant, id, []byte(plain)); err != nil {
		return secret{}, err
	}
	if s.generated {
		d.generated = append(d.generated, generated{field, plain, s.sealed})
	}
	return s, nil
}

// freshSecret is 32 random bytes as text.
func freshSecret() string {
	var raw [32]byte
	_, _ = rand.Read(raw[:]) // never fails: the runtime ends the process instead
	return base64.RawURLEncoding.EncodeToString(raw[:])
}

// revealed are the generated secrets that the accepted events hold. A secret that
// the command did not take is nobody's.
func (d *draft) revealed() map[string]string {
	var out map[string]string
	for _, g := range d.generated {
		for _, s := range d.steps {
			for _, p := range s.raised().payloads {
				data, err := json.Marshal(p)
				if err != nil || !bytes.Contains(data, []byte(g.sealed)) {
					continue
				}
				if out == nil {
					out = map[string]string{}
				}
				out[g.field] = g.plain
			}
		}
	}
	return out
}

// hidden stands where a secret was.
const hidden = "(sealed)"

// secretMembers are the members of events that hold sealed secrets or fingerprints.
var secretMembers = map[string]bool{
	"secret": true, "webhookSecret": true, "password": true, "apiKey": true, "credentials": true,
	"secretFingerprint": true, "passwordFingerprint": true, "apiKeyFingerprint": true,
}

// withoutSecrets is the JSON of an event that may be shown. Sealed texts would tell
// nothing, but they have no business outside of the log.
func withoutSecrets(p event.Payload) json.RawMessage {
	data, err := json.Marshal(p)
	if err != nil {
		return nil
	}
	var members map[string]json.RawMessage
	if json.Unmarshal(data, &members) != nil {
		return nil
	}
	for name, value := range members {
		if strings.HasSuffix(name, "Fingerprint") && secretMembers[name] {
			delete(members, name)
			continue
		}
		if secretMembers[name] && string(value) != `""` {
			members[name] = json.RawMessage(`"` + hidden + `"`)
		}
	}
	shown, err := json.Marshal(members)
	if err != nil {
		return nil
	}
	return shown
}
