package voice_test

import (
	"context"
	"encoding/json"
	"errors"
	"strings"
	"testing"

	"github.com/parley-platform/parley/domain/access"
	"github.com/parley-platform/parley/domain/flows"
	"github.com/parley-platform/parley/handlers/acts"
	"github.com/parley-platform/parley/handlers/rest/resttest"
	"github.com/parley-platform/parley/handlers/rest/voice"
	"github.com/parley-platform/parley/projections"
	voicemodels "github.com/parley-platform/parley/projections/voice"
)

// switchboard is the read models of acme's project p-1: two trunks, a flow with a number
// of its own, and the calls that were placed. Globex has no trunk.
type switchboard struct {
	agent  string // source of the agent of the flow
	down   error
	placed map[string]voicemodels.Call // by "tenant/project/call"
	listed []string                    // what the list was asked
	total  int
}

func (b *switchboard) CallSetup(_ context.Context, tenant, project, trunk, number string) (s projections.CallSetup, _ error) {
	if tenant+"/"+project == "globex/p-2" {
		return s, nil
	}
	switch trunk {
	case "":
		s.Trunk, s.Provider = "main", "carrier"
	case "spare":
		s.Trunk, s.Provider = "spare", "other"
	}
	if number == "15550100" {
		s.Flow, s.AgentDSL = flows.Flow{ID: "cf-1", Name: "renewals", AgentName: "greeter", Language: "en-US"}, b.agent
	}
	return s, b.down
}

func (b *switchboard) Of(_ context.Context, tenant, project, call string) (voicemodels.Call, bool, error) {
	found, ok := b.placed[tenant+"/"+project+"/"+call]
	return found, ok, b.down
}

func (b *switchboard) List(_ context.Context, tenant, project string, status voicemodels.CallStatus, limit, offset int,
) (page []voicemodels.Call, total int, err error) {
	asked, _ := json.Marshal([]any{tenant, project, status, limit, offset})
	b.listed = append(b.listed, string(asked))
	for _, found := range b.placed {
		page = append(page, found)
	}
	return page, b.total, b.down
}

// newSwitchboard declares the group's operations. Only the seal of what is secret is
// known here: "sealed:" before it.
func newSwitchboard(t *testing.T) (*resttest.Stored, *switchboard) {
	t.Helper()
	b := &switchboard{agent: "ON_START:\n  SAY: Hello"}
	w := resttest.NewStored(t, []access.ClientScope{access.ScopeAssistDialout}, access.PermSessionRead)
	voice.DeclareCalls(w.Api, voice.Calls{Commands: w.Commands, Placed: b, DialOut: acts.DialOut{Log: w.Commands.Log, Setups: b,
		SealHeaders: sealHeaders, SealURL: sealURL, CheckURL: checkURL}})
	voice.DeclareInteractions(w.Api, voice.InteractionsAPI{Calls: b})
	return w, b
}

func sealURL(tenant, raw string) (bare, sealed string, err error) {
	bare, query, secret := strings.Cut(raw, "?")
	if query == "vault" {
		return "", "", errors.New("the vault is away")
	}
	if secret {
		sealed = "sealed for " + tenant + " of " + bare
	}
	return bare, sealed, nil
}

func sealHeaders(tenant string, headers map[string]string) (string, error) {
	if _, broken := headers["x-vault"]; broken {
		return "", errors.New("the vault is away")
	}
	return "sealed for " + tenant, nil
}

func checkURL(raw string) error {
	if raw == "" || strings.Contains(raw, "//10.") {
		return errors.New("leads to a private address")
	}
	return nil
}
