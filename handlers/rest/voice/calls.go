package voice

import (
	"context"
	"encoding/json"
	"slices"

	"github.com/parley-platform/parley/domain/access"
	"github.com/parley-platform/parley/domain/agents"
	"github.com/parley-platform/parley/domain/calls"
	"github.com/parley-platform/parley/domain/fault"
	"github.com/parley-platform/parley/handlers/rest"
	"github.com/parley-platform/parley/projections"
	"github.com/parley-platform/parley/projections/voice"
)

// Calls is what the outbound call operation needs.
type Calls struct {
	rest.Commands
	Setup  VoiceSetup
	Placed PlacedCalls
	// SealHeaders seals the caller's notifyHeaders for their way through the log.
	SealHeaders func(tenantID string, headers map[string]string) (string, error)
	// SealURL gives what may be read of the notifyurl, and the whole of it sealed if it
	// holds a secret.
	SealURL func(tenantID, raw string) (bare, sealed string, err error)
	// CheckURL refuses a notifyurl that would never be called: literal private
	// addresses and other schemes.
	CheckURL func(raw string) error
}

// PlacedCalls knows how far calls are.
type PlacedCalls interface {
	Of(ctx context.Context, tenant, project, conversationID string) (voice.Call, bool, error)
}

// VoiceSetup knows what a call needs to begin.
type VoiceSetup interface {
	CallSetup(ctx context.Context, tenant, project, trunk, caller string) (projections.CallSetup, error)
}

// dialOutIn is what dial-out is asked.
type dialOutIn struct {
	BotID string `path:"botId" doc:"Bot or stream id: a project's id or alias."`
	Body  dialOutBody
}

type dialOutBody struct {
	BotID                 string                      `json:"botId" required:"true" doc:"The same bot as in the path."`
	Target                string                      `json:"target" required:"true" doc:"Callee URI: tel:<number with country code> or sip:<user>@<host>:<port>." example:"tel:+15550000001"`
	Caller                string                      `json:"caller" required:"true" doc:"User part of the caller ID; chooses the experience flow." example:"15550100"`
	NotifyURL             string                      `json:"notifyurl,omitempty" doc:"Absolute URL that receives notifications. None are sent without it."`
	NotifyURLCamel        string                      `json:"notifyUrl,omitempty" doc:"Other spelling of notifyurl."`
	NotifyHeaders         map[string]string           `json:"notifyHeaders,omitempty" doc:"Headers sent with every notification."`
	TimeoutInMs           *int                        `json:"timeoutInMs,omitempty" doc:"How long to wait for an answer: 1,000 to 300,000 ms, 60,000 when absent." example:"60000"`
	Trunk                 string                      `json:"trunk,omitempty" doc:"Carrier of the account; the default one when absent."`
	Metadata              json.RawMessage             `json:"metadata,omitempty" doc:"Key-value data passed to the bot."`
	Timers                calls.TimersGiven           `json:"timers,omitempty" doc:"Timers of answering machine detection, in ms."`
	MachineDetection      string                      `json:"machineDetection,omitempty" enum:"disconnect,detect,disabled" doc:"disabled when absent."`
	MachineDetectionLower string                      `json:"machinedetection,omitempty" enum:"disconnect,detect,disabled" doc:"Other spelling of machineDetection."`
	ThresholdWordCount    *int                        `json:"thresholdWordCount,omitempty" doc:"1 to 100; 9 when absent."`
	AmdEventsSubscription *[]string                   `json:"amdEventsSubscription,omitempty" doc:"AMD results to notify of: all when absent, none when empty."`
	CallControlParameter  *calls.CallControlParameter `json:"callControlParameter,omitempty" doc:"Speech recognition settings of this call."`
}

type dialOutOut struct {
	Body struct {
		SID    string `json:"sid" doc:"Id of the carrier leg."`
		CallID string `json:"callId" doc:"Id of the call; conversationId of every notification."`
	}
}

// DeclareCalls adds POST /api/1.1/public/bot/{botId}/assist/dialout.
func DeclareCalls(api *rest.API, c Calls) {
	rest.Declare(api, rest.Operation{
		ID: "dial-out", Method: "POST", Path: "/api/1.1/public/bot/{botId}/assist/dialout",
		Summary:     "Place an outbound voice call",
		Description: "Answers when the call is on the log. Its progress is posted to notifyurl.",
		Tags:        []string{"Outbound calls"}, Requirement: access.TokenOnly(access.ScopeAssistDialout),
		Resolve: rest.ProjectFrom("botId"), Async: true,
		Refusals: []fault.Code{fault.Conflict, fault.QueueFull, fault.NotExecuted},
	}, c.dialOut)
	rest.Declare(api, rest.Operation{
		ID: "get-dial-out", Method: "GET", Path: "/api/1.1/public/bot/{botId}/assist/dialout/{callId}", Extension: true,
		Summary: "How far a call is", Tags: []string{"Outbound calls"},
		Requirement: access.TokenOnly(access.ScopeAssistDialout), Resolve: rest.ProjectFrom("botId"),
	}, c.call)
}

type callIn struct {
	BotID  string `path:"botId" doc:"Bot or stream id: a project's id or alias."`
	CallID string `path:"callId" maxLength:"128" doc:"callId of the dial-out."`
}

type callOut struct{ Body interaction }

func (c Calls) call(ctx context.Context, in *callIn) (*callOut, error) {
	found, ok, err := c.Placed.Of(ctx, rest.PrincipalOf(ctx).TenantID, rest.ProjectOf(ctx).ID, in.CallID)
	if err != nil {
		return nil, err
	}
	if !ok {
		return nil, fault.New(fault.NotFound, "there is no such call")
	}
	return &callOut{interactionOf(found)}, nil
}

func (c Calls) dialOut(ctx context.Context, in *dialOutIn) (*dialOutOut, error) {
	cmd, err := c.dialOutOf(ctx, in)
	if err != nil {
		return nil, err
	}
	res, err := rest.Create(ctx, c.Commands, calls.Calls, calls.Calls.Stream(cmd.CallID), cmd.Decide)
	if err != nil {
		return nil, err
	}
	accepted, err := rest.Payload[calls.Requested](res)
	if err != nil {
		return nil, err
	}
	if res.Pending {
		rest.AcceptedAt(ctx, "api", "1.1", "public", "bot", in.BotID, "assist", "dialout", accepted.CallID)
	}
	out := &dialOutOut{}
	out.Body.SID, out.Body.CallID = accepted.SID, accepted.CallID
	return out, nil
}

// dialOutOf builds the command: what the request says, and what the project's setup
// adds to it. All fields that are wrong are named at once.
func (c Calls) dialOutOf(ctx context.Context, in *dialOutIn) (calls.DialOut, error) {
	p, project, body := rest.PrincipalOf(ctx), rest.ProjectOf(ctx), in.Body
	var f fault.Fields
	c.checkBot(ctx, &f, in)
	cmd := calls.DialOut{
		CallID: c.NewID(ctx, "call").String(), SID: c.NewID(ctx, "leg").String(), TenantID: p.TenantID, AccountID: p.TenantID,
		ProjectID: project.ID, At: c.Now(),
		BotID: body.BotID, Target: body.Target, Caller: body.Caller, NotifyHeaders: body.NotifyHeaders, TimeoutInMs: body.TimeoutInMs,
		Metadata: body.Metadata, Timers: body.Timers,
		ThresholdWordCount: body.ThresholdWordCount, CallControlParameter: body.CallControlParameter,
		NotifyURL:        eitherSpelling(&f, "notifyurl", body.NotifyURL, body.NotifyURLCamel),
		MachineDetection: eitherSpelling(&f, "machineDetection", body.MachineDetection, body.MachineDetectionLower),
	}
	if body.AmdEventsSubscription != nil {
		cmd.AmdEventsSubscription = append([]string{}, *body.AmdEventsSubscription...)
	}
	if string(cmd.Metadata) == "null" {
		cmd.Metadata = nil
	}
	f = append(f, cmd.Validate()...)
	c.checkNotifyURL(&f, cmd.NotifyURL)
	setup, err := c.Setup.CallSetup(ctx, cmd.TenantID, cmd.ProjectID, body.Trunk, cmd.Caller)
	if err != nil {
		return cmd, err
	}
	if setup.Trunk == "" && body.Trunk != "" {
		f.Add("trunk", "is not a trunk of the account")
	}
	if err := rest.InOrder(f).Err(); err != nil {
		return cmd, err
	}
	return c.addSetup(cmd, setup)
}

// checkBot refuses a body that names another bot than the path.
func (c Calls) checkBot(ctx context.Context, f *fault.Fields, in *dialOutIn) {
	if in.Body.BotID == in.BotID || in.Body.BotID == "" {
		return
	}
	other, err := rest.ResolveProject(ctx, in.Body.BotID)
	if err != nil || rest.ProjectOf(other).ID != rest.ProjectOf(ctx).ID {
		f.Add("botId", "differs from the bot in the path")
	}
}

// checkNotifyURL refuses an address that would never be called, unless the URL is
// known to be wrong already.
func (c Calls) checkNotifyURL(f *fault.Fields, url string) {
	named := func(d fault.Detail) bool { return d.Field == "notifyurl" }
	if url == "" || slices.ContainsFunc(*f, named) {
		return
	}
	if err := c.CheckURL(url); err != nil {
		f.Add("notifyurl", "%s", err)
	}
}

// eitherSpelling takes a member that has two spellings, such as notifyurl and
// notifyUrl.
func eitherSpelling(f *fault.Fields, name, one, other string) string {
	if one != "" && other != "" && one != other {
		f.Add(name, "is given in two spellings with two values")
	}
	if one == "" {
		return other
	}
	return one
}

// addSetup adds the carrier (a tenant without any trunk is served by the simulated
// one), the experience flow with what its agent says at answer, and seals the URL and the headers.
func (c Calls) addSetup(cmd calls.DialOut, setup projections.CallSetup) (calls.DialOut, error) {
	cmd.Trunk, cmd.Provider = setup.Trunk, setup.Provider
	if flow := setup.Flow; flow.ID != "" {
		cmd.Flow = calls.Flow{ID: flow.ID, Name: flow.Name, AgentName: flow.AgentName, Language: flow.Language}
		var err error
		// the working copy is being edited: the agent says nothing then
		if cmd.Flow.StartText, err = agents.StartText(setup.AgentDSL); err != nil {
			cmd.Flow.StartText = ""
		}
	}
	var err error
	if cmd.NotifyURL, cmd.NotifyURLSealed, err = c.SealURL(cmd.TenantID, cmd.NotifyURL); err != nil {
		return cmd, err
	}
	if len(cmd.NotifyHeaders) > 0 {
		if cmd.NotifyHeadersSealed, err = c.SealHeaders(cmd.TenantID, cmd.NotifyHeaders); err != nil {
			return cmd, err
		}
	}
	return cmd, nil
}
