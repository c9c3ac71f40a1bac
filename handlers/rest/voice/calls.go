package voice

import (
	"cmp"
	"context"
	"encoding/json"

	"github.com/parley-platform/parley/domain/access"
	"github.com/parley-platform/parley/domain/calls"
	"github.com/parley-platform/parley/domain/fault"
	"github.com/parley-platform/parley/handlers/acts"
	"github.com/parley-platform/parley/handlers/rest"
	"github.com/parley-platform/parley/projections/voice"
)

// Calls is what the outbound call operations need.
type Calls struct {
	rest.Commands
	DialOut acts.DialOut
	Placed  placedCalls
}

// placedCalls knows how far calls are.
type placedCalls interface {
	Of(ctx context.Context, tenant, project, conversationID string) (voice.Call, bool, error)
}

// dialOutIn is what dial-out is asked.
type dialOutIn struct {
	BotID string `path:"botId" doc:"Bot or stream id: a project's id or alias."`
	Body  dialOutRequest
}

type dialOutRequest struct {
	BotID                 string                      `json:"botId" required:"true" doc:"The same bot as in the path."`
	Target                string                      `json:"target" required:"true" doc:"Callee URI: tel:<number with country code> or sip:<user>@<host>:<port>." example:"tel:+15550000001"`
	OurNumber             string                      `json:"caller" required:"true" doc:"User part of the caller ID, 1 to 64 letters, digits or + * # _ . ~ ! -; chooses the experience flow." example:"15550100"`
	NotifyURL             *string                     `json:"notifyurl,omitempty" doc:"Absolute URL that receives notifications, of at most 2,048 characters. None are sent without it."`
	NotifyURLCamel        *string                     `json:"notifyUrl,omitempty" hidden:"true" doc:"Other spelling of notifyurl."`
	NotifyHeaders         map[string]string           `json:"notifyHeaders,omitempty" doc:"Headers sent with every notification, but for those that frame it (Content-Type, Transfer-Encoding, Connection ...) and ours (X-Delivery-Id, X-Delivery-Attempt), which stay as they are. SAVG-Signature, Host and Content-Length are refused. At most 64, of at most 8 KiB each."`
	TimeoutInMs           *int                        `json:"timeoutInMs,omitempty" doc:"How long to wait for an answer: 1,000 to 300,000 ms, 60,000 when absent." example:"60000"`
	Trunk                 string                      `json:"trunk,omitempty" doc:"Carrier of the account; the default one when absent."`
	Metadata              json.RawMessage             `json:"metadata,omitempty" doc:"Key-value data passed to the bot: an object of at most 64 levels."`
	Timers                calls.TimersGiven           `json:"timers,omitempty" doc:"Timers of answering machine detection, in ms."`
	MachineDetection      string                      `json:"machineDetection,omitempty" enum:"disconnect,detect,disabled" doc:"disabled when absent."`
	MachineDetectionLower string                      `json:"machinedetection,omitempty" enum:"disconnect,detect,disabled" hidden:"true" doc:"Other spelling of machineDetection."`
	ThresholdWordCount    *int                        `json:"thresholdWordCount,omitempty" doc:"1 to 100; 9 when absent."`
	AmdEventsSubscription *[]string                   `json:"amdEventsSubscription,omitempty" doc:"AMD results to notify of (amd_human_detected, amd_machine_detected, amd_no_speech_detected, amd_decision_timeout, amd_machine_stopped_speaking, amd_tone_detected, amd_error, amd_stopped): all when absent, none when empty."`
	CallControlParameter  *calls.CallControlParameter `json:"callControlParameter,omitempty" doc:"Speech recognition settings of this call."`
}

type dialOutOut struct {
	Body struct {
		SID    string `json:"sid" doc:"Id of the carrier leg."`
		CallID string `json:"callId" doc:"Id of the call; conversationId of every notification."`
	}
}

const tagCalls = "Outbound calls"

// DeclareCalls adds POST /api/1.1/public/bot/{botId}/assist/dialout.
func DeclareCalls(api *rest.API, c Calls) {
	const path = "/api/1.1/public/bot/{botId}/assist/dialout"
	rest.Declare(api, rest.Operation{
		ID: "dial-out", Method: "POST", Path: path,
		Summary:     "Place an outbound voice call",
		Description: "Answers when the call is on the log. Its progress is posted to notifyurl.",
		Tags:        []string{tagCalls}, Requirement: access.TokenOnly(access.ScopeAssistDialout),
		Resolve: rest.ProjectFrom("botId"), Async: true,
		Refusals: []fault.Code{fault.Conflict, fault.QueueFull, fault.NotExecuted},
	}, c.dialOut)
	rest.Declare(api, rest.Operation{
		ID: "get-dial-out", Method: "GET", Path: path + "/{callId}", Extension: true,
		Summary:     "How far a call is",
		Description: "The call as list-interactions shows it.", Tags: []string{tagCalls},
		Requirement: access.TokenOnly(access.ScopeAssistDialout), Resolve: rest.ProjectFrom("botId"),
	}, c.call)
	describeNotifications(api, path)
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
	ask, wrong := in.asked(ctx)
	res, err := c.DialOut.Do(ctx, c.Caller(ctx), ask, wrong)
	if err != nil {
		return nil, err
	}
	rest.Answers(ctx, res)
	accepted := res.State.Request
	if res.Pending {
		rest.AcceptedAt(ctx, "api", "1.1", "public", "bot", in.BotID, "assist", "dialout", accepted.CallID)
	}
	out := &dialOutOut{}
	out.Body.SID, out.Body.CallID = accepted.SID, accepted.CallID
	return out, nil
}

// asked is the call that the request says, and what is wrong with how it says it.
func (in *dialOutIn) asked(ctx context.Context) (calls.DialOut, fault.Fields) {
	var wrong fault.Fields
	in.checkBot(ctx, &wrong)
	body := in.Body
	ask := calls.DialOut{BotID: body.BotID, Target: body.Target, OurNumber: body.OurNumber, Trunk: body.Trunk,
		NotifyHeaders: body.NotifyHeaders, TimeoutInMs: body.TimeoutInMs, Metadata: body.Metadata, Timers: body.Timers,
		ThresholdWordCount: body.ThresholdWordCount, CallControlParameter: body.CallControlParameter,
		NotifyURL:        body.notified(&wrong),
		MachineDetection: eitherSpelling(&wrong, "machineDetection", body.MachineDetection, body.MachineDetectionLower),
	}
	if body.AmdEventsSubscription != nil {
		ask.AmdEventsSubscription = append([]string{}, *body.AmdEventsSubscription...)
	}
	if string(ask.Metadata) == "null" {
		ask.Metadata = nil
	}
	return ask, wrong
}

// checkBot refuses a body that names another bot than the path.
func (in *dialOutIn) checkBot(ctx context.Context, wrong *fault.Fields) {
	if in.Body.BotID == in.BotID || in.Body.BotID == "" {
		return
	}
	other, err := rest.ResolveProject(ctx, in.Body.BotID)
	if err != nil || rest.ProjectOf(other).ID != rest.ProjectOf(ctx).ID {
		wrong.Add("botId", "differs from the bot in the path")
	}
}

// notified is the URL that is told how the call goes; empty: none was given, which an empty text is not.
func (r dialOutRequest) notified(wrong *fault.Fields) string {
	one, other := cmp.Or(r.NotifyURL, new(string)), cmp.Or(r.NotifyURLCamel, new(string))
	if r.NotifyURL != nil && *one == "" || r.NotifyURLCamel != nil && *other == "" {
		wrong.Add("notifyurl", "must be an absolute http or https URL: leave it out for a call of which nobody is told")
	}
	return eitherSpelling(wrong, "notifyurl", *one, *other)
}

// eitherSpelling takes a member that has two spellings, such as notifyurl and
// notifyUrl.
func eitherSpelling(wrong *fault.Fields, name, one, other string) string {
	if one != "" && other != "" && one != other {
		wrong.Add(name, "is given in two spellings with two values")
	}
	if one == "" {
		return other
	}
	return one
}
