package runtime

import (
	"bytes"
	"context"
	"encoding/json"
	"net/http"
	"slices"
	"strconv"
	"time"

	"github.com/danielgtaylor/huma/v2"

	"github.com/parley-platform/parley/domain/access"
	"github.com/parley-platform/parley/domain/fault"
	"github.com/parley-platform/parley/domain/sessions"
	"github.com/parley-platform/parley/eventstore"
	"github.com/parley-platform/parley/handlers/rest"
	"github.com/parley-platform/parley/handlers/rest/jsontext"
)

// DeclareTranscripts adds what was said, and what was thought of it.
func DeclareTranscripts(api *rest.API, x ChatAPI) {
	rest.Declare(api, rest.Operation{
		ID: "session-transcript", Method: http.MethodGet, Path: "/api/v1/sessions/{sessionId}/transcripts", Tags: []string{tagSessions},
		Summary: "Read what was said in a session", Description: "Oldest first, each with the last feedback on it.",
		Requirement: access.SignedIn(access.CanChat, access.Ability(access.PermSessionRead)).OrSDK(), Refusals: []fault.Code{fault.NotFound},
		Resolve: func(ctx context.Context, p rest.Params) (context.Context, error) {
			return x.readable(ctx, p.Path("sessionId"))
		},
	}, x.transcript)
	rest.Declare(api, rest.Operation{
		ID: "give-feedback", Method: http.MethodPost, Path: "/api/v1/feedback", Tags: []string{tagSessions},
		Summary: "Say what somebody thinks of an answer", Description: "One for each message: the last one counts.",
		Requirement: access.SignedIn(access.CanChat).OrSDK(), Refusals: []fault.Code{fault.NotExecuted, fault.OutcomeUnknown, fault.NotFound,
			fault.Gone},
	}, x.feedback)
}

type transcriptIn struct {
	SessionID   string `path:"sessionId" doc:"A session's id."`
	BeforeReset bool   `query:"includeBeforeReset" doc:"Also what was said before the last reset."`
	rest.Page
}

// TranscriptMessage is one message of a session.
type TranscriptMessage struct {
	ID          string         `json:"id"`
	Role        string         `json:"role" enum:"user,assistant,agent,system" doc:"agent: a person."`
	Content     string         `json:"content" doc:"What was said; of what was chosen without a word its id, and its value."`
	Timestamp   string         `json:"timestamp" format:"date-time"`
	AgentName   string         `json:"agentName,omitempty"`
	RichContent []ChatElement  `json:"richContent,omitempty"`
	Attachments []ListedFile   `json:"attachments,omitempty" doc:"That came with it."`
	Feedback    *FeedbackShown `json:"feedback,omitempty"`
	TakenBack   bool           `json:"takenBack,omitempty" doc:"Its sender has taken it back where they wrote it: content and attachments are not shown (extension)."`
}

// AttachedFile is a file that a user has given to a session.
type AttachedFile struct {
	AttachmentID string `json:"attachmentId"`
	FileName     string `json:"filename"`
	MimeType     string `json:"mimeType" example:"image/png" doc:"As its content says."`
	SizeBytes    int64  `json:"sizeBytes"`
}

// ListedFile is one that can be downloaded.
type ListedFile struct {
	AttachedFile
	URL string `json:"url" format:"uri" doc:"Where download-file gives it, as something to keep, for an hour from now (extension)."`
}

// FileOf shows a file.
func FileOf(e sessions.Attached) AttachedFile {
	return AttachedFile{e.AttachmentID, e.FileName, e.ContentType, e.SizeBytes}
}

// FeedbackShown is what somebody thinks of a message.
type FeedbackShown struct {
	Rating  rating `json:"rating"`
	Comment string `json:"comment,omitempty"`
	At      string `json:"at" format:"date-time"`
}

type transcriptOut struct {
	Body struct {
		Success    bool                `json:"success"`
		Messages   []TranscriptMessage `json:"messages"`
		Pagination rest.Pagination     `json:"pagination"`
	}
}

func (x ChatAPI) transcript(ctx context.Context, in *transcriptIn) (*transcriptOut, error) {
	said, err := x.said(ctx, in.SessionID, in.BeforeReset)
	if err != nil {
		return nil, err
	}
	out := &transcriptOut{}
	out.Body.Success, out.Body.Pagination = true, in.Of(len(said))
	out.Body.Messages = rest.Window(said, in.Limit, in.Offset)
	for _, m := range out.Body.Messages { // a session may have many files, and a page shows few of them
		for i := range m.Attachments {
			m.Attachments[i].URL = x.Files.Link(sessions.FileID(in.SessionID, m.Attachments[i].AttachmentID))
		}
	}
	return out, nil
}

// said is what was said in a session that is readable, since the last reset or since ever. Its files have no addresses.
func (x ChatAPI) said(ctx context.Context, id string, all bool) ([]TranscriptMessage, error) {
	told, err := eventstore.History(ctx, x.Store, sessions.Sessions, sessions.Sessions.Stream(id))
	if err != nil {
		return nil, err
	}
	out, place, files := []TranscriptMessage{}, map[string]int{}, map[string]ListedFile{}
	add := func(m TranscriptMessage, at time.Time) {
		m.Timestamp = iso(at)
		place[m.ID] = len(out)
		out = append(out, m)
	}
	user := func(id, text string, attached []string, at time.Time) {
		m := TranscriptMessage{ID: id, Role: "user", Content: text}
		for _, file := range attached {
			m.Attachments = append(m.Attachments, files[file])
		}
		add(m, at)
	}
	for _, e := range told.Events {
		switch e := e.Payload.(type) {
		case sessions.MessageReceived:
			user(e.MessageID, e.Action.Words(e.Text), e.Attachments, e.At)
		case sessions.PassedOn:
			user(e.MessageID, e.Action.Words(e.Text), e.Attachments, e.At)
		case sessions.PersonSaid:
			add(TranscriptMessage{ID: e.MessageID, Role: "agent", Content: e.Text, AgentName: e.HumanAgentID}, e.At)
		case sessions.Attached:
			files[e.AttachmentID] = ListedFile{AttachedFile: FileOf(e)}
		case sessions.Said:
			m := MessageOf(e)
			add(TranscriptMessage{ID: m.ID, Role: "assistant", Content: m.Text, AgentName: m.AgentName, RichContent: m.RichContent}, e.At)
		case sessions.FeedbackGiven:
			if at, ok := place[e.MessageID]; ok {
				out[at].Feedback = &FeedbackShown{Rating: rating(e.Rating), Comment: e.Comment, At: iso(e.At)}
			}
		case sessions.MessageTakenBack:
			if at, ok := place[e.MessageID]; ok {
				out[at].Content, out[at].Attachments, out[at].TakenBack = "", nil, true
			}
		case sessions.WasReset:
			if !all {
				out, place = []TranscriptMessage{}, map[string]int{}
			}
		}
	}
	return out, nil
}

// readable refuses a session that is not the caller's, and finds its project: of one that was removed nothing is shown,
// as everywhere.
func (x ChatAPI) readable(ctx context.Context, id string) (context.Context, error) {
	s, err := x.sessionAt(ctx, id)
	if err != nil {
		return ctx, err
	}
	return rest.ResolveProject(ctx, s.ProjectID)
}

// rating is one as it is shown: a thumb is a text, stars are a number.
type rating string

// Schema implements huma.SchemaProvider.
func (rating) Schema(huma.Registry) *huma.Schema {
	least, most := 1.0, 5.0
	return &huma.Schema{Description: "up, down, or 1 to 5.", OneOf: []*huma.Schema{{Type: huma.TypeString, Enum: []any{"up", "down"}},
		{Type: huma.TypeInteger, Minimum: &least, Maximum: &most}}}
}

// MarshalJSON implements json.Marshaler.
func (r rating) MarshalJSON() ([]byte, error) {
	if stars, err := strconv.Atoi(string(r)); err == nil {
		return json.Marshal(stars)
	}
	return json.Marshal(string(r))
}

// ratings of a message: a thumb, or stars.
var ratings = []string{"up", "down", "1", "2", "3", "4", "5"}

type feedbackIn struct {
	Body struct {
		SessionID string            `json:"sessionId" required:"true" minLength:"1" maxLength:"128"`
		MessageID string            `json:"messageId" required:"true" minLength:"1" maxLength:"128" doc:"Of something that an agent said."`
		Rating    jsontext.Anything `json:"rating" required:"true" doc:"up, down, or 1 to 5, as a text or a number."`
		Comment   string            `json:"comment,omitempty" maxLength:"2000"`
	}
}

// FeedbackTaken is what was said of which message.
type FeedbackTaken struct {
	SessionID string `json:"sessionId"`
	MessageID string `json:"messageId"`
	FeedbackShown
}

type feedbackOut struct {
	Body struct {
		Success  bool          `json:"success"`
		Feedback FeedbackTaken `json:"feedback"`
	}
}

// ratingOf is a rating in the word by which it is kept. A whole number may be written as 5.0 or 5e0, as
// everywhere.
func ratingOf(given []byte) (word string, ok bool) {
	word = string(bytes.Trim(bytes.TrimSpace(given), `"`))
	var stars *float64
	if json.Unmarshal(given, &stars) == nil && stars != nil {
		word = strconv.FormatFloat(*stars, 'f', -1, 64)
	}
	return word, slices.Contains(ratings, word)
}

func (x ChatAPI) feedback(ctx context.Context, in *feedbackIn) (*feedbackOut, error) {
	b := in.Body
	word, ok := ratingOf(b.Rating)
	if !ok {
		return nil, fault.Field("rating", "must be up, down, or a number from 1 to 5")
	}
	if _, err := x.readable(ctx, b.SessionID); err != nil {
		return nil, err
	}
	said, err := x.said(ctx, b.SessionID, true)
	if err != nil {
		return nil, err
	}
	known := false
	for _, m := range said {
		known = known || m.ID == b.MessageID && m.Role != "user"
	}
	if !known {
		return nil, fault.New(fault.NotFound, "no agent has said a message with this id in the session")
	}
	cmd := sessions.GiveFeedback{MessageID: b.MessageID, Rating: word, Comment: b.Comment, At: x.Now()}
	res, err := rest.Execute(ctx, x.Commands, sessions.Sessions, sessions.Sessions.Stream(b.SessionID), cmd.Decide)
	if err != nil {
		return nil, err
	}
	given, err := rest.Payload[sessions.FeedbackGiven](res)
	if err != nil {
		return nil, err
	}
	out := &feedbackOut{}
	out.Body.Success = true
	f := &out.Body.Feedback
	f.SessionID, f.MessageID, f.FeedbackShown = b.SessionID, given.MessageID, FeedbackShown{rating(given.Rating), given.Comment, iso(given.At)}
	return out, nil
}
