package runtime

import (
	"context"
	"io"
	"net/http"
	"time"

	"github.com/danielgtaylor/huma/v2"

	"github.com/parley-platform/parley/domain/access"
	"github.com/parley-platform/parley/domain/completions"
	"github.com/parley-platform/parley/domain/fault"
	"github.com/parley-platform/parley/domain/projectsettings"
	"github.com/parley-platform/parley/handlers/acts/takers"
	"github.com/parley-platform/parley/handlers/rest"
	"github.com/parley-platform/parley/handlers/rest/eventstream"
	"github.com/parley-platform/parley/projections/runtime"
)

// CompletionsAPI is what the operations on completions need.
type CompletionsAPI struct {
	rest.Commands
	Models    projectModels
	Settings  takers.Settings
	Budgets   budgetKeeper
	Took      usageReader
	Answers   answerStore
	Heartbeat time.Duration // of a stream in which nothing is said; 0: 15 s
}

// projectModels knows which models a project may ask, as its settings choose them.
type projectModels interface {
	Of(ctx context.Context, tenant, project string, chosen projectsettings.Models) (Models, error)
}

// Models answer. A fault of Check is one of the request; Complete gives pieces in the order
// that completions.Kind says, and returns an error of emit as it is.
type Models interface {
	Offered() []completions.Chosen
	Check(r completions.Request) error
	Complete(ctx context.Context, r completions.Request, emit func(completions.Piece) error) (completions.Finish, error)
}

// usageReader knows what completions took.
type usageReader interface {
	Usage(ctx context.Context, tenant, project string, from, to time.Time) ([]runtime.ModelUsage, error)
}

// answerStore keeps answers to requests with an Idempotency-Key.
type answerStore interface {
	Put(ctx context.Context, prefix, contentType string, content []byte) (name string, err error)
	Open(ctx context.Context, name string) (io.ReadSeekCloser, error) // fault.NotFound: it is gone
	Delete(ctx context.Context, name string) error
}

const (
	chatPath = "/api/v1/chat"
	tagChat  = "Chat"
)

// LargestQuestion is how many bytes the body of a completion may have: some pictures, which a third is added to in base64.
const LargestQuestion = 4 << 20

// DeclareCompletions adds the operations that ask a model once, and say what that took.
func DeclareCompletions(api *rest.API, x CompletionsAPI) {
	if measure := api.Measure(); measure != nil {
		measure.MustRegister(answerStreams)
	}
	tags, can := []string{tagChat}, access.SignedIn(access.CanChat)
	refusals := []fault.Code{fault.NotFound, fault.Conflict, fault.Gone, fault.RateLimit, fault.BudgetExceeded, fault.Unavailable,
		fault.NotExecuted, fault.OutcomeUnknown}
	rest.Declare(api, rest.Operation{
		ID: "complete-chat", Method: http.MethodPost, Path: chatPath + "/complete", Tags: tags, Summary: "Have a model answer, whole",
		Description: "What it took is in chat-usage when the answer comes. With an Idempotency-Key the answer is kept for seven days, and the " +
			"same request gets it again without a model being asked. Who hangs up cancels the answer; what was produced until then is counted.",
		Requirement: can, Refusals: refusals, MaxBody: LargestQuestion,
	}, x.complete)
	rest.Declare(api, rest.Operation{
		ID: "stream-chat", Method: http.MethodPost, Path: chatPath + "/stream", Tags: tags,
		Summary: "Have a model answer as it speaks, as Server-Sent Events",
		Description: "`metadata`, `text_delta`, `tool_call_start`, `tool_call_delta`, `tool_call_end`, `usage`, and as the last one either " +
			"`complete` or `error`. A comment comes every 15 seconds in which nothing else does. What is refused before the stream begins is " +
			"answered as elsewhere. Otherwise as complete-chat.",
		Requirement: can.OrSDK(), Refusals: refusals, MaxBody: LargestQuestion,
	}, x.stream)
	answer := api.Description().Paths[chatPath+"/stream"].Post.Responses["200"]
	answer.Description = "A stream with one of `complete` and `error` as its last event"
	answer.Content = map[string]*huma.MediaType{eventstream.Format: {Schema: &huma.Schema{Type: huma.TypeString}}}
	rest.Declare(api, rest.Operation{
		ID: "chat-usage", Method: http.MethodGet, Path: chatPath + "/usage", Tags: tags,
		Summary: "What a project's completions took and cost",
		Description: "Of the last 30 days unless said, and of at most 366. `totalCost` leaves out what has no known price; `unpricedRequests` " +
			"counts it.",
		Requirement: can, Resolve: projectOfQuery, Refusals: []fault.Code{fault.NotFound},
	}, x.usage)
}

// ShownCall is a call of a tool as answers show it.
type ShownCall struct {
	ID        string `json:"id"`
	Name      string `json:"name"`
	Arguments string `json:"arguments" doc:"A JSON object, as text."`
}

// ShownUsage is what an answer took.
type ShownUsage struct {
	InputTokens   int64    `json:"inputTokens"`
	OutputTokens  int64    `json:"outputTokens"`
	TotalTokens   int64    `json:"totalTokens"`
	EstimatedCost *float64 `json:"estimatedCost" nullable:"true" doc:"US dollars; null: the price is not known."`
}

// AnswerShown is an answer, as complete-chat shows it and as it is kept.
type AnswerShown struct {
	Content      string      `json:"content"`
	ToolCalls    []ShownCall `json:"toolCalls"`
	Model        string      `json:"model" doc:"The model that answered, by its modelId."`
	Provider     string      `json:"provider"`
	FinishReason string      `json:"finishReason" enum:"end_turn,max_tokens,tool_use,stop_sequence,content_filter"`
	Usage        ShownUsage  `json:"usage"`
	LatencyMs    int64       `json:"latencyMs"`
}

type completeOut struct{ Body AnswerShown }

func (x CompletionsAPI) complete(ctx context.Context, in *completionIn) (*completeOut, error) {
	a, err := x.begin(ctx, in)
	if err != nil {
		return nil, err
	}
	whole, err := a.Whole(ctx)
	if err != nil {
		return nil, err
	}
	return &completeOut{*whole}, nil
}

func (x CompletionsAPI) stream(ctx context.Context, in *completionIn) (*huma.StreamResponse, error) {
	a, err := x.begin(ctx, in)
	if err != nil {
		return nil, err
	}
	return a.Stream(ctx, namedEvents{}), nil
}

// begin reads the request of the project that its body names.
func (x CompletionsAPI) begin(ctx context.Context, in *completionIn) (*Completing, error) {
	ctx, err := rest.ResolveProject(ctx, in.Body.ProjectID)
	if err != nil {
		return nil, err
	}
	request, err := in.request()
	if err != nil {
		return nil, err
	}
	return x.Begin(ctx, in.Body.SessionID, request)
}
