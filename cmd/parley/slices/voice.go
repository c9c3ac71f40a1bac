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

// voiceSlice is calls: placing them, carrying them, and telling who asked.
func voiceSlice(n Needs, p providers) Slice {
	placed, setups, media := models.NewCalls(n.Read), models.NewSetups(n.Read), models.NewMediaNodes(n.Read)
	carrier := telephony.NewSimulated(n.SimSpeed).Serves(n.Node, n.Now)
	carrying := voice.DialerConfig{Node: n.Node, Store: n.Store, Carriers: []voice.Carrier{voice.CarrierOf(carrier)},
		Agents: &voice.Agents{Agents: n.takers(p.talking), Log: n.Log}, Numbers: brought.Numbers{Flows: setups}, MAC: n.Vault.MAC,
		Speaker: speakerOf(p.speaker), Recordings: n.recordings(), Messages: n.Blobs,
		Others: medianodes.Room{Known: media}.For, InLine: contactmodels.NewTransfers(n.Read).InLine,
		Log: n.Log, Now: n.Now, Lease: n.CallLease, MaxLegs: simulatedLegs + n.soundLegs(), MostSound: n.soundLegs()}
	if n.Projector != nil {
		setups.Knowing(n.Projector.Moment)
		carrying.Follow = n.ringing(calls.Calls.Category)
	}
	if p.sip != nil {
		carrying.Carriers = append(carrying.Carriers, voice.CarrierOf(p.sip))
		carrying.Room = map[string]voice.Room{p.sip.Provider(): p.sip.Room}
	}
	dialer := voice.NewDialer(carrying)
	if p.sip != nil {
		p.sip.Takes(func(ctx context.Context, o calls.Offer, in *sip.Incoming) { dialer.Offered(ctx, o, in) })
		p.sip.Refuses(dialer.Refuses)
	}
	talkers := api.Talkers{Sessions: runtimemodels.NewSessions(n.Read)}
	rooms, open := n.rooms(p), n.connections()
	take := func(ctx context.Context, call, stream string, line api.Line) (func(), error) {
		return dialer.Take(ctx, call, stream, line)
	}
	*p.pipelines = api.Pipelines{Commands: n.commands(), Calls: *rooms.Calls, Take: take,
		Sound: func(tenant, encoding string, send func(sound []byte)) api.Sound {
			if encoding == mediastream.Linear {
				return mediastream.OpenLinear(n.line(p, tenant), p.pacer, send)
			}
			return mediastream.Open(n.line(p, tenant), p.pacer, send)
		}}
	slice := Slice{
		Operations: []func(*rest.API){
			operations(api.DeclareCalls, api.Calls{Commands: n.commands(), Placed: placed, DialOut: acts.DialOut{Log: n.acting(),
				Setups: setups, Room: medianodes.Room{Known: media}.Full, SealHeaders: n.sealHeaders, SealURL: n.sealURL,
				CheckURL: n.Guard.CheckURL}}),
			operations(timeline.Declare, timeline.API{Commands: n.commands(), Calls: placed, Recordings: keptFiles{n.Blobs}}),
			operations(api.DeclareInteractions, api.InteractionsAPI{Calls: placed}),
			operations(api.DeclareBrowsers, api.BrowsersAPI{Talkers: talkers, Connections: open, Telephony: p.calls, Now: n.Now,
				Pages: n.pageCalls(), STT: n.Providers.recognises(), TTS: n.Providers.Speech.Provider == openai.Provider}),
			operations(api.DeclareProviderCalls, api.ProviderCallsAPI{Commands: n.commands(), Calls: *rooms.Calls, Connections: open,
				Door: p.calls, PublicURL: n.URL, Answers: api.Answers{Rejected: twiliovoice.Rejected(), HungUp: twiliovoice.HungUp(),
					Streamed: func(address, token string) channels.Answer {
						return twiliovoice.Streamed(address, twiliovoice.Parameter{Name: streamToken, Value: token})
					}}}),
			operations(api.DeclareStream, api.StreamAPI{Calls: *rooms.Calls, Connections: open, Door: p.calls, Read: streamFrame,
				Words: api.StreamWords{Plays: twiliovoice.Plays, Marks: twiliovoice.Marks, Clears: twiliovoice.Clears},
				Sound: func(tenant string, send func(frame []byte)) api.Sound {
					return mediastream.Open(n.line(p, tenant), p.pacer, send)
				},
				Sockets: p.sockets, PublicURL: n.URL, Carry: func(ctx context.Context, call, stream string, line api.Line) error {
					return dialer.Carry(ctx, call, stream, line)
				}}),
			operations(api.DeclareRooms, api.RoomsAPI{Commands: n.commands(), Talkers: talkers, Rooms: rooms, Connections: open,
				Deployments: runtimemodels.NewDeployments(n.Read), Make: roomMaker(p.rooms), Pages: n.pageCalls()}),
			operations(api.DeclarePages, api.PagesAPI{Commands: n.commands(), PageCalls: n.pageCalls(), Calls: *rooms.Calls,
				Answer: n.answerPage(p), Take: take}),
		},
		Reactors: []reactors.Reactor{
			dialer.Reactor(),
			voice.Notifier{Store: n.Store, Notify: n.notify()}.Reactor(),
			voice.CallSessions{Store: n.Store}.Reactor(),
			voice.CallTransfers{Store: n.Store, Calls: n.callsOfSessions(), Telephone: n.telephones(), Trunk: trunkForPeople(setups),
				Settled: n.Projector.AwaitEndOf, Now: n.Now}.Reactor(),
			roomagents.Agents{Store: n.Store, Accounts: rooms, Join: n.joinRoom(p), Log: n.Log,
				Take: func(ctx context.Context, call, stream string, line roomagents.Line) (func(), error) {
					return dialer.Take(ctx, call, stream, line)
				}}.Reactor(),
			voice.RoomTexts{Rooms: placed, Accounts: rooms, Sender: p.rooms, Now: n.Now, Log: n.Log}.Reactor(),
		},
		Timers:   []Timer{{calls.Calls.Category, models.LeaseTimer, dialer.Wake}},
		Measures: dialer.Measures(),
		Media:    Media{Reactors: []reactors.Reactor{voice.TrunkDialer{Dialer: dialer}.Reactor()}, Timers: []string{models.LeaseTimer}},
		Drain:    &Drain{Refuse: dialer.Refuse, Await: dialer.Drain},
		Close:    []func(context.Context) error{dialer.Close},
	}
	if carrying.Recordings != nil {
		slice.Close = append(slice.Close, keepLeft(dialer))
	}
	if p.sip != nil {
		told := medianodes.Node{Known: media, ID: n.Node, SIP: p.sip.Address(), Load: dialer.Load, Seen: dialer.Seen,
			Taken: p.sip.Taken, RealTime: sound.RealTime, Log: n.Log}
		slice.Drain.Await = func(ctx context.Context) int { return told.Await(ctx, dialer.Drain) }
		slice.Media.Run = []func(context.Context){told.Run, n.trunkKeeper(p.sip).Run}
		slice.Close = append(slice.Close, p.sip.Close)
	}
	return slice
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
