package slices

import (
	"cmp"
	"context"

	"github.com/parley-platform/parley/adapters/llm"
	"github.com/parley-platform/parley/domain/access"
	"github.com/parley-platform/parley/domain/completions"
	"github.com/parley-platform/parley/domain/conversations"
	"github.com/parley-platform/parley/domain/deployments"
	"github.com/parley-platform/parley/domain/event"
	"github.com/parley-platform/parley/domain/sdkchannels"
	"github.com/parley-platform/parley/domain/sessions"
	"github.com/parley-platform/parley/handlers/acts"
	"github.com/parley-platform/parley/handlers/acts/budgets"
	"github.com/parley-platform/parley/handlers/acts/driving"
	"github.com/parley-platform/parley/handlers/acts/takers"
	"github.com/parley-platform/parley/handlers/acts/tasks"
	"github.com/parley-platform/parley/handlers/reactors"
	"github.com/parley-platform/parley/handlers/reactors/runtime"
	"github.com/parley-platform/parley/handlers/rest"
	api "github.com/parley-platform/parley/handlers/rest/runtime"
	"github.com/parley-platform/parley/handlers/rest/runtime/agui"
	"github.com/parley-platform/parley/handlers/rest/runtime/attachments"
	"github.com/parley-platform/parley/handlers/rest/runtime/callbacks"
	"github.com/parley-platform/parley/handlers/rest/runtime/exports"
	"github.com/parley-platform/parley/handlers/rest/runtime/live"
	"github.com/parley-platform/parley/handlers/rest/runtime/memory"
	"github.com/parley-platform/parley/handlers/rest/runtime/openai"
	"github.com/parley-platform/parley/handlers/rest/runtime/people"
	"github.com/parley-platform/parley/handlers/rest/runtime/replays"
	"github.com/parley-platform/parley/handlers/rest/runtime/sdk"
	chosen "github.com/parley-platform/parley/handlers/rest/runtime/settings"
	"github.com/parley-platform/parley/handlers/rest/runtime/suites"
	"github.com/parley-platform/parley/handlers/rest/runtime/traces"
	"github.com/parley-platform/parley/handlers/rest/runtime/webchat"
	"github.com/parley-platform/parley/projections"
	accessmodels "github.com/parley-platform/parley/projections/access"
	channelmodels "github.com/parley-platform/parley/projections/channels"
	contactmodels "github.com/parley-platform/parley/projections/contactcenter"
	"github.com/parley-platform/parley/projections/engine"
	models "github.com/parley-platform/parley/projections/runtime"
	voicemodels "github.com/parley-platform/parley/projections/voice"
)

var runtimeModels = []*projections.Model{models.AgentsModel, models.DocksModel, models.DockVersionsModel, models.SecretsModel,
	models.ContactsModel, models.DeploymentsModel, models.CompletionsModel, models.MemoriesModel, models.ModelProvidersModel,
	models.ProjectSettingsModel, models.SpendingModel, models.TestSuitesModel, models.TestRunsModel}

// runtimeSlice is AI agents, their versions and what of them is deployed, sessions in which they
// talk, workflows and tools and their deployment, the secrets of tools, what the code of agents
// keeps, contacts, completions, and what an export of a project would have.
func runtimeSlice(n Needs, p providers) Slice {
	deploy, settings, programs, ofProjects := acts.Deploy{Log: n.acting()}, p.talking.settings, p.talking.programs, p.talking.models
	agents := api.AgentsAPI{Commands: n.commands(), Agents: models.NewAgents(n.Read), Deployed: models.NewDeployments(n.Read)}
	contacts := api.ContactsAPI{Commands: n.commands(), Contacts: models.NewContacts(n.Read)}
	chat := api.ChatAPI{Commands: n.commands(), Agents: models.NewAgents(n.Read), Sessions: models.NewSessions(n.Read),
		Contacts: contacts.Contacts, Settings: settings, Files: n.links(), Budgets: p.talking.budgets, Concurrent: n.ConcurrentSessions,
		Heartbeat: n.StreamHeartbeat, Programs: programs, Turns: p.talking.turns,
		Deployments: api.Served{Deployments: models.NewDeployments(n.Read), Now: n.Now}}
	deployed := api.DeploymentsAPI{Commands: n.commands(), Deployments: models.NewDeployments(n.Read), Agents: models.NewAgents(n.Read),
		Workflows: models.NewDockVersions(n.Read), Channels: channelmodels.NewConnections(n.Read), Settings: settings, Programs: programs,
		Drain: n.DeploymentDrain}
	completed := api.CompletionsAPI{Commands: n.commands(), Models: ofProjects, Settings: settings, Budgets: p.talking.budgets,
		Took: models.NewCompletions(n.Read), Answers: keptFiles{n.Blobs}}
	persons := n.people(chat.Turns)
	assist := runtime.Assist{Log: n.acting(), Turns: chat.Turns, Agents: n.takers(p.talking), Settings: settings,
		Said: contactmodels.NewConversations(n.Read)}
	traced := traces.API{Chat: chat, Begun: models.NewSessions(n.Read), Asked: models.NewCompletions(n.Read),
		Deliveries: channelmodels.NewDeliveries(n.Read)}
	streamed := traces.StreamAPI{API: traced, Keys: n.Keys, Heartbeat: n.StreamHeartbeat}
	if n.Projector != nil {
		streamed.Index = n.Projector.Index()
		streamed.Follow = func(stream string) (*engine.Follower, error) {
			return n.Projector.Follow(sessions.Sessions.Category, stream)
		}
	}
	return Slice{
		Operations: []func(*rest.API){
			operations(api.DeclareDeployments, deployed), operations(chosen.Declare, chosen.API{Settings: settings}),
			operations(api.DeclareChat, chat), operations(api.DeclareDoors, api.DoorsAPI{ChatAPI: chat, Connections: n.connections()}),
			operations(traces.Declare, traced),
			operations(traces.DeclareStream, streamed), operations(api.DeclareSessions, chat), operations(api.DeclareTranscripts, chat),
			operations(attachments.Declare, attachments.API{Chat: chat, Files: n.Blobs}),
			operations(people.Declare, people.API{Commands: n.commands(), Chat: chat, People: persons}),
			operations(api.DeclareAgents, agents), operations(api.DeclareAgentSources, agents), operations(api.DeclareAgentVersions, agents),
			operations(api.DeclareSecrets, api.SecretsAPI{Commands: n.commands(), Secrets: models.NewSecrets(n.Read), Seal: n.sealToolSecret}),
			operations(memory.Declare, memory.API{Commands: n.commands(), Stores: n.stores(programs)}),
			operations(sdk.DeclareChannels, sdk.ChannelsAPI{Commands: n.commands(), Channels: channelmodels.NewSDKChannels(n.Read),
				Keys: accessmodels.NewAccess(n.Read), Tokens: SDKTokens(n.Vault, n.Read, n.Now), URL: n.URL}),
			operations(sdk.DeclareWidgets, sdk.WidgetAPI{Chat: chat, Channels: channelmodels.NewSDKChannels(n.Read),
				Tokens: SDKTokens(n.Vault, n.Read, n.Now)}),
			operations(agui.Declare, agui.API{Chat: chat, Sockets: p.sockets}),
			operations(webchat.Declare, webchat.API{Chat: chat, Sockets: p.sockets,
				Live: live.Source{Turns: chat.Turns, Follow: streamed.Follow, Index: streamed.Index, Keys: n.Keys}}),
			operations(callbacks.Declare, callbacks.API{Commands: n.commands(), Turns: chat.Turns}),
			operations(api.DeclareContacts, contacts), operations(api.DeclareContactWrites, contacts),
			operations(exports.Declare, exports.API{Agents: models.NewAgents(n.Read), Docks: models.NewDocks(n.Read)}),
			operations(replays.Declare, replays.API{Chat: chat, Agents: models.NewAgents(n.Read)}),
			operations(suites.Declare, suites.API{Commands: n.commands(), Chat: chat, Suites: models.NewTestSuites(n.Read), Programs: programs}),
			operations(api.DeclareCompletions, completed),
			operations(openai.Declare, openai.API{Completions: completed, Chat: chat,
				Deployments: models.NewDeployments(n.Read)}),
			operations(api.DeclareDocks, api.Docks{Commands: n.commands(), Docks: models.NewDocks(n.Read), Deploy: deploy}),
		},
		Reactors: []reactors.Reactor{runtime.Deployer{Deploy: deploy}.Reactor(), runtime.SessionPeople{People: persons}.Reactor(),
			assist.Reactor(), runtime.BudgetTeller{Budgets: p.talking.budgets}.Reactor()},
		Effects: []reactors.Effect{runtime.TestRunner{Store: n.Store, Programs: programs, Now: n.Now, Log: n.Log}.Attempts()},
		Timers: []Timer{
			{completions.Completions.Category, models.AnswerTimer, runtime.DropAnswers(n.Store, n.Blobs.Delete)},
			{deployments.Deployments.Category, models.DrainTimer, runtime.Drain(n.Store)},
			{sessions.Sessions.Category, voicemodels.IdleTimer, runtime.EndIdle(n.Store)},
			{sessions.Sessions.Category, voicemodels.CallTimer, runtime.GoOn(chat.Turns)},
			{conversations.Conversations.Category, contactmodels.AssistTimer, assist.Look},
			{sessions.Sessions.Category, voicemodels.CallbackTimer, runtime.GoOn(chat.Turns)},
		},
		Measures: measuresOf(chat.Turns, p.talking.tools.code),
		Close:    []func(context.Context) error{chat.Turns.Close, p.talking.tools.Close},
	}
}

// talking is what agents talk by, in chats and on calls alike.
type talking struct {
	programs *acts.Programs
	settings *models.ProjectSettings
	budgets  *budgets.Budgets
	models   projectModels
	tools    toolCaller
	turns    *driving.Turns
}

func (n Needs) talking(server *llm.Models) talking {
	t := talking{programs: &acts.Programs{Sources: models.NewAgents(n.Read)}, settings: models.NewProjectSettings(n.Read),
		models: n.projectModels(server)}
	n.Watch.Expects(server.Offered())
	t.tools = n.toolCaller(t.programs)
	t.budgets = &budgets.Budgets{Log: n.acting(), Settings: t.settings, Spent: models.NewSpending(n.Read)}
	if n.Metrics != nil {
		t.budgets.Counts = budgets.NewCounts(n.Metrics)
	}
	t.turns = n.turns(t.programs, t.tools)
	t.turns.Budgets = t.budgets
	t.turns.Models = n.modelsOfTurns(t.settings, t.models)
	return t
}

// takers finds who talks where nobody chose a deployment.
func (n Needs) takers(t talking) takers.Agents {
	return takers.Agents{Turns: t.turns, Deployments: models.NewDeployments(n.Read), Copies: models.NewAgents(n.Read), Settings: t.settings}
}

// How many messages may wait on one node.
const (
	waitingMessages = 10    // for one session
	waitingOfAll    = 2_000 // for all of them, unless the node is told
)

// turns makes the calls of turns for this node.
func (n Needs) turns(programs *acts.Programs, tools toolCaller) *driving.Turns {
	t := &driving.Turns{Log: n.acting(), Programs: programs, Most: n.Turns,
		Lines: acts.Lines{Most: waitingMessages, MostOfAll: cmp.Or(n.WaitingMessages, waitingOfAll)}, Secrets: tools.secrets, URL: n.URL,
		Tools: watchedTools{tools, n.Watch}, Memories: models.NewMemories(n.Read), Watch: n.Watch.Turn}
	if n.Blobs != nil {
		t.Files = givenFiles{n.Blobs}
	}
	if n.Projector != nil {
		t.Process, t.Lives = n.Projector.Process(), n.Projector.Lives
		t.Follow = n.following(sessions.Sessions.Category)
	}
	return t
}

// following listens for what is written to streams of a category, on whichever node.
func (n Needs) following(category *event.Category) func(stream string) (<-chan struct{}, func(), error) {
	return func(stream string) (<-chan struct{}, func(), error) { return n.follow(category, stream) }
}

// follow tells when a stream has news, on whichever node they were written.
func (n Needs) follow(category *event.Category, stream string) (<-chan struct{}, func(), error) {
	f, err := n.Projector.Follow(category, stream)
	if err != nil {
		return nil, nil, err
	}
	return f.C(), f.Stop, nil
}

// ringing is following for who is called, with the version that a stream has come to.
func (n Needs) ringing(category *event.Category) func(stream string, ring func(version int64)) (func(), error) {
	return func(stream string, ring func(version int64)) (func(), error) {
		f, err := n.Projector.Follow(category, stream)
		if err != nil {
			return nil, err
		}
		f.Calls(ring)
		return f.Stop, nil
	}
}

// watchCredential has ring called when the channel of a widget's or an app's token changes, or a key of the scope that its public key
// is of, and at the beginning.
func (n Needs) watchCredential(p access.Principal, ring func()) (stop func(), err error) {
	if p.ChannelID == "" || n.Projector == nil {
		return nil, nil
	}
	again := func(int64) { ring() }
	channel, err := n.ringing(sdkchannels.Channels.Category)(sdkchannels.Stream(p.TenantID, p.ChannelID), again)
	if err != nil {
		return nil, err
	}
	key, err := n.ringing(access.Scopes.Category)(access.ScopeStream(p.TenantID, p.ScopeID), again)
	if err != nil {
		return channel, err
	}
	return func() {
		key()
		channel()
	}, nil
}

// tasks are those of the agent-to-agent protocol.
func (n Needs) tasks() tasks.Tasks {
	out := tasks.Tasks{Store: n.Store, Now: n.Now, Link: n.links().Link}
	if n.Projector != nil {
		out.Follow = n.follow
	}
	return out
}
