package slices

import (
	"context"

	"github.com/parley-platform/parley/adapters/speech"
	"github.com/parley-platform/parley/domain/humanagents"
	"github.com/parley-platform/parley/domain/transfers"
	"github.com/parley-platform/parley/handlers/acts/assign"
	"github.com/parley-platform/parley/handlers/acts/driving"
	"github.com/parley-platform/parley/handlers/acts/people"
	"github.com/parley-platform/parley/handlers/reactors"
	"github.com/parley-platform/parley/handlers/reactors/contactcenter"
	"github.com/parley-platform/parley/handlers/rest"
	api "github.com/parley-platform/parley/handlers/rest/contactcenter"
	"github.com/parley-platform/parley/projections"
	models "github.com/parley-platform/parley/projections/contactcenter"
)

var contactCenterModels = []*projections.Model{models.ConversationsModel, models.HumanAgentsModel, models.TransfersModel,
	models.VoicemailsModel}

// contactCenterSlice is people: who they are, what is handed to them, and what is left
// for them and written up for them.
func contactCenterSlice(n Needs, by providers) Slice {
	agents, handed := models.NewHumanAgents(n.Read), models.NewTransfers(n.Read)
	assigning := n.assigning()
	process := assigning.Process
	return Slice{
		Operations: []func(*rest.API){
			operations(api.DeclareVoicemail, api.VoicemailAPI{Commands: n.commands(), Voicemails: models.NewVoicemails(n.Read), Blobs: n.Blobs,
				Links: n.links()}),
			operations(api.DeclareHumanAgents, api.HumanAgents{Commands: n.commands(), Agents: agents}),
			operations(api.DeclareTransfers, api.Transfers{Commands: n.commands(), Transfers: handed, CheckURL: n.Guard.CheckURL,
				Assign: assigning}),
			operations(api.DeclareHooks, api.Hooks{Commands: n.commands()}),
			operations(api.DeclareConversations, api.ConversationsAPI{Commands: n.commands(), Reads: models.NewConversations(n.Read)}),
		},
		Reactors: []reactors.Reactor{
			contactcenter.TransferDriver{Process: process}.Reactor(),
			contactcenter.TransferLines{Process: process}.Reactor(),
			contactcenter.TransferEnds{Process: process, Store: n.Store, Transfers: handed}.Reactor(),
			contactcenter.TransferNotices{Store: n.Store, Notify: n.notify()}.Reactor(),
			contactcenter.TransferConversations{Conversations: assign.Conversations{Store: n.Store}, Process: process,
				Transfers: handed}.Reactor(),
			contactcenter.VoicemailRecorder{Store: n.Store, Calls: n.callsOfSessions(), Blobs: n.Blobs, Recorder: simulatedCaller{},
				MAC: n.Vault.MAC, Now: n.Now}.Reactor(),
			contactcenter.ConversationPresence{Store: n.Store, Agents: agents, Transfers: handed}.Reactor(),
		},
		Effects: []reactors.Effect{
			contactcenter.VoicemailTranscriber{Store: n.Store, Blobs: n.Blobs, Transcriber: by.transcripts, Now: n.Now, Log: n.Log}.Attempts(),
			contactcenter.ConversationSummaries{Store: n.Store, Transcripts: models.NewConversations(n.Read), Summarizer: by.summaries,
				Now: n.Now, Log: n.Log}.Attempts(),
		},
		Timers: []Timer{
			{transfers.Transfers.Category, models.WaitTimer, contactcenter.EndWait(n.Store)},
			{humanagents.Desks.Category, models.ClaimTimer, contactcenter.EndClaim(n.Store)},
		},
	}
}

// assigning takes conversations to people.
func (n Needs) assigning() assign.Assign {
	agents, handed := models.NewHumanAgents(n.Read), models.NewTransfers(n.Read)
	return assign.Assign{Log: n.acting(), Agents: agents, Transfers: handed, SealURL: n.sealURL, Process: assign.Process{
		Streams: assign.Log{Store: n.Store}, Now: n.Now, View: assign.Reads{Transfers: handed, Agents: agents},
		Telephones: n.callsOfSessions(), Lines: n.serving}}
}

// people takes the sessions of agents to people, and back.
func (n Needs) people(turns *driving.Turns) people.People {
	return people.People{Log: n.acting(), Turns: turns, Assign: n.assigning(), Queues: models.NewHumanAgents(n.Read),
		Transfers: models.NewTransfers(n.Read)}
}

// simulatedCaller is the recorder of the simulated carrier: its callers always leave
// the same message.
type simulatedCaller struct{}

// Record implements contactcenter.Recorder.
func (simulatedCaller) Record(_ context.Context, o contactcenter.RecordingOrder) (contactcenter.Recording, error) {
	return contactcenter.Recording{Audio: speech.LeaveMessage(o.CallerID), ContentType: "audio/wav", Language: "en",
		Provider: speech.ProviderLocal}, nil
}
