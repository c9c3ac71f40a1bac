package slices

import (
	"cmp"
	"context"
	"runtime"
	"time"

	"github.com/parley-platform/parley/adapters/channels/livekit"
	twiliovoice "github.com/parley-platform/parley/adapters/channels/twilio_voice"
	"github.com/parley-platform/parley/adapters/mediastream"
	"github.com/parley-platform/parley/adapters/openai"
	"github.com/parley-platform/parley/adapters/telephony"
	"github.com/parley-platform/parley/adapters/telephony/sip"
	sound "github.com/parley-platform/parley/adapters/voice"
	"github.com/parley-platform/parley/domain/calls"
	"github.com/parley-platform/parley/domain/channels"
	"github.com/parley-platform/parley/handlers/acts"
	"github.com/parley-platform/parley/handlers/acts/brought"
	"github.com/parley-platform/parley/handlers/acts/connected"
	"github.com/parley-platform/parley/handlers/reactors"
	"github.com/parley-platform/parley/handlers/reactors/voice"
	"github.com/parley-platform/parley/handlers/reactors/voice/medianodes"
	roomagents "github.com/parley-platform/parley/handlers/reactors/voice/rooms"
	"github.com/parley-platform/parley/handlers/rest"
	"github.com/parley-platform/parley/handlers/rest/tokens"
	api "github.com/parley-platform/parley/handlers/rest/voice"
	"github.com/parley-platform/parley/handlers/rest/voice/timeline"
	"github.com/parley-platform/parley/projections"
	channelmodels "github.com/parley-platform/parley/projections/channels"
	contactmodels "github.com/parley-platform/parley/projections/contactcenter"
	runtimemodels "github.com/parley-platform/parley/projections/runtime"
	models "github.com/parley-platform/parley/projections/voice"
)

var voiceModels = []*projections.Model{models.CallsModel, models.SessionsModel, models.SetupModel}

// voiceParts are what the operations and the reactors of calls have in common.
type voiceParts struct {
	Needs
	by     providers
	placed *models.Calls
	setups *models.Setups
	media  *models.MediaNodes
	rooms  *brought.Rooms
	dialer *voice.Dialer
}

// voiceSlice is calls: placing them, carrying them, and telling who asked.
func voiceSlice(n Needs, p providers) Slice {
	v := voiceParts{Needs: n, by: p, placed: models.NewCalls(n.Read), setups: models.NewSetups(n.Read),
		media: models.NewMediaNodes(n.Read), rooms: n.rooms(p)}
	if n.Projector != nil {
		v.setups.Knowing(n.Projector.Moment)
	}
	dialer := voice.NewDialer(v.carrying())
	v.dialer = dialer
	if p.sip != nil {
		p.sip.Takes(func(ctx context.Context, o calls.Offer, in *sip.Incoming) { dialer.Offered(ctx, o, in) })
		p.sip.Refuses(dialer.Refuses)
	}
	*p.pipelines = v.pipelineCalls()
	slice := Slice{
		Operations: append(v.callOperations(), v.doorOperations()...),
		Reactors:   append([]reactors.Reactor{dialer.Reactor()}, v.reactors()...),
		Timers:     []Timer{{calls.Calls.Category, models.LeaseTimer, dialer.Wake}},
		Measures:   dialer.Measures(),
		Media:      Media{Reactors: []reactors.Reactor{voice.TrunkDialer{Dialer: dialer}.Reactor()}, Timers: []string{models.LeaseTimer}},
		Drain:      &Drain{Refuse: dialer.Refuse, Await: dialer.Drain},
		Close:      []func(context.Context) error{dialer.Close},
	}
	if n.Store != nil {
		slice.Close = append(slice.Close, keepLeft(dialer))
	}
	if p.sip != nil {
		told := medianodes.Node{Known: v.media, ID: n.Node, SIP: p.sip.Address(), Load: dialer.Load, Seen: dialer.Seen,
			Taken: p.sip.Taken, RealTime: sound.RealTime, Log: n.Log}
		slice.Drain.Await = func(ctx context.Context) int { return told.Await(ctx, dialer.Drain) }
		slice.Media.Run = []func(context.Context){told.Run, n.trunkKeeper(p.sip).Run}
		slice.Close = append(slice.Close, p.sip.Close)
	}
	return slice
}

// carrying is by what, and for whom, this node carries calls.
func (v voiceParts) carrying() voice.DialerConfig {
	simulated := telephony.NewSimulated(v.SimSpeed).Serves(v.Node, v.Now)
	out := voice.DialerConfig{Node: v.Node, Store: v.Store, Carriers: []voice.Carrier{voice.CarrierOf(simulated)},
		Agents: &voice.Agents{Agents: v.takers(v.by.talking), Log: v.Log}, Numbers: brought.Numbers{Flows: v.setups}, MAC: v.Vault.MAC,
		Speaker: speakerOf(v.by.speaker), Recordings: v.recordings(), Messages: v.Blobs,
		Others: medianodes.Room{Known: v.media}.For, InLine: contactmodels.NewTransfers(v.Read).InLine,
		Log: v.Log, Now: v.Now, Lease: v.CallLease, MaxLegs: simulatedLegs + v.soundLegs(), MostSound: v.soundLegs()}
	if v.Projector != nil {
		out.Follow = v.ringing(calls.Calls.Category)
	}
	if v.by.sip != nil {
		out.Carriers = append(out.Carriers, voice.CarrierOf(v.by.sip))
		out.Room = map[string]voice.Room{v.by.sip.Provider(): v.by.sip.Room}
	}
	return out
}

// take is by whom an agent hears and speaks on a call that somebody else carries.
func (v voiceParts) take(ctx context.Context, call, stream string, line api.Line) (func(), error) {
	return v.dialer.Take(ctx, call, stream, line)
}

func (v voiceParts) pipelineCalls() api.Pipelines {
	return api.Pipelines{Commands: v.commands(), Calls: *v.rooms.Calls, Take: v.take,
		Sound: func(tenant, encoding string, send func(sound []byte)) api.Sound {
			if encoding == mediastream.Linear {
				return mediastream.OpenLinear(v.line(v.by, tenant), v.by.pacer, send)
			}
			return mediastream.Open(v.line(v.by, tenant), v.by.pacer, send)
		}}
}

// callOperations place calls and say what became of them.
func (v voiceParts) callOperations() []func(*rest.API) {
	return []func(*rest.API){
		operations(api.DeclareCalls, api.Calls{Commands: v.commands(), Placed: v.placed, DialOut: acts.DialOut{Log: v.acting(),
			Setups: v.setups, Room: medianodes.Room{Known: v.media}.Full, SealHeaders: v.sealHeaders, SealURL: v.sealURL,
			CheckURL: v.Guard.CheckURL}}),
		operations(timeline.Declare, timeline.API{Commands: v.commands(), Calls: v.placed, Recordings: keptFiles{v.Blobs}}),
		operations(api.DeclareInteractions, api.InteractionsAPI{Calls: v.placed}),
	}
}

// doorOperations are for calls that others bring: browsers, a telephony provider, rooms and pages.
func (v voiceParts) doorOperations() []func(*rest.API) {
	talkers, open := api.Talkers{Sessions: runtimemodels.NewSessions(v.Read)}, v.connections()
	return []func(*rest.API){
		operations(api.DeclareBrowsers, api.BrowsersAPI{Talkers: talkers, Connections: open, Telephony: v.by.calls, Now: v.Now,
			Pages: v.pageCalls(), STT: v.Providers.recognises(), TTS: v.Providers.Speech.Provider == openai.Provider}),
		operations(api.DeclareProviderCalls, api.ProviderCallsAPI{Commands: v.commands(), Calls: *v.rooms.Calls, Connections: open,
			Door: v.by.calls, PublicURL: v.URL, Answers: api.Answers{Rejected: twiliovoice.Rejected(), HungUp: twiliovoice.HungUp(),
				Streamed: func(address, token string) channels.Answer {
					return twiliovoice.Streamed(address, twiliovoice.Parameter{Name: streamToken, Value: token})
				}}}),
		operations(api.DeclareStream, api.StreamAPI{Calls: *v.rooms.Calls, Connections: open, Door: v.by.calls, Read: streamFrame,
			Words: api.StreamWords{Plays: twiliovoice.Plays, Marks: twiliovoice.Marks, Clears: twiliovoice.Clears},
			Sound: func(tenant string, send func(frame []byte)) api.Sound {
				return mediastream.Open(v.line(v.by, tenant), v.by.pacer, send)
			},
			Sockets: v.by.sockets, PublicURL: v.URL, Carry: func(ctx context.Context, call, stream string, line api.Line) error {
				return v.dialer.Carry(ctx, call, stream, line)
			}}),
		operations(api.DeclareRooms, api.RoomsAPI{Commands: v.commands(), Talkers: talkers, Rooms: v.rooms, Connections: open,
			Deployments: runtimemodels.NewDeployments(v.Read), Make: roomMaker(v.by.rooms), Pages: v.pageCalls()}),
		operations(api.DeclarePages, api.PagesAPI{Commands: v.commands(), PageCalls: v.pageCalls(), Calls: *v.rooms.Calls,
			Answer: v.answerPage(v.by), Take: v.take}),
	}
}

// reactors are those beside the one that places calls.
func (v voiceParts) reactors() []reactors.Reactor {
	return []reactors.Reactor{
		voice.Notifier{Store: v.Store, Notify: v.notify()}.Reactor(),
		voice.CallSessions{Store: v.Store}.Reactor(),
		voice.CallTransfers{Store: v.Store, Calls: v.callsOfSessions(), Telephone: v.telephones(), Trunk: trunkForPeople(v.setups),
			Settled: v.Projector.AwaitEndOf, Now: v.Now}.Reactor(),
		roomagents.Agents{Store: v.Store, Accounts: v.rooms, Join: v.joinRoom(v.by), Log: v.Log,
			Take: func(ctx context.Context, call, stream string, line roomagents.Line) (func(), error) {
				return v.dialer.Take(ctx, call, stream, line)
			}}.Reactor(),
		voice.RoomTexts{Rooms: v.placed, Accounts: v.rooms, Sender: v.by.rooms, Now: v.Now, Log: v.Log}.Reactor(),
	}
}

const (
	simulatedLegs    = 2000 // of a node; they take next to nothing
	soundLegsPerCore = 250  // about half of what a core was seen to carry, with both ends of each call
)

// soundLegs is how many calls with sound this node carries at most.
func (n Needs) soundLegs() int { return cmp.Or(n.MediaCalls, soundLegsPerCore) * runtime.GOMAXPROCS(0) }

// pageCalls gives out the tokens with which pages call.
func (n Needs) pageCalls() api.PageCalls {
	out := api.PageCalls{On: n.Pages != nil, URL: n.URL}
	if n.Vault != nil {
		out.Tokens = tokens.Call{Secret: n.Vault.CallSecret(), Now: n.Now}
	}
	return out
}

// answerPage answers the offers of pages.
func (n Needs) answerPage(p providers) func(ctx context.Context, tenant, offer string) (api.PageLine, string, error) {
	return func(ctx context.Context, tenant, offer string) (api.PageLine, string, error) {
		leg, answer, err := n.Pages.Answer(ctx, n.line(p, tenant), p.pacer, offer)
		if err != nil {
			return nil, "", err
		}
		return leg, answer, nil
	}
}

// streamToken is the parameter by which a stream says that it may have its call.
const streamToken = "token"

// streamFrame reads a message of a call's stream.
func streamFrame(message []byte) (api.StreamFrame, error) {
	f, err := twiliovoice.ReadFrame(message)
	return api.StreamFrame{Event: f.Event, StreamID: f.StreamID, CallID: f.CallID, Account: f.Account, Token: f.Custom[streamToken],
		Digit: f.Digit, Sound: f.Sound, Mark: f.Mark}, err
}

// connections are those of channels, with their credentials opened.
func (n Needs) connections() connected.Connections {
	return connected.Connections{Rows: channelmodels.NewConnections(n.Read), Open: n.openCredential, Make: n.makeCredential}
}

// mostRooms is how many may be open unless the node is told.
const mostRooms = 100

// rooms takes the calls that providers bring, and the rooms of this server.
func (n Needs) rooms(p providers) *brought.Rooms {
	most := cmp.Or(n.Providers.MostRooms, mostRooms)
	if n.Providers.RoomsOff {
		most = 0
	}
	return &brought.Rooms{Calls: &brought.Calls{Log: n.acting(), Agents: n.takers(p.talking)}, Rows: models.NewCalls(n.Read),
		Connections: n.connections(), Most: most,
		Server: channels.Connection{ID: "server", Kind: api.KindRooms, Credentials: n.Providers.RoomsAccount}}
}

// roomMaker asks LiveKit.
func roomMaker(l *livekit.LiveKit) api.RoomMaker {
	called := func(agent, metadata string) *livekit.Dispatch {
		if agent == "" {
			return nil
		}
		return &livekit.Dispatch{Name: agent, Metadata: metadata}
	}
	return api.RoomMaker{Check: l.Check,
		Create: func(ctx context.Context, c channels.Connection, room, agent, metadata string, emptyFor time.Duration) channels.Outcome {
			return l.Create(ctx, c, room, called(agent, metadata), metadata, emptyFor)
		},
		Join: func(c channels.Connection, identity, room, agent, metadata string, now time.Time) (string, error) {
			return l.Join(c, identity, room, called(agent, metadata), now)
		}}
}

// callsOfSessions finds the calls in which people talk.
func (n Needs) callsOfSessions() brought.OfSessions {
	return brought.OfSessions{Store: n.Store, Rooms: models.NewCalls(n.Read), Settled: n.Projector.AwaitEndOf}
}

// trunkForPeople is the default trunk of an account, where that calls anybody.
func trunkForPeople(setups *models.Setups) func(ctx context.Context, tenant, project string) (string, error) {
	return func(ctx context.Context, tenant, project string) (string, error) {
		s, err := setups.CallSetup(ctx, tenant, project, "", "")
		if err != nil || s.Provider != calls.ProviderSIP {
			return "", err
		}
		return s.Trunk, nil
	}
}

// telephones are where human agents are reached: by their address of SIP, else by their number. What is
// neither is nothing that can be called.
func (n Needs) telephones() func(ctx context.Context, tenant, humanAgent string) (string, error) {
	people := contactmodels.NewHumanAgents(n.Read)
	return func(ctx context.Context, tenant, humanAgent string) (string, error) {
		agent, ok, err := people.Agent(ctx, tenant, humanAgent)
		if err != nil || !ok {
			return "", err
		}
		for _, raw := range []string{agent.SIPURI, "tel:" + agent.PhoneNumber} {
			if target, problem := calls.NormalTarget(raw); raw != "" && problem == "" {
				return target, nil
			}
		}
		return "", nil
	}
}
