package voice

import (
	"context"
	"net/http"
	"strings"
	"sync"
	"time"

	"github.com/danielgtaylor/huma/v2"
	"github.com/google/uuid"

	"github.com/parley-platform/parley/domain/access"
	"github.com/parley-platform/parley/domain/calls"
	"github.com/parley-platform/parley/domain/fault"
	"github.com/parley-platform/parley/eventstore"
	"github.com/parley-platform/parley/handlers/acts"
	"github.com/parley-platform/parley/handlers/acts/brought"
	"github.com/parley-platform/parley/handlers/rest"
	"github.com/parley-platform/parley/handlers/rest/tokens"
)

// PageCalls gives out the tokens with which pages call this server itself.
type PageCalls struct {
	On     bool // it takes them
	Tokens tokens.Call
	URL    func() string // how callers reach the API
}

// grant is a token for one call, made in the name of somebody in a session, and the session that it gets.
func (x PageCalls) grant(p brought.Page, now time.Time) (token, session string, err error) {
	p.GrantID = uuid.NewString()
	token, err = x.Tokens.Issue(tokens.CallGrant{ID: p.GrantID, TenantID: p.TenantID, ProjectID: p.ProjectID, SessionID: p.SessionID,
		AgentName: p.AgentName, DeploymentID: p.DeploymentID, Issued: now, Expires: now.Add(tokens.CallToken)})
	return token, p.OwnSession(), err
}

// address is where a page brings its offer.
func (x PageCalls) address() string { return x.URL() + connectPath }

const connectPath = "/api/v1/rtc/connect"

// PageLine is the sound of one page.
type PageLine interface {
	Line
	Gone() // the page has hung up
}

// PagesAPI is what the operations need by which pages call.
type PagesAPI struct {
	rest.Commands
	PageCalls
	Calls brought.Calls
	// Answer takes an offer of somebody in an account, and gives the page's line and the answer. A refusal names what is wrong with it.
	Answer func(ctx context.Context, tenant, offer string) (PageLine, string, error)
	// Take takes the line of a call for this node; carry carries the call until it is over.
	Take func(ctx context.Context, callID, streamID string, line Line) (carry func(), err error)

	open *sync.Map // the lines of this node, by call
}

// DeclarePages adds how a page calls, and hangs up.
func DeclarePages(api *rest.API, x PagesAPI) {
	x.open = &sync.Map{}
	refusals := []fault.Code{fault.Unauthorized, fault.Conflict, fault.QueueFull, fault.Unavailable}
	rest.Declare(api, rest.Operation{
		ID: "rtc-connect", Method: http.MethodPost, Path: connectPath, Status: http.StatusCreated, Extension: true, Tags: []string{tagVoice},
		Summary: "Call from a page",
		Description: "WebRTC in one round trip, as WHIP (RFC 9725) has it: the body is the offer (`application/sdp`), the token of " +
			"rtc-token or voice-token is sent as Authorization: Bearer and makes one call. The offer needs one section of audio, both " +
			"ways, with PCMU (payload type 0), encrypted by DTLS-SRTP; keys are heard as telephone events at 8 kHz (RFC 4733), where " +
			"it has them. Video is answered with none, a data channel is refused. The answer has all addresses of the node: nothing " +
			"is trickled (PATCH is 405). The call is answered by the agent at once, and talks when the page is connected; a page that " +
			"is not after 20 seconds, or of which nothing comes for 10, has lost its call. When the agent ends the call, the " +
			"connection is closed. 503: this node takes no calls of pages, or nobody can answer them.",
		Requirement: access.Public, Unkeyed: true, Refusals: append(refusals, fault.TooLarge), MaxBody: mostOffer,
	}, x.connect)
	described := api.Description().Paths[connectPath].Post
	sdp := map[string]*huma.MediaType{mediaSDP: {Schema: &huma.Schema{Type: huma.TypeString}}}
	described.RequestBody = &huma.RequestBody{Required: true, Content: sdp, Description: "The offer."}
	described.Responses["201"].Description, described.Responses["201"].Content = "The answer.", sdp
	rest.Declare(api, rest.Operation{
		ID: "rtc-disconnect", Method: http.MethodDelete, Path: connectPath + "/{callId}", Status: http.StatusNoContent, Extension: true,
		Tags: []string{tagVoice}, Summary: "Hang up from a page",
		Description: "At the address that rtc-connect gave in Location, with the token of the call, also when that is too old to make one. A " +
			"call that is over stays as it is. Closing the connection does the same.",
		Requirement: access.Public, Unkeyed: true, Refusals: []fault.Code{fault.Unauthorized, fault.Conflict},
	}, x.disconnect)
}

const (
	mediaSDP  = "application/sdp"
	mostOffer = 64 << 10
)

type connectIn struct {
	Authorization string `header:"Authorization" maxLength:"16384" doc:"Bearer, and the token of the call."`

	rest.AsSent
}

type connectOut struct {
	ContentType string `header:"Content-Type"`
	Location    string `header:"Location" doc:"Where the call is hung up."`
	Body        []byte
}

// granted is the call that a token is for.
func (x PagesAPI) granted(header string, ends bool) (brought.Page, error) {
	token, _ := strings.CutPrefix(strings.TrimSpace(header), "Bearer ")
	g, err := x.Tokens.Verify(strings.TrimSpace(token), ends)
	return brought.Page{GrantID: g.ID, TenantID: g.TenantID, ProjectID: g.ProjectID, SessionID: g.SessionID, AgentName: g.AgentName,
		DeploymentID: g.DeploymentID}, err
}

// by is the page that calls.
func (x PagesAPI) by(ctx context.Context, p brought.Page, does string) acts.Caller {
	by := x.Caller(ctx).Further()
	by.Tenant, by.Actor, by.RequestID = p.TenantID, "page:"+brought.Identity(p.SessionID), eventstore.CauseID("page", p.GrantID, does)
	return by
}

func (x PagesAPI) connect(ctx context.Context, in *connectIn) (*connectOut, error) {
	sent := in.Sent()
	p, err := x.granted(in.Authorization, false)
	if err != nil {
		return nil, err
	}
	if media, _, _ := strings.Cut(sent.Get("Content-Type"), ";"); !strings.EqualFold(strings.TrimSpace(media), mediaSDP) {
		return nil, fault.Field("Content-Type", "must be %s", mediaSDP)
	}
	if !x.On {
		return nil, fault.New(fault.Unavailable, "this node takes no calls of pages: it was started without --rtc-udp")
	}
	switch err := rest.ProjectStands(ctx, p.TenantID, p.ProjectID); {
	case fault.Is(err, fault.NotFound): // removed behind the token
		return nil, fault.New(fault.Unauthorized, "the token is for a project that is not there any more")
	case err != nil:
		return nil, err
	}
	line, answer, err := x.Answer(ctx, p.TenantID, string(sent.Body))
	if err != nil {
		return nil, err
	}
	carry, err := x.taken(ctx, p, line)
	if err != nil {
		_ = line.HangUp(ctx)
		return nil, err
	}
	call := p.CallID()
	x.open.Store(call, line)
	go func() {
		defer x.open.Delete(call)
		carry()
	}()
	return &connectOut{ContentType: mediaSDP, Location: connectPath + "/" + call, Body: []byte(answer)}, nil
}

// taken answers the call, and takes its line.
func (x PagesAPI) taken(ctx context.Context, p brought.Page, line PageLine) (carry func(), err error) {
	s, err := x.Calls.AnswerPage(ctx, x.by(ctx, p, "connect"), p)
	switch {
	case err != nil:
		return nil, err
	case s.Phase == calls.PhaseFailed:
		return nil, fault.New(fault.Unavailable, "nobody can answer the call")
	case s.Ended():
		return nil, fault.New(fault.Unauthorized, "the token was used")
	}
	return x.Take(ctx, p.CallID(), p.GrantID, line)
}

type disconnectIn struct {
	Authorization string `header:"Authorization" maxLength:"16384" doc:"Bearer, and the token of the call."`
	CallID        string `path:"callId" maxLength:"64" doc:"The call's id."`
}

func (x PagesAPI) disconnect(ctx context.Context, in *disconnectIn) (*struct{}, error) {
	p, err := x.granted(in.Authorization, true)
	if err != nil {
		return nil, err
	}
	s, err := x.Calls.Read(ctx, p.CallID())
	if err != nil {
		return nil, err
	}
	if in.CallID != p.CallID() || !s.Came() {
		return nil, fault.New(fault.NotFound, "there is no such call")
	}
	if err := x.Calls.HangUp(ctx, x.by(ctx, p, "disconnect"), p.CallID(), "the page hung up"); err != nil {
		return nil, err
	}
	if line, here := x.open.Load(p.CallID()); here {
		line.(PageLine).Gone()
	}
	return nil, nil
}
