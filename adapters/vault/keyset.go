package vault

import (
	"bytes"
	"crypto/hmac"
	"errors"
	"fmt"
	"slices"

	"github.com/tink-crypto/tink-go/v2/aead"
	"github.com/tink-crypto/tink-go/v2/insecurecleartextkeyset"
	"github.com/tink-crypto/tink-go/v2/keyset"
	"github.com/tink-crypto/tink-go/v2/prf"
	tinkpb "github.com/tink-crypto/tink-go/v2/proto/tink_go_proto"
	"google.golang.org/protobuf/proto"
)

// hkdfKeyType is the Tink type of the one key that hashes are derived from; every
// other key of the keyset seals.
const hkdfKeyType = "type.googleapis.com/google.crypto.tink.HkdfPrfKey"

// generate makes a keyset with one AEAD key, its primary, and the HKDF key.
// XChaCha20-Poly1305, because its long nonces set no bound to the number of
// sealings with one key.
func generate() (*keyset.Handle, error) {
	m := keyset.NewManager()
	sealing, err := m.Add(aead.XChaCha20Poly1305KeyTemplate())
	if err != nil {
		return nil, errors.New("making an AEAD key failed")
	}
	if err := m.SetPrimary(sealing); err != nil {
		return nil, errors.New("making an AEAD key failed")
	}
	if _, err := m.Add(prf.HKDFSHA256PRFKeyTemplate()); err != nil {
		return nil, errors.New("making the HKDF key failed")
	}
	return m.Handle()
}

// split parts the keyset by what its keys are for, as Tink makes a primitive only
// of keys of one kind. Two HKDF keys are refused rather than one of them chosen:
// the wrong choice would make every stored hash worthless.
func split(h *keyset.Handle) (sealing, hashing *keyset.Handle, err error) {
	all := insecurecleartextkeyset.KeysetMaterial(h)
	seal, hash := &tinkpb.Keyset{PrimaryKeyId: all.PrimaryKeyId}, &tinkpb.Keyset{}
	for _, key := range all.Key {
		if key.GetKeyData().GetTypeUrl() == hkdfKeyType {
			hash.Key, hash.PrimaryKeyId = append(hash.Key, key), key.KeyId
			continue
		}
		seal.Key = append(seal.Key, key)
	}
	switch {
	case len(hash.Key) != 1 || hash.Key[0].Status != tinkpb.KeyStatusType_ENABLED:
		return nil, nil, fmt.Errorf("it must hold exactly one HKDF key, enabled, and holds %d", len(hash.Key))
	case !slices.ContainsFunc(seal.Key, func(k *tinkpb.Keyset_Key) bool { return k.KeyId == seal.PrimaryKeyId }):
		return nil, nil, errors.New("its primary key must be an AEAD key")
	}
	if sealing, err = handle(seal); err != nil {
		return nil, nil, err
	}
	hashing, err = handle(hash)
	return sealing, hashing, err
}

// handle makes Tink's form of a part of the keyset.
func handle(part *tinkpb.Keyset) (*keyset.Handle, error) {
	raw, err := proto.Marshal(part)
	if err != nil {
		return nil, fmt.Errorf("taking the keyset apart: %w", err)
	}
	h, err := insecurecleartextkeyset.Read(keyset.NewBinaryReader(bytes.NewReader(raw)))
	if err != nil {
		return nil, fmt.Errorf("reading a part of the keyset: %w", err)
	}
	return h, nil
}

// AddKey adds an AEAD key to the keyset file and gives its id. The key opens from
// now on but seals nothing before UseKey, so that with several nodes the file can
// reach all of them (a restart each) in between.
func (v *Vault) AddKey() (id uint32, err error) {
	err = v.change(func(m *keyset.Manager) (err error) {
		if id, err = m.Add(aead.XChaCha20Poly1305KeyTemplate()); err != nil {
			return errors.New("no key can be added")
		}
		return nil
	})
	return id, err
}

// ErrNoKey is the error of an id that no key of the keyset has.
var ErrNoKey = errors.New("it is not in the file")

// UseKey makes an added key the one that seals. What other keys have sealed still
// opens.
func (v *Vault) UseKey(id uint32) error {
	return v.change(func(m *keyset.Manager) error {
		if err := m.SetPrimary(id); err != nil {
			return fmt.Errorf("key %d cannot be used: %w", id, ErrNoKey)
		}
		return nil
	})
}

// change rewrites the file and then this vault. It starts from the file as it is
// now, so that a change by another process is kept, and refuses a file whose HKDF
// key is another than this vault's.
func (v *Vault) change(edit func(*keyset.Manager) error) error {
	v.changing.Lock()
	defer v.changing.Unlock()
	h, err := read(v.path)
	if err != nil {
		return err
	}
	m := keyset.NewManagerFromHandle(h)
	if err := edit(m); err != nil {
		return fmt.Errorf("keyset file %s: %w", v.path, err)
	}
	if h, err = m.Handle(); err != nil {
		return fmt.Errorf("keyset file %s: the changed keyset is not valid", v.path)
	}
	next, err := newVault(v.path, h)
	if err != nil {
		return fmt.Errorf("keyset file %s: %w", v.path, err)
	}
	const probe = "is it the same secret"
	if !hmac.Equal(v.MAC(probe), next.MAC(probe)) {
		return fmt.Errorf("keyset file %s: its HKDF key is not the one in use; put the original file back", v.path)
	}
	if err := replace(v.path, h); err != nil {
		return err
	}
	v.sealer.Store(next.sealer.Load())
	return nil
}
