package voice

import (
	"context"
	"strconv"
	"time"

	"github.com/google/uuid"

	"github.com/parley-platform/parley/domain/access"
	"github.com/parley-platform/parley/domain/channels"
	"github.com/parley-platform/parley/domain/fault"
	"github.com/parley-platform/parley/domain/sessions"
	"github.com/parley-platform/parley/handlers/acts/brought"
	"github.com/parley-platform/parley/handlers/rest"
	"github.com/parley-platform/parley/projections/runtime"
)

// KindVoice and KindRooms are the kinds of the connections by which people talk.
const (
	KindVoice = "twilio_voice"
	KindRooms = "livekit"
)

// openConnections finds connections, with their credentials opened.
type openConnections interface {
	// Of are the active ones of a kind in a project; without a project those of the account.
	Of(ctx context.Context, tenant, project, kind string) ([]channels.Connection, error)
	Named(ctx context.Context, kind string, names []string) ([]channels.Connection, error)
	WithID(ctx context.Context, tenant, id string) (channels.Connection, error)
}

// sessionReader knows the sessions of accounts.
type sessionReader interface {
	Get(ctx context.Context, tenant, id string) (runtime.Session, bool, error)
}

// Talkers knows whose sessions people talk in.
type Talkers struct {
	Sessions sessionReader
}

// own is the session that the caller may talk in, with its project; false: there is none of that id.
// A session of somebody else is not there.
func (x Talkers) own(ctx context.Context, id string) (context.Context, runtime.Session, bool, error) {
	who := rest.PrincipalOf(ctx)
	if who.Kind == access.SDKCredential && who.SessionID != id {
		return ctx, runtime.Session{}, false, unknownSession()
	}
	s, ok, err := x.Sessions.Get(ctx, who.TenantID, id)
	if err != nil || !ok {
		return ctx, s, false, err
	}
	in, err := rest.ResolveProject(ctx, s.ProjectID)
	switch {
	case fault.Is(err, fault.NotFound):
		return ctx, s, false, unknownSession()
	case err != nil:
		return ctx, s, false, err
	case s.Status == string(sessions.Ended):
		return ctx, s, false, fault.New(fault.Conflict, "the session has ended")
	}
	return in, s, true, nil
}

func unknownSession() error { return fault.New(fault.NotFound, "there is no such session") }

// telephony makes tokens with which browsers call, by the account of a connection.
type telephony interface {
	Check(c channels.Connection) error
	Calls(c channels.Connection) bool
	Token(c channels.Connection, identity, id string, now time.Time) (string, error)
}

// BrowsersAPI is what the operations by which browsers call need.
type BrowsersAPI struct {
	Talkers
	Connections openConnections
	Telephony   telephony
	STT, TTS    bool // a provider of speech that is not local is configured
	Pages       PageCalls
	Now         func() time.Time
}

const tagVoice = "Voice"

// DeclareBrowsers adds what a client asks before it calls.
func DeclareBrowsers(api *rest.API, x BrowsersAPI) {
	rest.Declare(api, rest.Operation{
		ID: "voice-capabilities", Method: "GET", Path: "/api/v1/voice/capabilities", Tags: []string{tagVoice},
		Summary: "What of voice there is",
		Description: "Each says whether a provider is configured that is not local; nobody is asked whether it answers. `telephony` is an " +
			"active connection of the kind twilio_voice, in the project, or without one in any of the account. `pages`: pages call this server " +
			"itself (rtc-connect).",
		Requirement: access.SignedIn(access.CanChat).OrSDK(), Refusals: []fault.Code{fault.NotFound},
	}, x.capabilities)
	rest.Declare(api, rest.Operation{
		ID: "voice-token", Method: "POST", Path: "/api/v1/voice/token", Tags: []string{tagVoice},
		Summary: "A token with which a browser calls",
		Description: "An access token of Twilio, good for an hour, by the newest active connection of the kind twilio_voice in the session's " +
			"project that has an API key and an application. Without one, where pages call this server itself: a token for one call, good for " +
			"15 minutes, which is made at `url` (rtc-connect). The call comes in as one from `client:` and the identity, and gets a session of " +
			"its own. An SDK token is for its own session, and needs a channel with voice.",
		Requirement: access.SignedIn(access.CanChat).OrSDK(),
		Refusals:    []fault.Code{fault.NotFound, fault.Conflict, fault.Unavailable},
	}, x.token)
}

type capabilitiesIn struct {
	ProjectID string `query:"projectId" maxLength:"128" doc:"A project's id or alias; left out: any of the account, or that of the key or token (extension)."`
}

// project is the one that is asked about; empty: all of the account.
func (in *capabilitiesIn) project(ctx context.Context) (string, error) {
	if in.ProjectID == "" {
		return rest.PrincipalOf(ctx).ProjectID, nil
	}
	in2, err := rest.ResolveProject(ctx, in.ProjectID)
	return rest.ProjectOf(in2).ID, err
}

type voiceCapabilitiesOut struct {
	Body struct {
		Success   bool `json:"success"`
		Telephony bool `json:"telephony"`
		STT       bool `json:"stt"`
		TTS       bool `json:"tts"`
		FullVoice bool `json:"fullVoice" doc:"Telephony, stt and tts."`
		Pages     bool `json:"pages" doc:"Pages call this server itself (extension)."`
	}
}

func (x BrowsersAPI) capabilities(ctx context.Context, in *capabilitiesIn) (*voiceCapabilitiesOut, error) {
	project, err := in.project(ctx)
	if err != nil {
		return nil, err
	}
	found, err := x.Connections.Of(ctx, rest.PrincipalOf(ctx).TenantID, project, KindVoice)
	if err != nil {
		return nil, err
	}
	out := &voiceCapabilitiesOut{}
	b := &out.Body
	b.Success, b.STT, b.TTS, b.Pages = true, x.STT, x.TTS, x.Pages.On
	for _, c := range found {
		b.Telephony = b.Telephony || x.Telephony.Check(c) == nil
	}
	b.FullVoice = b.Telephony && b.STT && b.TTS
	return out, nil
}

type voiceTokenIn struct {
	Body struct {
		SessionID string `json:"sessionId" required:"true" minLength:"1" maxLength:"128" doc:"A session of the caller's account that has not ended."`
		ProjectID string `json:"projectId,omitempty" maxLength:"128" doc:"A project's id or alias: the one of the session." example:"acme-bot"`
	}
}

type voiceTokenOut struct {
	Body struct {
		Success   bool   `json:"success"`
		Token     string `json:"token"`
		Identity  string `json:"identity" example:"s_0196b6f2-5d0c-7c4e-9a55-2f6d3c1b8e70"`
		SessionID string `json:"sessionId"`
		URL       string `json:"url,omitempty" doc:"Where the page brings its offer; absent: the token is one of Twilio (extension)."`
	}
}

func (x BrowsersAPI) token(ctx context.Context, in *voiceTokenIn) (*voiceTokenOut, error) {
	b := in.Body
	if b.ProjectID != "" {
		asked, err := rest.ResolveProject(ctx, b.ProjectID)
		if err != nil {
			return nil, err
		}
		b.ProjectID = rest.ProjectOf(asked).ID
	}
	ctx, s, ok, err := x.own(ctx, b.SessionID)
	switch {
	case err != nil:
		return nil, err
	case !ok, b.ProjectID != "" && b.ProjectID != s.ProjectID:
		return nil, unknownSession()
	}
	if err := rest.PrincipalOf(ctx).MaySpeak(); err != nil {
		return nil, err
	}
	found, err := x.Connections.Of(ctx, rest.PrincipalOf(ctx).TenantID, s.ProjectID, KindVoice)
	if err != nil {
		return nil, err
	}
	out, now := &voiceTokenOut{}, x.Now()
	out.Body.Success, out.Body.Identity, out.Body.SessionID = true, brought.Identity(s.SessionID), s.SessionID
	for _, c := range found {
		if !x.Telephony.Calls(c) {
			continue
		}
		id := strconv.FormatInt(now.Unix(), 10) + "-" + uuid.NewString()[:8]
		out.Body.Token, err = x.Telephony.Token(c, out.Body.Identity, id, now)
		return out, err
	}
	if x.Pages.On {
		out.Body.URL = x.Pages.address()
		calls := brought.Page{TenantID: rest.PrincipalOf(ctx).TenantID, ProjectID: s.ProjectID, SessionID: s.SessionID}
		out.Body.Token, _, err = x.Pages.grant(calls, now)
		return out, err
	}
	return nil, fault.New(fault.Unavailable, "voice is not configured: the project has no active connection of the kind %s with an API key "+
		"and an application", KindVoice)
}
