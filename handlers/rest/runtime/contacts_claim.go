package runtime

import (
	"context"

	"github.com/google/uuid"

	"github.com/parley-platform/parley/domain/contacts"
	"github.com/parley-platform/parley/domain/fault"
	"github.com/parley-platform/parley/eventstore"
	"github.com/parley-platform/parley/handlers/acts"
)

// claimTries is how many claims of others are found to hold nothing before one gives up:
// each is of somebody who wants the same identity at this moment.
const claimTries = 16

// claimFor claims the identity of details for a contact, and gives the claim's id; without an
// identity there is nothing to claim. A request that was carried out before has its claim
// already, wherever the identity went since.
func (x ContactsAPI) claimFor(ctx context.Context, contactID string, d contacts.Details) (string, error) {
	if d.Identity == "" {
		return "", nil
	}
	by := x.Caller(ctx)
	if by.RequestID != "" {
		read, err := eventstore.Read(ctx, x.Store, contacts.Contacts, contacts.Contacts.Stream(contactID))
		if err != nil {
			return "", err
		}
		if read.State.ID != "" && d.SameIdentity(read.State.Details) {
			return read.State.ClaimID, nil
		}
	}
	by.RequestID = "" // what these commands have done is seen in the streams
	claim := contacts.Claim{TenantID: by.Tenant, ContactID: contactID, ClaimID: uuid.NewString()}
	stream := contacts.IdentityStream(x.MAC, by.Tenant, d)
	for range claimTries {
		_, err := acts.Execute(ctx, x.Log, by, contacts.Identities, stream, claim.Decide)
		if !fault.Is(err, fault.Conflict) {
			return claim.ClaimID, err
		}
		if claim.Over, err = x.giveUp(ctx, by, stream); err != nil {
			return "", err
		}
	}
	return "", contacts.Taken()
}

// giveUp finds that who claimed the identity does not have it, or refuses.
func (x ContactsAPI) giveUp(ctx context.Context, by acts.Caller, stream string) (over string, err error) {
	read, err := eventstore.Read(ctx, x.Store, contacts.Identities, stream)
	if err != nil {
		return "", err
	}
	s := read.State
	cmd := contacts.GiveUp{TenantID: by.Tenant, ContactID: s.ContactID, ClaimID: s.ClaimID}
	_, err = acts.Execute(ctx, x.Log, by, contacts.Contacts, contacts.Contacts.Stream(s.ContactID), cmd.Decide)
	return s.ClaimID, err
}
