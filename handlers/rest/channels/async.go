package channels

import (
	"context"
	"net/http"

	"github.com/parley-platform/parley/domain/access"
	"github.com/parley-platform/parley/domain/channels"
	"github.com/parley-platform/parley/domain/event"
	"github.com/parley-platform/parley/domain/fault"
	"github.com/parley-platform/parley/domain/threads"
	"github.com/parley-platform/parley/eventstore"
	"github.com/parley-platform/parley/handlers/acts"
	"github.com/parley-platform/parley/handlers/acts/connected"
	"github.com/parley-platform/parley/handlers/rest"
	"github.com/parley-platform/parley/projections"
)

// AsyncKind is the kind of channel by which programs post messages and come back for the answers.
const AsyncKind = "http_async"

// AsyncAPI is what the operations of programs need that do not wait for an answer.
type AsyncAPI struct {
	rest.Commands
	Connections doors
	CheckURL    func(raw string) error // refuses a callbackUrl that would never be called
	Counts      *connected.Counts      // nil: nobody counts
}

// doors finds connections by which the account's own programs come.
type doors interface {
	Door(ctx context.Context, tenant, project, kind, external string) (channels.Connection, error)
	WithID(ctx context.Context, tenant, id string) (channels.Connection, error)
	Doors(ctx context.Context, tenant, project, kind string) ([]channels.Connection, error)
}

// DeclareAsync adds them.
func DeclareAsync(api *rest.API, x AsyncAPI) {
	const path = "/api/v1/channels/" + AsyncKind + "/messages"
	can := access.SignedIn(access.CanChat)
	rest.Declare(api, rest.Operation{
		ID: "post-async-message", Method: http.MethodPost, Path: path, Status: http.StatusAccepted, Tags: []string{"Channels"},
		Summary: "Say something to an agent, and come back for the answer",
		Description: "By a connection of the kind http_async: the one whose externalIdentifier is `connection`, else that of the session, " +
			"else the project's newest active one; its agent and deployment answer. 202 comes when the message is on the log. What " +
			"is said to it is found by get-async-message, and, with `callbackUrl`, each text is posted there as JSON: `messageId`, " +
			"`replyId` (the same for each attempt), `text` and `choices` [{id, label}]. The header `X-Callback-Signature` is then " +
			"`sha256=` and the hex of the HMAC-SHA256 of the body under the connection's credential callbackSecret, which it must " +
			"have. 2xx has taken it; 408, 429, 5xx and network errors are tried again for a day, in the order of the conversation; " +
			"anything else ends that text. Messages of one `conversation` are answered one after the other; a session that has " +
			"ended is followed by a new one. The same `messageId` in the same conversation, or the same Idempotency-Key, is the " +
			"same message; of both the messageId counts.",
		Requirement: can, Refusals: []fault.Code{fault.NotExecuted, fault.OutcomeUnknown, fault.NotFound, fault.Conflict, fault.QueueFull},
	}, x.post)
	rest.Declare(api, rest.Operation{
		ID: "get-async-message", Method: http.MethodGet, Path: path + "/{messageId}", Tags: []string{"Channels"},
		Summary: "Read what became of a message, and what was said to it",
		Description: "`waiting`: no session has taken it yet. `working`: an agent is at it, or waits for somebody; what it has said by now is " +
			"there. `answered`: all that is said in its turn is there. `failed`: nobody answers, and why.",
		Requirement: can, Refusals: []fault.Code{fault.NotFound},
	}, x.get)
}

type postAsyncIn struct{ Body postAsyncRequest }

type postAsyncRequest struct {
	ProjectID    string `json:"projectId" required:"true" minLength:"1" maxLength:"128" doc:"A project's id or alias." example:"acme-bot"`
	Message      string `json:"message,omitempty" maxLength:"20000" doc:"What is said; this or choice is required." example:"Hello"`
	Choice       string `json:"choice,omitempty" maxLength:"64" doc:"The id of what was chosen, of choices that were shown in the conversation." example:"1.0"`
	Connection   string `json:"connection,omitempty" maxLength:"257" doc:"The externalIdentifier of the connection." example:"shop"`
	Conversation string `json:"conversation,omitempty" maxLength:"256" doc:"The caller's name of the conversation; left out, and without a sessionId: a new one." example:"order-4711"`
	SessionID    string `json:"sessionId,omitempty" maxLength:"128" doc:"Goes on in the conversation of a session of this kind."`
	MessageID    string `json:"messageId,omitempty" maxLength:"128" doc:"The caller's own id of the message, by which it is taken once."`
	From         string `json:"from,omitempty" maxLength:"256" doc:"Who says it: they become a contact."`
	Name         string `json:"name,omitempty" maxLength:"200" doc:"As they call themselves."`
	Language     string `json:"language,omitempty" maxLength:"35" pattern:"^[A-Za-z]{2,3}(-[A-Za-z0-9]{2,8})*$" doc:"Of a session that begins; one in which the project does not talk is passed over." example:"de-AT"`
	CallbackURL  string `json:"callbackUrl,omitempty" maxLength:"2048" doc:"Where what is said is posted; it must not lead inward."`
}

type postAsyncOut struct {
	Body struct {
		Success   bool   `json:"success"`
		MessageID string `json:"messageId" doc:"By which get-async-message finds it." example:"5f0c1d2e3a4b5c6d7e8f90a1b2c3d4e5.1"`
	}
}

func (x AsyncAPI) post(ctx context.Context, in *postAsyncIn) (*postAsyncOut, error) {
	b := in.Body
	ctx, err := rest.ResolveProject(ctx, b.ProjectID)
	if err != nil {
		return nil, err
	}
	to, err := x.placed(ctx, b)
	if err != nil {
		return nil, err
	}
	res, err := acts.Execute(ctx, x.Log, to.by, threads.Threads, to.stream, to.decide)
	if err != nil {
		return nil, err
	}
	rest.Answers(ctx, res)
	x.Counts.Received(AsyncKind)
	got, is := eventstore.Find[threads.Received](res)
	if !is {
		return nil, fault.Field("choice", "was not shown in this conversation, or too long ago")
	}
	out := &postAsyncOut{}
	out.Body.Success, out.Body.MessageID = true, channels.MessageName(threads.Threads.StreamID(to.stream), got.Number)
	return out, nil
}

// AsyncMessage is a message, and what was said to it.
type AsyncMessage struct {
	MessageID  string       `json:"messageId"`
	Status     string       `json:"status" enum:"waiting,working,answered,failed"`
	SessionID  *string      `json:"sessionId" nullable:"true" doc:"That answers."`
	Action     *string      `json:"action" nullable:"true" enum:"continue,end,escalated,cancelled" doc:"How its turn left the session."`
	Replies    []AsyncReply `json:"replies"`
	Code       *string      `json:"code" nullable:"true" doc:"Why nobody answers."`
	Reason     *string      `json:"reason" nullable:"true"`
	ReceivedAt string       `json:"receivedAt" format:"date-time"`
}

// AsyncReply is one text that was said to a message.
type AsyncReply struct {
	MessageID string        `json:"messageId" doc:"As the transcript of the session has it."`
	Text      string        `json:"text"`
	Choices   []AsyncChoice `json:"choices"`
}

// AsyncChoice is something that can be chosen.
type AsyncChoice struct {
	ID    string `json:"id" example:"1.0" doc:"To be posted as choice."`
	Label string `json:"label"`
}

type getAsyncIn struct {
	MessageID string `path:"messageId" maxLength:"128" doc:"As post-async-message gave it."`
}

type getAsyncOut struct {
	Body struct {
		Success bool         `json:"success"`
		Message AsyncMessage `json:"message"`
	}
}

func (x AsyncAPI) get(ctx context.Context, in *getAsyncIn) (*getAsyncOut, error) {
	unknown := fault.New(fault.NotFound, "there is no such message")
	thread, number, ok := channels.MessageNamed(in.MessageID)
	if !ok || !access.ValidID(thread) {
		return nil, unknown
	}
	told, err := eventstore.Recent(ctx, x.Store, threads.Threads, threads.Threads.Stream(thread),
		eventstore.BackTo(threads.Reaches(number)))
	if err != nil {
		return nil, err
	}
	all := make([]event.Payload, len(told.Events))
	for i, e := range told.Events {
		all[i] = e.Payload
	}
	found, is := threads.ExchangeOf(all, number)
	who := rest.PrincipalOf(ctx)
	if !is || found.Kind != AsyncKind || found.TenantID != who.TenantID || who.ProjectID != "" && who.ProjectID != found.ProjectID {
		return nil, unknown
	}
	out := &getAsyncOut{}
	out.Body.Success, out.Body.Message = true, shownExchange(in.MessageID, found)
	return out, nil
}

func shownExchange(id string, x threads.Exchange) AsyncMessage {
	f := x.Fate
	out := AsyncMessage{MessageID: id, Status: "waiting", SessionID: orNull(f.Session), Action: orNull(string(f.Over)),
		Code: orNull(f.Refused), Reason: orNull(f.Reason), ReceivedAt: rest.ISOTime(&x.At), Replies: []AsyncReply{}}
	switch {
	case f.Refused != "":
		out.Status = "failed"
	case f.Over != "":
		out.Status = "answered"
	case f.Session != "", len(x.Replies) > 0: // a reply may be on the thread before it is noted who took the message
		out.Status = "working"
	}
	for _, q := range x.Replies {
		r := AsyncReply{MessageID: q.MessageID, Text: q.Text(projections.Erased), Choices: []AsyncChoice{}}
		for _, c := range q.Choices() {
			r.Choices = append(r.Choices, AsyncChoice{ID: c.Token, Label: c.Label})
		}
		out.Replies = append(out.Replies, r)
	}
	return out
}
