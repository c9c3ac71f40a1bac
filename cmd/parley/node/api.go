package node

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"time"

	"github.com/prometheus/client_golang/prometheus/promhttp"

	"github.com/parley-platform/parley/adapters/postgres"
	"github.com/parley-platform/parley/adapters/vault"
	"github.com/parley-platform/parley/adapters/webhook"
	"github.com/parley-platform/parley/cmd/parley/slices"
	"github.com/parley-platform/parley/domain/callerurl"
	"github.com/parley-platform/parley/domain/fault"
	"github.com/parley-platform/parley/handlers/acts"
	"github.com/parley-platform/parley/handlers/apply"
	"github.com/parley-platform/parley/handlers/rest"
	"github.com/parley-platform/parley/handlers/rest/audit"
	"github.com/parley-platform/parley/handlers/rest/campaigns"
	"github.com/parley-platform/parley/handlers/rest/channels"
	"github.com/parley-platform/parley/handlers/rest/contactcenter"
	"github.com/parley-platform/parley/handlers/rest/platform"
	"github.com/parley-platform/parley/handlers/rest/reporting"
	runtimeapi "github.com/parley-platform/parley/handlers/rest/runtime"
	"github.com/parley-platform/parley/handlers/rest/voice"
	"github.com/parley-platform/parley/projections/access"
	"github.com/parley-platform/parley/projections/analytics"
	auditmodels "github.com/parley-platform/parley/projections/audit"
	campaignmodels "github.com/parley-platform/parley/projections/campaigns"
	channelmodels "github.com/parley-platform/parley/projections/channels"
	contactmodels "github.com/parley-platform/parley/projections/contactcenter"
	reportingmodels "github.com/parley-platform/parley/projections/reporting"
	runtimemodels "github.com/parley-platform/parley/projections/runtime"
	voicemodels "github.com/parley-platform/parley/projections/voice"
)

// newAPI declares every operation of the node's API.
func (n *Node) newAPI() *rest.API {
	d := directory{access.NewAccess(n.db.Queries), n.vault}
	guard := webhook.Guard{AllowLoopback: n.cfg.Dev}
	cfg := rest.Config{
		Directory: d, HashKey: keyHash(n.vault), Projects: d, Gate: n.gate, Reading: n.projector.Reading, Ready: n.ready,
		Away:    func(err error) bool { return postgres.Unanswered(err) || n.projector.Lacks(err) },
		KeySets: guard.HTTPClient(5 * time.Second), RefusedAddress: func(err error) bool { return errors.Is(err, webhook.ErrRefusedAddress) },
		Metrics: promhttp.HandlerFor(n.registry, promhttp.HandlerOpts{}), Measure: n.registry, Nodes: n.projector.Nodes, Log: n.log,
	}
	if n.cfg.Rate > 0 {
		cfg.Rates = map[rest.Class]rest.Rate{
			rest.Requests:  {Limit: n.cfg.Rate, Per: time.Second},
			rest.Strangers: {Limit: max(n.cfg.Rate, rest.DefaultRates[rest.Strangers].Limit), Per: time.Second},
		}
	}
	if !n.cfg.has(RoleAPI) {
		cfg.Elsewhere = fault.New(fault.Unavailable, "this node does not serve the API: ask one that has the role api").After(time.Second)
		return rest.New(cfg)
	}
	return n.services(guard).Declare(rest.New(cfg))
}

// services hands each operation what it needs.
func (n *Node) services(guard webhook.Guard) slices.Services {
	commands := rest.Commands(n.acting())
	calls := voicemodels.NewCalls(n.db.Queries)
	return slices.Services{
		Keys: platform.Keys{Commands: commands, Access: access.NewAccess(n.db.Queries), Hash: keyHash(n.vault), Limit: n.cfg.KeyLimit},
		Calls: voice.Calls{Commands: commands, Placed: calls, DialOut: acts.DialOut{Log: n.acting(),
			Setups: voicemodels.NewVoiceSetup(n.db.Queries), SealHeaders: n.sealHeaders, SealURL: n.sealURL, CheckURL: guard.CheckURL}},
		Dashboards:    reporting.DashboardsAPI{Dashboards: reportingmodels.NewDashboards(n.db.Queries)},
		Staff:         platform.StaffAPI{Staff: access.NewStaff(n.db.Queries)},
		Docks:         runtimeapi.Docks{Commands: commands, Docks: runtimemodels.NewDocks(n.db.Queries), Deploy: acts.Deploy{Log: n.acting()}},
		Texts:         channels.TextsAPI{Texts: channelmodels.NewTexts(n.db.Queries)},
		Interactions:  voice.InteractionsAPI{Calls: calls},
		HumanAgents:   contactcenter.HumanAgents{Commands: commands, Agents: contactmodels.NewHumanAgents(n.db.Queries)},
		Transfers:     n.transferOperations(commands, guard),
		Hooks:         contactcenter.Hooks{Commands: commands},
		Conversations: contactcenter.ConversationsAPI{Commands: commands, Reads: contactmodels.NewConversations(n.db.Queries)},
		Campaigns: campaigns.CampaignsAPI{Commands: commands, Campaigns: campaignmodels.NewCampaigns(n.db.Queries),
			Lists: campaignmodels.NewContactLists(n.db.Queries), Runs: campaignmodels.NewCampaignRuns(n.db.Queries),
			Start: acts.StartCampaign{Log: n.acting(), Lists: campaignmodels.NewContactLists(n.db.Queries),
				Flows: campaignmodels.NewCampaigns(n.db.Queries)}},
		CampaignRuns: campaigns.CampaignRunsAPI{Runs: campaignmodels.NewCampaignRuns(n.db.Queries), Now: n.clock.Now},
		CallDetails: reporting.CallDetailsAPI{Sessions: contactmodels.NewCallDetails(n.db.Queries),
			Agents: contactmodels.NewHumanAgents(n.db.Queries)},
		Exports: reporting.ExportsAPI{Commands: commands, Indexes: reportingmodels.NewSearchIndexes(n.db.Queries),
			Jobs: reportingmodels.NewExports(n.db.Queries), Links: n.fileLinks()},
		Voicemail: contactcenter.VoicemailAPI{Commands: commands, Voicemails: contactmodels.NewVoicemails(n.db.Queries), Blobs: n.blobs,
			Links: n.fileLinks()},
		Files:     platform.FilesAPI{Links: n.fileLinks(), Files: reportingmodels.NewFiles(n.db.Queries), Blobs: n.blobs},
		Analytics: reporting.Analytics{Store: analytics.NewStore(n.db.Queries), Now: n.clock.Now},
		Events:    audit.EventsAPI{Audit: auditmodels.NewAudit(n.projector), MAC: n.vault.MAC, Heartbeat: n.cfg.StreamHeartbeat},
		Admin:     apply.New(n.store, n.vault).Guarded(guard.CheckURL),
	}
}

// acting is the store as acts take it.
func (n *Node) acting() acts.Log { return acts.Log{Store: n.store, MAC: n.vault.MAC, Now: n.clock.Now} }

func (n *Node) sealHeaders(tenant string, headers map[string]string) (string, error) {
	plain, err := json.Marshal(headers)
	if err != nil {
		return "", fmt.Errorf("encoding the caller's headers: %w", err)
	}
	sealed, err := n.vault.Seal(plain, vault.NotifyHeadersContext(tenant))
	if err != nil {
		return "", fmt.Errorf("sealing the caller's headers: %w", err)
	}
	return sealed, nil
}

// sealURL is for every URL that a caller gives.
func (n *Node) sealURL(tenant, raw string) (bare, sealed string, err error) {
	bare, secret := callerurl.Bare(raw)
	if !secret {
		return bare, "", nil
	}
	if sealed, err = n.vault.Seal([]byte(raw), vault.CallerURLContext(tenant)); err != nil {
		return "", "", fmt.Errorf("sealing the caller's URL: %w", err)
	}
	return bare, sealed, nil
}

// ready describes the node's parts for /readyz.
func (n *Node) ready(ctx context.Context) []rest.Part {
	lag := n.projector.Lag()
	parts := []rest.Part{{Name: "projections", Ready: lag.Ready(), Degraded: lag.Degraded(), Detail: lag}}
	parts = append(parts, rest.Part{Name: "analytics", Ready: true, Detail: n.analytics.Lag()}) // nobody waits for them
	if n.projector.Unprojected() != nil {
		parts = append(parts, rest.Part{Name: "projectors", Detail: "no node with the role projector is running"})
	}
	if n.cfg.has(RoleReactor) {
		parts = append(parts, n.reactorsPart())
	}
	ctx, cancel := context.WithTimeout(ctx, 2*time.Second)
	defer cancel()
	parts = append(parts, n.blobsPart(ctx))
	for _, p := range []struct {
		name string
		ping func(context.Context) error
	}{{"kafka", n.kafka.Ping}, {"postgres", n.db.Queries.Ping}} {
		part := rest.Part{Name: p.name, Ready: true}
		if err := p.ping(ctx); err != nil {
			part.Ready, part.Detail = false, "does not answer"
		}
		parts = append(parts, part)
	}
	return parts
}

var _ http.Handler = (*rest.API)(nil)
