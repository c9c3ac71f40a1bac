package vault

import (
	"crypto/hmac"
	"encoding/base64"
	"encoding/binary"
	"fmt"
	"strings"
)

// Proof is what a log knows of the keyset that its secrets are sealed and hashed with:
// enough to tell the right one from any other, and nothing that helps to open
// anything. It is bound to the log, so that two logs do not show that they share one.
type Proof struct {
	LogID    string `json:"logId"`
	Keyset   string `json:"keyset"`             // fingerprint of its HKDF key, which is never replaced
	Sealed   string `json:"sealed"`             // a constant, sealed by the AEAD key that was the primary one
	Replaces string `json:"replaces,omitempty"` // fingerprint of the keyset that was given up for this one
}

const (
	purposeProof = "keyset-proof"
	provenWord   = "the keyset of this log"
)

func proofContext(logID string) string { return Context(purposeProof, logID) }

// KeysetID is how the keyset is called on a log: 16 hexadecimal digits.
func (v *Vault) KeysetID(logID string) string { return v.Fingerprint(purposeProof, logID)[:16] }

// Prove makes the proof of this keyset for a log.
func (v *Vault) Prove(logID string) (Proof, error) {
	sealed, err := v.Seal([]byte(provenWord), proofContext(logID))
	return Proof{LogID: logID, Keyset: v.KeysetID(logID), Sealed: sealed}, err
}

// Check compares the keyset with what a log knows. The error names both by their
// fingerprints, or the AEAD key that is missing.
func (v *Vault) Check(p Proof) error {
	if own := v.KeysetID(p.LogID); !hmac.Equal([]byte(own), []byte(p.Keyset)) {
		return fmt.Errorf("its fingerprint is %s, that of the log's keyset is %s", own, p.Keyset)
	}
	word, err := v.Unseal(p.Sealed, proofContext(p.LogID))
	if err != nil || string(word) != provenWord {
		return fmt.Errorf("it lacks the key %d, which has sealed secrets of the log: it is an older copy of keyset %s", p.KeyID(), p.Keyset)
	}
	return nil
}

// KeyID is the id of the AEAD key that sealed the proof; 0 if that cannot be told.
func (p Proof) KeyID() uint32 { return sealedBy(p.Sealed) }

// sealedBy is the id of the AEAD key that sealed a text; 0 if that cannot be told.
func sealedBy(text string) uint32 {
	const prefix = 5 // of Tink: a version and the key's id
	raw, err := base64.RawURLEncoding.DecodeString(strings.TrimPrefix(text, sealedPrefix))
	if err != nil || len(raw) < prefix {
		return 0
	}
	return binary.BigEndian.Uint32(raw[1:prefix])
}

// Newest reports whether a text was sealed by the key that seals now.
func (v *Vault) Newest(sealed string) (bool, error) {
	probe, err := v.Seal(nil, "")
	return err == nil && sealedBy(sealed) == sealedBy(probe), err
}
