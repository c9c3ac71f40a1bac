package runtime

import (
	"context"
	"encoding/json"
	"net/http"
	"time"

	"github.com/parley-platform/parley/domain/access"
	"github.com/parley-platform/parley/domain/contacts"
	"github.com/parley-platform/parley/domain/fault"
	"github.com/parley-platform/parley/domain/sessions"
	"github.com/parley-platform/parley/eventstore"
	"github.com/parley-platform/parley/handlers/acts/identities"
	"github.com/parley-platform/parley/handlers/rest"
	"github.com/parley-platform/parley/handlers/rest/jsontext"
	"github.com/parley-platform/parley/projections/runtime"
)

// DeclareContactWrites adds the operations that make, change and delete contacts, and say in
// which sessions they talked.
func DeclareContactWrites(api *rest.API, x ContactsAPI) {
	tags, writes := []string{tagContacts}, []fault.Code{fault.NotExecuted, fault.OutcomeUnknown}
	write := access.Needs(access.PermContactWrite, access.PermAdminApply)
	rest.Declare(api, rest.Operation{
		ID: "create-contact", Method: http.MethodPost, Path: contactsPath, Status: http.StatusCreated, Tags: tags, Summary: "Create a contact",
		Description: "All members are optional; one of whom nothing is said is anonymous. An identity is of one contact at most.",
		Requirement: write, Refusals: append(writes, fault.Conflict),
	}, x.create)
	rest.Declare(api, rest.Operation{
		ID: "update-contact", Method: http.MethodPatch, Path: contactPath, Tags: tags, Summary: "Change a contact",
		Description: "Only the members that are given change; null clears one.",
		Requirement: write, Resolve: x.contactOfPath, Refusals: append(writes, fault.Conflict),
	}, x.change)
	rest.Declare(api, rest.Operation{
		ID: "delete-contact", Method: http.MethodDelete, Path: contactPath, Tags: tags, Summary: "Delete a contact",
		Description: "It is not listed or found any more, and its identity is free. To have what was said of a person forgotten see " +
			"erase-person.",
		Requirement: write, Resolve: x.contactOfPath, Refusals: writes,
	}, x.delete)
	rest.Declare(api, rest.Operation{
		ID: "link-contact-session", Method: http.MethodPost, Path: contactPath + "/link-session", Tags: tags,
		Summary:     "Say that a contact talked in a session",
		Description: "A session is of one contact; the same again changes nothing. It may have ended.",
		Requirement: write, Resolve: x.contactOfPath, Refusals: append(writes, fault.Conflict),
	}, x.link)
}

type createContactIn struct {
	Body *struct {
		Type         string          `json:"type,omitempty" enum:"employee,customer,anonymous" doc:"customer unless said, and anonymous without an identity."`
		Identity     string          `json:"identity,omitempty" maxLength:"256" doc:"With identityType." example:"ann@example.com"`
		IdentityType string          `json:"identityType,omitempty" enum:"email,phone,external"`
		DisplayName  string          `json:"displayName,omitempty" maxLength:"200" example:"Ann"`
		Department   string          `json:"department,omitempty" maxLength:"200"`
		EmployeeID   string          `json:"employeeId,omitempty" maxLength:"100"`
		Company      string          `json:"company,omitempty" maxLength:"200"`
		AccountRef   string          `json:"accountRef,omitempty" maxLength:"200"`
		Channel      string          `json:"channel,omitempty" maxLength:"64"`
		Metadata     jsontext.Object `json:"metadata,omitempty" doc:"An object of at most 16 KiB and 5 levels."`
		Tags         []string        `json:"tags,omitempty" maxItems:"50" nullable:"false" doc:"Each of 1 to 50 characters."`
	}
}

// details are what the body says; without one, nothing.
func (in *createContactIn) details() (contacts.Details, error) {
	b := in.Body
	if b == nil {
		return contacts.Details{}.Clean()
	}
	return contacts.Details{Type: contacts.Type(b.Type), Identity: b.Identity, IdentityType: b.IdentityType,
		DisplayName: b.DisplayName, Department: b.Department, EmployeeID: b.EmployeeID, Company: b.Company, AccountRef: b.AccountRef,
		Channel: b.Channel, Metadata: json.RawMessage(b.Metadata), Tags: b.Tags}.Clean()
}

func (x ContactsAPI) create(ctx context.Context, in *createContactIn) (*contactOut, error) {
	tenant := rest.PrincipalOf(ctx).TenantID
	details, err := in.details()
	if err != nil {
		return nil, err
	}
	id := contacts.IDPrefix + x.NewID(ctx, "contact").String()
	cmd := contacts.Create{ContactID: id, TenantID: tenant, Details: details, At: x.Now()}
	if cmd.ClaimID, err = identities.Claim(ctx, x.Log, x.Caller(ctx), id, details); err != nil {
		return nil, err
	}
	res, err := rest.Execute(ctx, x.Commands, contacts.Contacts, contacts.Contacts.Stream(id), cmd.Decide)
	if err != nil {
		return nil, err
	}
	made, err := rest.Payload[contacts.Created](res)
	if err != nil {
		return nil, err
	}
	return answerContact(ctx, contactOf(id, made.Details, made.At, made.At)), nil
}

// contactOf is a contact as its own stream tells it.
func contactOf(id string, d contacts.Details, created, seen time.Time) runtime.Contact {
	return runtime.Contact{ContactID: id, Type: d.Type, Identity: d.Identity, IdentityType: d.IdentityType, DisplayName: d.DisplayName,
		Department: d.Department, EmployeeID: d.EmployeeID, Company: d.Company, AccountRef: d.AccountRef, Channel: d.Channel,
		Metadata: d.Metadata, Tags: d.Tags, CreatedAt: created, LastSeenAt: seen}
}

type changeContactIn struct {
	ContactPath
	Body struct {
		Type         jsontext.Given[string]          `json:"type,omitempty" enum:"employee,customer,anonymous"`
		Identity     jsontext.Given[string]          `json:"identity,omitempty" maxLength:"256"`
		IdentityType jsontext.Given[string]          `json:"identityType,omitempty" enum:"email,phone,external"`
		DisplayName  jsontext.Given[string]          `json:"displayName,omitempty" maxLength:"200"`
		Department   jsontext.Given[string]          `json:"department,omitempty" maxLength:"200"`
		EmployeeID   jsontext.Given[string]          `json:"employeeId,omitempty" maxLength:"100"`
		Company      jsontext.Given[string]          `json:"company,omitempty" maxLength:"200"`
		AccountRef   jsontext.Given[string]          `json:"accountRef,omitempty" maxLength:"200"`
		Channel      jsontext.Given[string]          `json:"channel,omitempty" maxLength:"64"`
		Metadata     jsontext.Given[jsontext.Object] `json:"metadata,omitempty" doc:"Replaces what was there: an object of at most 16 KiB and 5 levels."`
		Tags         jsontext.Given[[]string]        `json:"tags,omitempty" maxItems:"50" doc:"Replace what was there."`
	}
}

func (in *changeContactIn) edit(d *contacts.Details) {
	b, kind := in.Body, string(d.Type)
	b.Type.Into(&kind)
	d.Type = contacts.Type(kind)
	b.Identity.Into(&d.Identity)
	b.IdentityType.Into(&d.IdentityType)
	b.DisplayName.Into(&d.DisplayName)
	b.Department.Into(&d.Department)
	b.EmployeeID.Into(&d.EmployeeID)
	b.Company.Into(&d.Company)
	b.AccountRef.Into(&d.AccountRef)
	b.Channel.Into(&d.Channel)
	b.Metadata.Into((*jsontext.Object)(&d.Metadata))
	b.Tags.Into(&d.Tags)
	if b.Identity.Is && d.Identity == "" && !b.IdentityType.Is { // cleared, and its type with it
		d.IdentityType = ""
	}
}

func (x ContactsAPI) change(ctx context.Context, in *changeContactIn) (*contactOut, error) {
	c := contactAt(ctx)
	stream := contacts.Contacts.Stream(c.ContactID)
	read, err := eventstore.Read(ctx, x.Store, contacts.Contacts, stream)
	if err != nil {
		return nil, err
	}
	cmd := contacts.Change{Edit: in.edit, At: x.Now()}
	if cmd.Claimed, err = read.State.Details.Edited(in.edit); err != nil {
		return nil, err
	}
	if !cmd.Claimed.SameIdentity(read.State.Details) {
		if cmd.ClaimID, err = identities.Claim(ctx, x.Log, x.Caller(ctx), c.ContactID, cmd.Claimed); err != nil {
			return nil, err
		}
	}
	res, err := rest.Execute(ctx, x.Commands, contacts.Contacts, stream, cmd.Decide)
	if err != nil {
		return nil, err
	}
	return answerContact(ctx, contactOf(c.ContactID, res.State.Details, c.CreatedAt, c.LastSeenAt)), nil
}

func (x ContactsAPI) delete(ctx context.Context, _ *struct{ ContactPath }) (*contactOut, error) {
	c := contactAt(ctx)
	cmd := contacts.Delete{At: x.Now()}
	res, err := rest.Execute(ctx, x.Commands, contacts.Contacts, contacts.Contacts.Stream(c.ContactID), cmd.Decide)
	if err != nil {
		return nil, err
	}
	out := answerContact(ctx, c)
	out.Body.Data.DeletedAt = rest.ISOTime(&res.State.DeletedAt)
	return out, nil
}

type linkContactIn struct {
	ContactPath
	Body struct {
		SessionID string `json:"sessionId" required:"true" minLength:"1" maxLength:"128"`
	}
}

type linkContactOut struct {
	Body struct {
		Success bool `json:"success"`
		Data    struct {
			ContactID string `json:"contactId"`
			SessionID string `json:"sessionId"`
			LinkedAt  string `json:"linkedAt" format:"date-time"`
		} `json:"data"`
	}
}

func (x ContactsAPI) link(ctx context.Context, in *linkContactIn) (*linkContactOut, error) {
	c := contactAt(ctx)
	if !access.ValidID(in.Body.SessionID) {
		return nil, fault.New(fault.NotFound, "there is no such session")
	}
	cmd := sessions.LinkContact{ContactID: c.ContactID, At: x.Now()}
	stream := sessions.Sessions.Stream(in.Body.SessionID)
	read, err := eventstore.Read(ctx, x.Store, sessions.Sessions, stream)
	if err != nil {
		return nil, err
	}
	if project := read.State.ProjectID; project != "" {
		if _, gone := rest.ResolveProject(ctx, project); fault.Is(gone, fault.NotFound) { // it was removed
			return nil, fault.New(fault.NotFound, "there is no such session")
		}
	}
	res, err := rest.Execute(ctx, x.Commands, sessions.Sessions, stream, cmd.Decide)
	if fault.Is(err, fault.NotFound) { // of another account, of nobody, or not opened yet
		shown, unread := x.Contacts.HasShown(ctx, rest.PrincipalOf(ctx).TenantID, in.Body.SessionID)
		if unread != nil {
			return nil, unread
		}
		if cmd.Known = shown; shown {
			res, err = rest.Execute(ctx, x.Commands, sessions.Sessions, stream, cmd.Decide)
		}
	}
	if err != nil {
		return nil, err
	}
	out := &linkContactOut{}
	out.Body.Success, out.Body.Data.LinkedAt = true, rest.ISOTime(&res.State.LinkedAt)
	out.Body.Data.ContactID, out.Body.Data.SessionID = c.ContactID, in.Body.SessionID
	return out, nil
}
