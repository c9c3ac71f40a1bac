package runtime

import (
	"context"
	"net/http"
	"strings"
	"time"

	"github.com/parley-platform/parley/domain/access"
	"github.com/parley-platform/parley/domain/channels"
	"github.com/parley-platform/parley/domain/contacts"
	"github.com/parley-platform/parley/domain/fault"
	"github.com/parley-platform/parley/handlers/rest"
	"github.com/parley-platform/parley/handlers/rest/jsontext"
	"github.com/parley-platform/parley/projections/runtime"
)

// ContactsAPI is what the operations on contacts need.
type ContactsAPI struct {
	rest.Commands
	Contacts contactReader
}

// contactReader knows whom accounts know.
type contactReader interface {
	Get(ctx context.Context, tenant, id string) (runtime.Contact, bool, error)
	Known(ctx context.Context, tenant, identityType, identity string) (runtime.Contact, bool, error)
	List(ctx context.Context, tenant, contactType string, channels []string, limit, offset int) ([]runtime.Contact, int, error)
	HasShown(ctx context.Context, tenant, session string) (bool, error)
	Seen(ctx context.Context, tenant, id string, otherwise time.Time) (time.Time, error)
}

const (
	contactsPath = "/api/contacts"
	contactPath  = contactsPath + "/{id}"
	tagContacts  = "Contacts"
)

// DeclareContacts adds the operations by which contacts are found.
func DeclareContacts(api *rest.API, x ContactsAPI) {
	tags := []string{tagContacts}
	read := access.SignedIn(access.CanListProject, access.Ability(access.PermContactWrite))
	rest.Declare(api, rest.Operation{
		ID: "list-contacts", Method: http.MethodGet, Path: contactsPath, Tags: tags, Summary: "List contacts, the newest first",
		Description: "Of the whole account, of one type or one channel if it is named. `total` counts all that match.",
		Requirement: read,
	}, x.list)
	rest.Declare(api, rest.Operation{
		ID: "lookup-contact", Method: http.MethodGet, Path: contactsPath + "/lookup", Tags: tags, Summary: "Find a contact by its identity",
		Description: "In any spelling: e-mail addresses whatever their case, telephone numbers with or without +, spaces and dashes.",
		Requirement: read, Refusals: []fault.Code{fault.NotFound},
	}, x.lookup)
	rest.Declare(api, rest.Operation{
		ID: "get-contact", Method: http.MethodGet, Path: contactPath, Tags: tags, Summary: "Read a contact",
		Description: "One that was deleted is not found.", Requirement: read, Resolve: x.contactOfPath,
	}, x.get)
}

// contactShown is a contact as it is shown.
type contactShown struct {
	ID           string          `json:"id" example:"ct-0196b6f2-5d0c-7c4e-9a55-2f6d3c1b8e70"`
	TenantID     string          `json:"tenantId" example:"acme"`
	Type         string          `json:"type" enum:"employee,customer,anonymous"`
	Identity     string          `json:"identity,omitempty" doc:"An e-mail address in lower case, a telephone number in E.164, or the account's own id." example:"ann@example.com"`
	IdentityType string          `json:"identityType,omitempty" enum:"email,phone,external"`
	DisplayName  string          `json:"displayName,omitempty" example:"Ann"`
	Department   string          `json:"department,omitempty"`
	EmployeeID   string          `json:"employeeId,omitempty"`
	Company      string          `json:"company,omitempty"`
	AccountRef   string          `json:"accountRef,omitempty"`
	Channel      string          `json:"channel,omitempty" doc:"The contact's primary channel."`
	Metadata     jsontext.Object `json:"metadata" doc:"An object; what it holds is the account's own."`
	Tags         []string        `json:"tags"`
	FirstSeenAt  string          `json:"firstSeenAt" format:"date-time"`
	LastSeenAt   string          `json:"lastSeenAt" format:"date-time" doc:"When a session of the contact was linked last."`
	DeletedAt    string          `json:"deletedAt,omitempty" format:"date-time"`
}

func shownContact(tenant string) func(runtime.Contact) contactShown {
	return func(c runtime.Contact) contactShown {
		out := contactShown{ID: c.ContactID, TenantID: tenant, Type: string(c.Type), Identity: c.Identity, IdentityType: c.IdentityType,
			DisplayName: c.DisplayName, Department: c.Department, EmployeeID: c.EmployeeID, Company: c.Company, AccountRef: c.AccountRef,
			Channel: c.Channel, Metadata: jsontext.Object(c.Metadata), Tags: rest.OrNone(c.Tags), FirstSeenAt: rest.ISOTime(&c.CreatedAt),
			LastSeenAt: rest.ISOTime(&c.LastSeenAt)}
		if out.Metadata == nil {
			out.Metadata = jsontext.Object("{}")
		}
		return out
	}
}

type contactOut struct {
	Body struct {
		Success bool         `json:"success"`
		Data    contactShown `json:"data"`
	}
}

func answerContact(ctx context.Context, c runtime.Contact) *contactOut {
	out := &contactOut{}
	out.Body.Success, out.Body.Data = true, shownContact(rest.PrincipalOf(ctx).TenantID)(c)
	return out
}

type listContactsIn struct {
	Type    string `query:"type" enum:"employee,customer,anonymous" doc:"Only of this type."`
	Channel string `query:"channel" maxLength:"64" doc:"Only with this primary channel."`
	rest.Page
}

type listContactsOut struct {
	Body struct {
		Success bool           `json:"success"`
		Data    []contactShown `json:"data"`
		Total   int            `json:"total" doc:"How many there are in all."`
	}
}

func (x ContactsAPI) list(ctx context.Context, in *listContactsIn) (*listContactsOut, error) {
	tenant, of := rest.PrincipalOf(ctx).TenantID, []string(nil)
	if in.Channel != "" {
		of = channels.Spelled(in.Channel)
	}
	found, total, err := x.Contacts.List(ctx, tenant, in.Type, of, in.Limit, in.Offset)
	if err != nil {
		return nil, err
	}
	out := &listContactsOut{}
	out.Body.Success, out.Body.Data, out.Body.Total = true, rest.Shown(found, shownContact(tenant)), total
	return out, nil
}

type lookupIn struct {
	Identity     string `query:"identity" required:"true" minLength:"1" maxLength:"256" doc:"E-mail address, telephone number or the account's own id." example:"ann@example.com"`
	IdentityType string `query:"identityType" enum:"email,phone,external" doc:"Without it the form says: an @ makes it an e-mail address, + or digits alone a telephone number."`
}

func (x ContactsAPI) lookup(ctx context.Context, in *lookupIn) (*contactOut, error) {
	kind := in.IdentityType
	if kind == "" {
		kind = formOf(in.Identity)
	}
	text := in.Identity
	if kind == "email" { // which has no blanks: a plus sign that was not escaped in the URL is taken back
		text = strings.ReplaceAll(strings.TrimSpace(text), " ", "+")
	}
	identity, err := contacts.IdentityOf(kind, text)
	if err != nil {
		return nil, err
	}
	found, ok, err := x.Contacts.Known(ctx, rest.PrincipalOf(ctx).TenantID, kind, identity)
	if err == nil && !ok {
		err = contacts.Unknown()
	}
	if err != nil {
		return nil, err
	}
	return answerContact(ctx, found), nil
}

// formOf is the type that an identity looks like.
func formOf(identity string) string {
	text := strings.TrimSpace(identity)
	switch {
	case strings.Contains(text, "@"):
		return "email"
	case strings.HasPrefix(text, "+") || strings.Trim(text, "0123456789") == "":
		return "phone"
	}
	return "external"
}

func (x ContactsAPI) contactOfPath(ctx context.Context, p rest.Params) (context.Context, error) {
	if !access.ValidID(p.Path("id")) {
		return ctx, contacts.Unknown()
	}
	found, ok, err := x.Contacts.Get(ctx, rest.PrincipalOf(ctx).TenantID, p.Path("id"))
	if err == nil && !ok {
		err = contacts.Unknown()
	}
	return rest.About(ctx, found), err
}

// contactAt is the contact that the request is about.
func contactAt(ctx context.Context) runtime.Contact { return rest.Found[runtime.Contact](ctx) }

// ContactPath is embedded by the inputs of the operations on one contact.
type ContactPath struct {
	ID string `path:"id" doc:"A contact's id."`
}

func (x ContactsAPI) get(ctx context.Context, _ *struct{ ContactPath }) (*contactOut, error) {
	return answerContact(ctx, contactAt(ctx)), nil
}
