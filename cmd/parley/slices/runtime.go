package slices

import (
	"cmp"
	"context"
	"slices"

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
	withpeople "github.com/parley-platform/parley/handlers/acts/people"
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
	"github.com/parley-platform/parley/handlers/sockets"
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

// runtimeParts are what the operations and the reactors of agents have in common.
type runtimeParts struct {
	Needs
	by          talking
	sockets     *sockets.Sockets
	agents      *models.Agents
	deployments *models.Deployments
	chat        api.ChatAPI
	followed    traces.StreamAPI
	persons     withpeople.People
}

// runtimeSlice is AI agents, their versions and what of them is deployed, sessions in which they
// talk, workflows and tools and their deployment, the secrets of tools, what the code of agents
// keeps, contacts, completions, and what an export of a project would have.
func runtimeSlice(n Needs, p providers) Slice {
	r := runtimeParts{Needs: n, by: p.talking, sockets: p.sockets, agents: models.NewAgents(n.Read),
		deployments: models.NewDeployments(n.Read), persons: n.people(p.talking.turns)}
	r.chat = r.chats()
	r.followed = r.traced()
	assist := runtime.Assist{Log: n.acting(), Turns: r.by.turns, Agents: n.takers(p.talking), Settings: r.by.settings,
		Said: contactmodels.NewConversations(n.Read)}
	return Slice{
		Operations: slices.Concat(r.agentOperations(), r.sessionOperations(), r.pageOperations(), r.modelOperations()),
		Reactors: []reactors.Reactor{runtime.Deployer{Deploy: r.deploy()}.Reactor(), runtime.SessionPeople{People: r.persons}.Reactor(),
			assist.Reactor(), runtime.BudgetTeller{Budgets: r.by.budgets}.Reactor()},
		Effects: []reactors.Effect{runtime.TestRunner{Store: n.Store, Programs: r.by.programs, Now: n.Now, Log: n.Log}.Attempts()},
		Timers: []Timer{
			{completions.Completions.Category, models.AnswerTimer, runtime.DropAnswers(n.Store, n.Blobs.Delete)},
			{deployments.Deployments.Category, models.DrainTimer, runtime.Drain(n.Store)},
			{sessions.Sessions.Category, voicemodels.IdleTimer, runtime.EndIdle(n.Store)},
			{sessions.Sessions.Category, voicemodels.CallTimer, runtime.GoOn(r.by.turns)},
			{conversations.Conversations.Category, contactmodels.AssistTimer, assist.Look},
			{sessions.Sessions.Category, voicemodels.CallbackTimer, runtime.GoOn(r.by.turns)},
		},
		Measures: measuresOf(r.by.turns, r.by.tools.code),
		Close:    []func(context.Context) error{r.by.turns.Close, r.by.tools.Close},
	}
}

func (r runtimeParts) deploy() acts.Deploy { return acts.Deploy{Log: r.acting()} }

// chats are sessions, as most operations of them know them.
func (r runtimeParts) chats() api.ChatAPI {
	return api.ChatAPI{Commands: r.commands(), Agents: r.agents, Sessions: models.NewSessions(r.Read),
		Contacts: models.NewContacts(r.Read), Settings: r.by.settings, Files: r.links(), Budgets: r.by.budgets, Concurrent: r.ConcurrentSessions,
		Heartbeat: r.StreamHeartbeat, Programs: r.by.programs, Turns: r.by.turns,
		Deployments: api.Served{Deployments: r.deployments, Now: r.Now}}
}

// traced is what happens in sessions, and how it is followed on whichever node.
func (r runtimeParts) traced() traces.StreamAPI {
	out := traces.StreamAPI{API: traces.API{Chat: r.chat, Begun: models.NewSessions(r.Read), Asked: models.NewCompletions(r.Read),
		Deliveries: channelmodels.NewDeliveries(r.Read)}, Keys: r.Keys, Heartbeat: r.StreamHeartbeat}
	if r.Projector != nil {
		out.Index = r.Projector.Index()
		out.Follow = func(stream string) (*engine.Follower, error) {
			return r.Projector.Follow(sessions.Sessions.Category, stream)
		}
	}
	return out
}

// agentOperations are of agents: their sources, versions, tools and tests, and what of them is deployed.
func (r runtimeParts) agentOperations() []func(*rest.API) {
	agents := api.AgentsAPI{Commands: r.commands(), Agents: r.agents, Deployed: r.deployments}
	docks := models.NewDocks(r.Read)
	return []func(*rest.API){
		operations(api.DeclareDeployments, api.DeploymentsAPI{Commands: r.commands(), Deployments: r.deployments, Agents: r.agents,
			Workflows: models.NewDockVersions(r.Read), Channels: channelmodels.NewConnections(r.Read), Settings: r.by.settings,
			Programs: r.by.programs, Drain: r.DeploymentDrain}),
		operations(chosen.Declare, chosen.API{Settings: r.by.settings}),
		operations(api.DeclareAgents, agents), operations(api.DeclareAgentSources, agents), operations(api.DeclareAgentVersions, agents),
		operations(api.DeclareSecrets, api.SecretsAPI{Commands: r.commands(), Secrets: models.NewSecrets(r.Read), Seal: r.sealToolSecret}),
		operations(memory.Declare, memory.API{Commands: r.commands(), Stores: r.stores(r.by.programs)}),
		operations(api.DeclareDocks, api.Docks{Commands: r.commands(), Docks: docks, Deploy: r.deploy()}),
		operations(exports.Declare, exports.API{Agents: r.agents, Docks: docks}),
		operations(suites.Declare, suites.API{Commands: r.commands(), Chat: r.chat, Suites: models.NewTestSuites(r.Read),
			Programs: r.by.programs}),
	}
}

// sessionOperations are of sessions: what is said and happens in them, and with whom.
func (r runtimeParts) sessionOperations() []func(*rest.API) {
	contacts := api.ContactsAPI{Commands: r.commands(), Contacts: r.chat.Contacts}
	return []func(*rest.API){
		operations(api.DeclareChat, r.chat), operations(api.DeclareDoors, api.DoorsAPI{ChatAPI: r.chat, Connections: r.connections()}),
		operations(traces.Declare, r.followed.API), operations(traces.DeclareStream, r.followed),
		operations(api.DeclareSessions, r.chat), operations(api.DeclareTranscripts, r.chat),
		operations(attachments.Declare, attachments.API{Chat: r.chat, Files: r.Blobs}),
		operations(people.Declare, people.API{Commands: r.commands(), Chat: r.chat, People: r.persons}),
		operations(callbacks.Declare, callbacks.API{Commands: r.commands(), Turns: r.by.turns}),
		operations(api.DeclareContacts, contacts), operations(api.DeclareContactWrites, contacts),
		operations(replays.Declare, replays.API{Chat: r.chat, Agents: r.agents}),
	}
}

// pageOperations are for pages and apps in which sessions are shown.
func (r runtimeParts) pageOperations() []func(*rest.API) {
	channels, shown := channelmodels.NewSDKChannels(r.Read), SDKTokens(r.Vault, r.Read, r.Now)
	return []func(*rest.API){
		operations(sdk.DeclareChannels, sdk.ChannelsAPI{Commands: r.commands(), Channels: channels, Keys: accessmodels.NewAccess(r.Read),
			Tokens: shown, URL: r.URL}),
		operations(sdk.DeclareWidgets, sdk.WidgetAPI{Chat: r.chat, Channels: channels, Tokens: shown}),
		operations(agui.Declare, agui.API{Chat: r.chat, Sockets: r.sockets}),
		operations(webchat.Declare, webchat.API{Chat: r.chat, Sockets: r.sockets,
			Live: live.Source{Turns: r.by.turns, Follow: r.followed.Follow, Index: r.followed.Index, Keys: r.Keys}}),
	}
}

// modelOperations ask models, or agents as if they were models.
func (r runtimeParts) modelOperations() []func(*rest.API) {
	completed := api.CompletionsAPI{Commands: r.commands(), Models: r.by.models, Settings: r.by.settings, Budgets: r.by.budgets,
		Took: models.NewCompletions(r.Read), Answers: keptFiles{r.Blobs}}
	return []func(*rest.API){
		operations(api.DeclareCompletions, completed),
		operations(openai.Declare, openai.API{Completions: completed, Chat: r.chat, Deployments: r.deployments}),
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
