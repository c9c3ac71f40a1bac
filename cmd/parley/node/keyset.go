package node

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"time"

	"github.com/google/uuid"

	"github.com/parley-platform/parley/adapters/kafka"
	"github.com/parley-platform/parley/adapters/vault"
	"github.com/parley-platform/parley/cmd/parley/exit"
	"github.com/parley-platform/parley/domain/access"
)

// KeysetTopic holds the proofs of the log's keyset: one when the log began, one for
// each AEAD key that became the primary one, one for each keyset that was given up.
const KeysetTopic = "parley.keyset"

// keysetType is the ce_type of a proof, see eventstore.NoteSource.
const keysetType = "parley.keyset.v1"

// KeysetLog is what is asked of a log to know its keyset.
type KeysetLog interface {
	LogID() string
	Empty(ctx context.Context) (bool, error)
	Notes(ctx context.Context, topic string) ([][]byte, error)
	Note(ctx context.Context, topic, kind, id string, value []byte) error
}

// whatIsLost is said wherever the right keyset may be gone.
const whatIsLost = "Without that file no sealed secret (of clients, webhooks, trunks, callers' headers) can ever be opened and no " +
	"API key works; the events themselves stay readable. " +
	"If there is no copy of it: parley serve --replace-keyset begins with another one, after which Clients, Projects and Trunks are " +
	"applied again with new secrets, and API keys are made anew"

// holdKeyset takes the master key: the one that the log knows, and no other. A key is
// made for an empty log only.
func (n *Node) holdKeyset(ctx context.Context) (err error) {
	ctx, cancel := context.WithTimeout(ctx, time.Minute)
	defer cancel()
	k := keysetHolder{log: n.kafka, path: n.cfg.Keyset, replace: n.cfg.ReplaceKeyset, sealed: func(ctx context.Context) ([]sealedSecret,
		error) {
		return sealedSecrets(ctx, n.kafka)
	}}
	n.vault, err = k.hold(ctx)
	return err
}

// keysetHolder settles which keyset a node works with.
type keysetHolder struct {
	log     KeysetLog
	path    string
	replace bool // the log's keyset is lost for good
	sealed  func(context.Context) ([]sealedSecret, error)
}

func (k keysetHolder) hold(ctx context.Context) (*vault.Vault, error) {
	proofs, err := KeysetProofs(ctx, k.log)
	if err != nil {
		return nil, err
	}
	v, err := k.open(ctx, proofs)
	if err != nil {
		return nil, err
	}
	if len(proofs) == 0 && !k.replace {
		if err := k.provesItself(ctx, v); err != nil {
			return nil, err
		}
	}
	return v, k.settle(ctx, v, proofs)
}

// open reads the file, or makes it for a log that nothing was sealed for yet.
func (k keysetHolder) open(ctx context.Context, proofs []vault.Proof) (*vault.Vault, error) {
	v, err := vault.Open(k.path)
	if !errors.Is(err, fs.ErrNotExist) {
		if err != nil && len(proofs) > 0 {
			err = exit.Wrongf("%s. %s. %s", err, named(proofs), whatIsLost)
		}
		return v, err
	}
	if k.replace {
		return vault.OpenOrCreate(k.path)
	}
	empty, err := k.log.Empty(ctx)
	if err != nil {
		return nil, fmt.Errorf("asking whether a keyset may be made: %w", err)
	}
	if empty && len(proofs) == 0 {
		return vault.OpenOrCreate(k.path)
	}
	// A node that begins at the same time and shares the file may have made it since.
	if v, err := vault.Open(k.path); !errors.Is(err, fs.ErrNotExist) {
		return v, err
	}
	if len(proofs) > 0 {
		return nil, exit.Wrongf("the keyset file %s is not there. %s: put the copy of that file back, with mode 0600, or name it with "+
			"--keyset. %s", k.path, named(proofs), whatIsLost)
	}
	return nil, exit.Wrongf("the keyset file %s is not there, and log %s holds events, so there was one: put its copy back, with mode "+
		"0600, or name it with --keyset. %s", k.path, k.log.LogID(), whatIsLost)
}

// named says which keyset the log knows.
func named(proofs []vault.Proof) string {
	last := proofs[len(proofs)-1]
	return fmt.Sprintf("Log %s was written with keyset %s (its sealing key was last %d)", last.LogID, last.Keyset, last.KeyID())
}

// provesItself is for a log of a version that noted no proof: the keyset must open
// something that was sealed, if anything was.
func (k keysetHolder) provesItself(ctx context.Context, v *vault.Vault) error {
	secrets, err := k.sealed(ctx)
	if err != nil {
		return fmt.Errorf("looking for sealed secrets to try the keyset on: %w", err)
	}
	for _, s := range secrets {
		if plain, err := v.Unseal(s.text, s.context); err == nil && v.Fingerprint(s.purpose, s.tenant, s.id, string(plain)) == s.fingerprint {
			return nil
		}
	}
	if len(secrets) == 0 {
		return nil
	}
	return exit.Wrongf("the keyset file %s opens none of the %d secrets that log %s holds sealed: it is not the file they were sealed "+
		"with. Put the copy of that one in its place, or name it with --keyset. %s", k.path, len(secrets), k.log.LogID(), whatIsLost)
}

// settle compares the keyset with the log's, and notes what the log does not know yet.
// What counts is what stands first, so of nodes that begin at once with keysets of
// their own one wins, and the others are refused.
func (k keysetHolder) settle(ctx context.Context, v *vault.Vault, proofs []vault.Proof) error {
	own, err := v.Prove(k.log.LogID())
	if err != nil {
		return err
	}
	switch err := checkAll(v, proofs); {
	case err != nil && k.replace:
		own.Replaces = proofs[len(proofs)-1].Keyset
	case err != nil:
		return k.refuse(proofs, err)
	case known(proofs, own):
		return nil
	}
	value, err := json.Marshal(own)
	if err != nil {
		return fmt.Errorf("encoding the proof of the keyset: %w", err)
	}
	if err := k.log.Note(ctx, KeysetTopic, keysetType, uuid.NewString(), value); err != nil {
		return fmt.Errorf("noting which keyset the log has: %w", err)
	}
	if proofs, err = KeysetProofs(ctx, k.log); err != nil {
		return err
	}
	if err := checkAll(v, proofs); err != nil {
		return k.refuse(proofs, err)
	}
	return nil
}

func (k keysetHolder) refuse(proofs []vault.Proof, cause error) error {
	return exit.Wrongf("the keyset file %s is not the one of this log: %s. %s: put the copy of that file in its place, with mode 0600, "+
		"or name it with --keyset; all nodes have the same. %s",
		k.path, cause, named(proofs), whatIsLost)
}

func checkAll(v *vault.Vault, proofs []vault.Proof) error {
	for _, p := range proofs {
		if err := v.Check(p); err != nil {
			return err
		}
	}
	return nil
}

// known reports whether the log has a proof by the same primary key.
func known(proofs []vault.Proof, own vault.Proof) bool {
	for _, p := range proofs {
		if p.KeyID() == own.KeyID() {
			return true
		}
	}
	return false
}

// KeysetProofs reads what the log knows of its keyset: the proofs of the one that
// counts. The first proof of this log says which that is, until one that replaces it.
func KeysetProofs(ctx context.Context, log KeysetLog) ([]vault.Proof, error) {
	notes, err := log.Notes(ctx, KeysetTopic)
	if err != nil {
		return nil, fmt.Errorf("reading which keyset the log has: %w", err)
	}
	var proofs []vault.Proof
	for i, note := range notes {
		var p vault.Proof
		if err := json.Unmarshal(note, &p); err != nil {
			return nil, fmt.Errorf("record %d of %s was not written by Parley: %w", i, KeysetTopic, err)
		}
		switch {
		case p.LogID != log.LogID(): // of topics that were deleted since
		case len(proofs) == 0, p.Replaces == "" && p.Keyset == proofs[0].Keyset:
			proofs = append(proofs, p)
		case p.Replaces == proofs[0].Keyset:
			proofs = []vault.Proof{p}
		}
	}
	return proofs, nil
}

// sealedSecret is one that stands on the log.
type sealedSecret struct{ text, context, purpose, tenant, id, fingerprint string }

// sealedSecrets reads them from the tenants' streams: every project has one.
func sealedSecrets(ctx context.Context, log *kafka.Log) ([]sealedSecret, error) {
	ends, err := log.Ends(ctx)
	if err != nil {
		return nil, err
	}
	var out []sealedSecret
	topic := access.Tenants.Topic()
	for number, end := range ends[topic] {
		for at := int64(0); at < end; {
			got, err := log.Fetch(ctx, topic, number, at)
			if err != nil {
				return nil, err
			}
			for _, e := range got.Entries {
				at = e.Offset + 1
				if e.Record == nil {
					continue
				}
				if payload, err := access.Tenants.Decode(e.Record.Type, e.Record.Data); err == nil {
					out = append(out, sealedIn(payload)...)
				}
			}
		}
	}
	return out, nil
}

func sealedIn(payload any) []sealedSecret {
	switch e := payload.(type) {
	case access.ClientDefined:
		if e.Secret != "" {
			return []sealedSecret{{e.Secret, vault.ClientSecretContext(e.TenantID, e.ClientID), vault.PurposeClientSecret, e.TenantID,
				e.ClientID, e.SecretFingerprint}}
		}
	case access.ProjectDefined:
		if e.WebhookSecret != "" {
			return []sealedSecret{{e.WebhookSecret, vault.WebhookSecretContext(e.TenantID, e.ProjectID), vault.PurposeWebhookSecret, e.TenantID,
				e.ProjectID, e.SecretFingerprint}}
		}
	}
	return nil
}
