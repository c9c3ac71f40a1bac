package contactcenter_test

import (
	"context"
	"fmt"
	"testing"
	"time"

	"github.com/parley-platform/parley/domain/access"
	"github.com/parley-platform/parley/domain/conversations"
	"github.com/parley-platform/parley/handlers/rest"
	api "github.com/parley-platform/parley/handlers/rest/contactcenter"
	"github.com/parley-platform/parley/handlers/rest/resttest"
	models "github.com/parley-platform/parley/projections/contactcenter"
)

var noon = time.Date(2025, 3, 1, 12, 0, 0, 0, time.UTC)

// floor is the read models of a contact centre, by "tenant/project/id" or "tenant/id".
type floor struct {
	conversations map[string]models.ConversationInfo
	messages      []models.ConversationMessage
	calls         map[string]conversations.Call
	sessions      map[string]bool
	agents        map[string]models.HumanAgent
	voicemails    map[string][]models.Voicemail // by session
	known         map[string]bool               // voicemails
	stored        map[string]string             // blobs by name
	storing       func()                        // before the next one
	asked         []string                      // what lists were asked
	total         int
	down          map[string]error // by method
}

func (f *floor) Find(_ context.Context, tenant, project, id string) (models.ConversationInfo, bool, error) {
	c, ok := f.conversations[tenant+"/"+project+"/"+id]
	return c, ok, f.down["Find"]
}

func (f *floor) Exists(_ context.Context, tenant, project, id string) (bool, error) {
	_, conversation := f.conversations[tenant+"/"+project+"/"+id]
	_, call := f.calls[tenant+"/"+project+"/"+id]
	return conversation || call, f.down["Exists"]
}

func (f *floor) List(_ context.Context, tenant, project, status string, limit, offset int) (page []models.ConversationInfo, total int,
	err error) {
	f.asked = append(f.asked, fmt.Sprintf("%s %s %q %d %d", tenant, project, status, limit, offset))
	for _, c := range f.conversations {
		page = append(page, c)
	}
	return page, f.total, f.down["List"]
}

func (f *floor) Messages(_ context.Context, tenant, project, id string, limit, offset int) ([]models.ConversationMessage, int, error) {
	f.asked = append(f.asked, fmt.Sprint("messages of ", tenant, " ", project, " ", id, " ", limit, " ", offset))
	return f.messages, f.total, f.down["Messages"]
}

func (f *floor) Call(_ context.Context, tenant, project, id string) (conversations.Call, bool, error) {
	c, ok := f.calls[tenant+"/"+project+"/"+id]
	return c, ok, f.down["Call"]
}

func (f *floor) SessionExists(_ context.Context, tenant, project, session string) (bool, error) {
	return f.sessions[tenant+"/"+project+"/"+session], f.down["SessionExists"]
}

func (f *floor) HasSession(ctx context.Context, tenant, project, session string) (bool, error) {
	return f.SessionExists(ctx, tenant, project, session)
}

func (f *floor) Has(_ context.Context, tenant, project, voicemail string) (bool, error) {
	return f.known[tenant+"/"+project+"/"+voicemail], f.down["Has"]
}

func (f *floor) Of(_ context.Context, tenant, project, session string) ([]models.Voicemail, error) {
	return f.voicemails[tenant+"/"+project+"/"+session], f.down["Of"]
}

func (f *floor) Put(_ context.Context, prefix, contentType string, content []byte) (string, error) {
	if err := f.down["Put"]; err != nil {
		return "", err
	}
	if before := f.storing; before != nil {
		f.storing = nil
		before()
	}
	name := prefix + "/" + string(content[len(content)-1:])
	f.stored[name] = contentType
	return name, nil
}

func (f *floor) Delete(_ context.Context, name string) error {
	delete(f.stored, name)
	return nil
}

// people is the part of the floor that knows human agents.
type people struct{ *floor }

func (p people) Organisation(_ context.Context, tenant string) (string, bool, error) {
	return tenant + "-org", tenant == "acme", p.down["Organisation"]
}

func (p people) Agent(_ context.Context, tenant, id string) (models.HumanAgent, bool, error) {
	a, ok := p.agents[tenant+"/"+id]
	return a, ok, p.down["Agent"]
}

func (p people) List(_ context.Context, tenant, org string, page int, withQueues bool) (out []models.HumanAgent, err error) {
	p.floor.asked = append(p.floor.asked, fmt.Sprint(tenant, " ", org, " ", page, " ", withQueues))
	for _, a := range p.agents {
		out = append(out, a)
	}
	return out, p.down["ListAgents"]
}

// newFloor declares the group's operations.
func newFloor(t *testing.T) (*resttest.Stored, *floor) {
	t.Helper()
	w := resttest.NewStored(t, []access.ClientScope{access.ScopeAssistAnalytics, access.ScopeRouting, access.ScopeAssistVoicemail},
		access.PermSessionRead, access.PermSessionExecute)
	f := &floor{conversations: map[string]models.ConversationInfo{}, calls: map[string]conversations.Call{}, sessions: map[string]bool{},
		agents: map[string]models.HumanAgent{}, voicemails: map[string][]models.Voicemail{}, known: map[string]bool{},
		stored: map[string]string{}, down: map[string]error{}}
	links := rest.FileLinks{MAC: w.Commands.MAC, Base: func() string { return "https://parley.example" }, Now: w.Commands.Now}
	api.DeclareConversations(w.Api, api.ConversationsAPI{Commands: w.Commands, Reads: f})
	api.DeclareHooks(w.Api, api.Hooks{Commands: w.Commands})
	api.DeclareHumanAgents(w.Api, api.HumanAgents{Commands: w.Commands, Agents: people{f}})
	api.DeclareVoicemail(w.Api, api.VoicemailAPI{Commands: w.Commands, Voicemails: f, Blobs: f, Links: links})
	return w, f
}
