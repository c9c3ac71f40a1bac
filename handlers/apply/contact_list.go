package apply

import (
	"context"
	"maps"
	"slices"

	"github.com/parley-platform/parley/domain/campaigns"
	"github.com/parley-platform/parley/domain/contactlists"
	"github.com/parley-platform/parley/domain/event"
)

// ContactListSpec is the spec of kind ContactList; its metadata.name is what campaigns
// name.
type ContactListSpec struct {
	ProjectID   string        `json:"projectId" jsonschema:"required,minLength=1" jsonschema_description:"The project it belongs to, by id or alias."`
	Description string        `json:"description,omitempty" jsonschema:"maxLength=1000" jsonschema_description:"For people."`
	Contacts    []ContactSpec `json:"contacts,omitempty" jsonschema:"maxItems=10000" jsonschema_description:"Who is on it, in the order in which campaigns reach them. A campaign whose lists are all empty cannot be started."`
}

// ContactSpec is one person on a ContactList.
type ContactSpec struct {
	PhoneNumber  string         `json:"phoneNumber" jsonschema:"required,pattern=^\\+[1-9][0-9]{6\\,14}$,example=+15550000001" jsonschema_description:"E.164, in quotes; once in the list."`
	FirstName    string         `json:"firstName,omitempty" jsonschema:"maxLength=100" jsonschema_description:"Of one line."`
	LastName     string         `json:"lastName,omitempty" jsonschema:"maxLength=100" jsonschema_description:"Of one line."`
	Email        string         `json:"email,omitempty" jsonschema:"maxLength=254" jsonschema_description:"An address of e-mail."`
	Language     string         `json:"language,omitempty" jsonschema:"example=en,example=de-AT" jsonschema_description:"Language tag."`
	CustomFields map[string]any `json:"customFields,omitempty" jsonschema_description:"Anything else that is known, at most 4096 bytes as JSON."`
}

var contactListKind = define(label{
	name:  contactListName,
	about: "People whom campaigns reach. Its metadata.name is unique in the project: campaigns name it by that.",
}, contactListSteps, nil).pruned(contactListsLeft)

func contactListSteps(ctx context.Context, p *planner, d *draft, spec ContactListSpec) ([]step, error) {
	project, err := p.project(ctx, d, spec.ProjectID)
	if err != nil {
		return nil, err
	}
	id := d.meta.ID
	p.claim(d, "metadata.id", d.meta.Tenant, project, id)
	define := contactlists.DefineList{TenantID: d.meta.Tenant, ProjectID: project, ID: id, Name: d.meta.Name, Description: spec.Description}
	for _, c := range spec.Contacts {
		define.Contacts = append(define.Contacts, contactlists.Contact(c))
	}
	exists := func(s contactlists.State) bool { _, ok := s.Lists[id]; return ok }
	s, err := stateOf(ctx, p, contactlists.Lists, contactlists.Stream(d.meta.Tenant, project))
	if err != nil {
		return nil, err
	}
	was := s.Lists[id].Name
	taken := func(name string) bool { _, ok := s.ByName(name); return ok }
	p.renames(d, was, taken, func(ctx context.Context, p *planner) (string, error) {
		return p.callsList(ctx, d.meta.Tenant, project, was)
	})
	return []step{on(contactlists.Lists, contactlists.Stream(d.meta.Tenant, project), define.Decide, exists)}, nil
}

// callsList is the first campaign of a project's manifests that calls a list so; empty: none does.
func (p *planner) callsList(ctx context.Context, tenant, project, name string) (string, error) {
	made, err := stateOf(ctx, p, campaigns.Registers, campaigns.RegisterStream(tenant, project))
	if err != nil {
		return "", err
	}
	for _, id := range slices.Sorted(maps.Keys(made.Names)) {
		c, err := stateOf(ctx, p, campaigns.Campaigns, campaigns.Stream(tenant, id))
		if err != nil {
			return "", err
		}
		if c.Exists() && slices.Contains(c.Definition.ContactLists, name) {
			return campaignName + " " + id, nil
		}
	}
	return "", nil
}

var contactListsLeft = leftInProjects(contactListName, contactlists.Lists, contactlists.Stream,
	func(s *contactlists.State) map[string]string {
		return namesOf(s.Lists, func(t contactlists.List) string { return t.Name })
	},
	func(tenant, project, id string) func(contactlists.State) ([]event.Payload, error) {
		return contactlists.RemoveList{TenantID: tenant, ProjectID: project, ID: id}.Decide
	})
