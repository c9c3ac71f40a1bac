package slices

import (
	"context"

	"github.com/parley-platform/parley/adapters/llm"
	"github.com/parley-platform/parley/domain/completions"
	"github.com/parley-platform/parley/domain/deployments"
	"github.com/parley-platform/parley/domain/sessions"
	"github.com/parley-platform/parley/handlers/acts"
	"github.com/parley-platform/parley/handlers/reactors"
	"github.com/parley-platform/parley/handlers/reactors/runtime"
	"github.com/parley-platform/parley/handlers/rest"
	api "github.com/parley-platform/parley/handlers/rest/runtime"
	"github.com/parley-platform/parley/handlers/rest/runtime/attachments"
	"github.com/parley-platform/parley/handlers/rest/runtime/callbacks"
	"github.com/parley-platform/parley/handlers/rest/runtime/exports"
	"github.com/parley-platform/parley/handlers/rest/runtime/memory"
	"github.com/parley-platform/parley/handlers/rest/runtime/openai"
	"github.com/parley-platform/parley/handlers/rest/runtime/people"
	"github.com/parley-platform/parley/handlers/rest/runtime/replays"
	"github.com/parley-platform/parley/handlers/rest/runtime/sdk"
	chosen "github.com/parley-platform/parley/handlers/rest/runtime/settings"
	"github.com/parley-platform/parley/handlers/rest/runtime/suites"
	"github.com/parley-platform/parley/handlers/rest/runtime/traces"
	"github.com/parley-platform/parley/projections"
	accessmodels "github.com/parley-platform/parley/projections/access"
	channelmodels "github.com/parley-platform/parley/projections/channels"
	"github.com/parley-platform/parley/projections/engine"
	models "github.com/parley-platform/parley/projections/runtime"
	voicemodels "github.com/parley-platform/parley/projections/voice"
)

var runtimeModels = []*projections.Model{models.AgentsModel, models.DocksModel, models.DockVersionsModel, models.SecretsModel,
	models.ContactsModel, models.DeploymentsModel, models.CompletionsModel, models.MemoriesModel, models.ModelProvidersModel,
	models.ProjectSettingsModel, models.TestSuitesModel, models.TestRunsModel}

// runtimeSlice is AI agents, their versions and what of them is deployed, sessions in which they
// talk, workflows and tools and their deployment, the secrets of tools, what the code of agents
// keeps, contacts, completions, and what an export of a project would have.
func runtimeSlice(n Needs, p providers) Slice {
	deploy, settings, programs, ofProjects := acts.Deploy{Log: n.acting()}, p.talking.settings, p.talking.programs, p.talking.models
	agents := api.AgentsAPI{Commands: n.commands(), Agents: models.NewAgents(n.Read), Deployed: models.NewDeployments(n.Read)}
	contacts := api.ContactsAPI{Commands: n.commands(), Contacts: models.NewContacts(n.Read)}
	chat := api.ChatAPI{Commands: n.commands(), Agents: models.NewAgents(n.Read), Sessions: models.NewSessions(n.Read),
		Settings: settings, Concurrent: n.ConcurrentSessions, Heartbeat: n.StreamHeartbeat,
		Programs: programs, Turns: p.talking.turns,
		Deployments: api.Served{Deployments: models.NewDeployments(n.Read), Now: n.Now}}
	deployed := api.DeploymentsAPI{Commands: n.commands(), Deployments: models.NewDeployments(n.Read), Agents: models.NewAgents(n.Read),
		Workflows: models.NewDocks(n.Read), Channels: channelmodels.NewConnections(n.Read), Settings: settings, Programs: programs,
		Drain: n.DeploymentDrain}
	completed := api.CompletionsAPI{Commands: n.commands(), Models: ofProjects, Settings: settings,
		Took: models.NewCompletions(n.Read), Answers: n.Blobs}
	persons := n.people(chat.Turns)
	traced := traces.API{Chat: chat, Begun: models.NewSessions(n.Read), Asked: models.NewCompletions(n.Read)}
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
			operations(api.DeclareChat, chat), operations(traces.Declare, traced),
			operations(traces.DeclareStream, streamed), operations(api.DeclareSessions, chat), operations(api.DeclareTranscripts, chat),
			operations(attachments.Declare, attachments.API{Chat: chat, Files: n.Blobs}),
			operations(people.Declare, people.API{Commands: n.commands(), Chat: chat, People: persons}),
			operations(api.DeclareAgents, agents), operations(api.DeclareAgentSources, agents), operations(api.DeclareAgentVersions, agents),
			operations(api.DeclareSecrets, api.SecretsAPI{Commands: n.commands(), Secrets: models.NewSecrets(n.Read), Seal: n.sealToolSecret}),
			operations(memory.Declare, memory.API{Commands: n.commands(), Stores: models.NewMemories(n.Read), Programs: programs}),
			operations(sdk.DeclareChannels, sdk.ChannelsAPI{Commands: n.commands(), Channels: channelmodels.NewSDKChannels(n.Read),
				Keys: accessmodels.NewAccess(n.Read), Tokens: SDKTokens(n.Vault, n.Read, n.Now), URL: n.URL}),
			operations(sdk.DeclareWidgets, sdk.WidgetAPI{Chat: chat, Channels: channelmodels.NewSDKChannels(n.Read),
				Tokens: SDKTokens(n.Vault, n.Read, n.Now)}),
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
		Reactors: []reactors.Reactor{runtime.Deployer{Deploy: deploy}.Reactor(), runtime.SessionPeople{People: persons}.Reactor()},
		Effects:  []reactors.Effect{runtime.TestRunner{Store: n.Store, Programs: programs, Now: n.Now, Log: n.Log}.Attempts()},
		Timers: []Timer{
			{completions.Completions.Category, models.AnswerTimer, runtime.DropAnswers(n.Store, n.Blobs.Delete)},
			{deployments.Deployments.Category, models.DrainTimer, runtime.Drain(n.Store)},
			{sessions.Sessions.Category, voicemodels.IdleTimer, runtime.EndIdle(n.Store)},
			{sessions.Sessions.Category, voicemodels.CallTimer, runtime.GoOn(chat.Turns)},
		},
		Close: []func(context.Context) error{chat.Turns.Close, p.talking.tools.Close},
	}
}

// talking is what agents talk by, in chats and on calls alike.
type talking struct {
	programs *acts.Programs
	settings *models.ProjectSettings
	models   projectModels
	tools    toolCaller
	turns    *acts.Turns
}

func (n Needs) talking(server *llm.Models) talking {
	t := talking{programs: &acts.Programs{Sources: models.NewAgents(n.Read)}, settings: models.NewProjectSettings(n.Read),
		models: n.projectModels(server), tools: n.toolCaller()}
	t.turns = n.turns(t.programs, t.tools)
	t.turns.Models = n.modelsOfTurns(t.settings, t.models)
	return t
}

// waitingMessages is how many may wait for one session on one node.
const waitingMessages = 10

// turns makes the calls of turns for this node.
func (n Needs) turns(programs *acts.Programs, tools toolCaller) *acts.Turns {
	t := &acts.Turns{Log: n.acting(), Programs: programs, Lines: acts.Lines{Most: waitingMessages}, Secrets: tools.secrets, URL: n.URL,
		Tools: tools, Memories: models.NewMemories(n.Read)}
	if !n.SandboxOff {
		t.SignBridge = n.signBridge
	}
	if n.Projector != nil {
		t.Process, t.Lives = n.Projector.Process(), n.Projector.Lives
		t.Follow = func(stream string) (<-chan struct{}, func(), error) {
			f, err := n.Projector.Follow(sessions.Sessions.Category, stream)
			if err != nil {
				return nil, nil, err
			}
			return f.C(), f.Stop, nil
		}
	}
	return t
}
