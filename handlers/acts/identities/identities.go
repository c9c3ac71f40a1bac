// Package identities is the acts by which an account knows people: to take an identity for a
// contact, and to find the contact that has one, or make it. It never says where somebody talked.
package identities

import (
	"context"
	"slices"

	"github.com/google/uuid"

	"github.com/parley-platform/parley/domain/contacts"
	"github.com/parley-platform/parley/domain/fault"
	"github.com/parley-platform/parley/eventstore"
	"github.com/parley-platform/parley/handlers/acts"
)

// tries is how many claims of others are found to hold nothing before one gives up: each is of
// somebody who wants the same identity at this moment.
const tries = 16

// Claim claims the identity of details for a contact, and gives the claim's id; without an
// identity there is nothing to claim. A request that was carried out before has its claim
// already, wherever the identity went since; tries of one request that are made at once claim for
// each other.
func Claim(ctx context.Context, l acts.Log, by acts.Caller, contactID string, d contacts.Details) (string, error) {
	if d.Identity == "" {
		return "", nil
	}
	claim := contacts.Claim{TenantID: by.Tenant, ContactID: contactID, ClaimID: uuid.NewString()}
	if by.RequestID != "" {
		read, err := eventstore.Read(ctx, l.Store, contacts.Contacts, contacts.Contacts.Stream(contactID))
		if err != nil {
			return "", err
		}
		if read.State.ID != "" && d.SameIdentity(read.State.Details) {
			return read.State.ClaimID, nil
		}
		own := l.ID(by, "claim of "+string(d.IdentityType)+" "+d.Identity).String()
		if !slices.Contains(read.State.GivenUp, own) {
			claim.ClaimID = own
		}
	}
	by.RequestID = "" // what these commands have done is seen in the streams
	stream := contacts.IdentityStream(l.MAC, by.Tenant, d)
	for range tries {
		_, err := acts.Execute(ctx, l, by, contacts.Identities, stream, claim.Decide)
		if !fault.Is(err, fault.Conflict) {
			return claim.ClaimID, err
		}
		if claim.Over, err = giveUp(ctx, l, by, stream); err != nil {
			return "", err
		}
	}
	return "", contacts.Taken()
}

// giveUp finds that who claimed the identity does not have it, or refuses.
func giveUp(ctx context.Context, l acts.Log, by acts.Caller, stream string) (over string, err error) {
	read, err := eventstore.Read(ctx, l.Store, contacts.Identities, stream)
	if err != nil {
		return "", err
	}
	s := read.State
	cmd := contacts.GiveUp{TenantID: by.Tenant, ContactID: s.ContactID, ClaimID: s.ClaimID}
	_, err = acts.Execute(ctx, l, by, contacts.Contacts, contacts.Contacts.Stream(s.ContactID), cmd.Decide)
	return s.ClaimID, err
}

// Known is the contact that has an identity; one that nobody has is made of the details. Of
// several who want it at the same moment one makes it.
func Known(ctx context.Context, l acts.Log, by acts.Caller, d contacts.Details) (contactID string, err error) {
	by = by.Further()
	for range tries {
		if id, err := has(ctx, l, contacts.IdentityStream(l.MAC, by.Tenant, d)); err != nil || id != "" {
			return id, err
		}
		cmd := contacts.Create{ContactID: contacts.IDPrefix + uuid.Must(uuid.NewV7()).String(), TenantID: by.Tenant, Details: d, At: l.Now()}
		if cmd.ClaimID, err = Claim(ctx, l, by, cmd.ContactID, d); err == nil {
			_, err = acts.Create(ctx, l, by, contacts.Contacts, contacts.Contacts.Stream(cmd.ContactID), cmd.Decide)
		}
		if !fault.Is(err, fault.Conflict) {
			return cmd.ContactID, err
		}
	}
	return "", err
}

// has is the contact that has what is claimed in a stream; empty: none has.
func has(ctx context.Context, l acts.Log, stream string) (string, error) {
	claim, err := eventstore.Read(ctx, l.Store, contacts.Identities, stream)
	if err != nil || claim.State.ContactID == "" {
		return "", err
	}
	c, err := eventstore.Read(ctx, l.Store, contacts.Contacts, contacts.Contacts.Stream(claim.State.ContactID))
	if err != nil || !c.State.Exists() || c.State.ClaimID != claim.State.ClaimID {
		return "", err
	}
	return c.State.ID, nil
}
