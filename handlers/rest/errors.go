package rest

import (
	"context"
	"encoding/json"
	"errors"
	"log/slog"
	"math"
	"net/http"
	"reflect"
	"slices"
	"strconv"
	"time"

	"github.com/parley-platform/parley/domain/fault"
	"github.com/parley-platform/parley/eventstore"
)

// statuses is the one table from codes to HTTP (docs/api-rules.md "Errors").
var statuses = map[fault.Code]int{
	fault.BadRequest:       http.StatusBadRequest,
	fault.Validation:       http.StatusBadRequest,
	fault.Unauthorized:     http.StatusUnauthorized,
	fault.Forbidden:        http.StatusForbidden,
	fault.NotFound:         http.StatusNotFound,
	fault.MethodNotAllowed: http.StatusMethodNotAllowed,
	fault.Conflict:         http.StatusConflict,
	fault.TurnSuspended:    http.StatusConflict,
	fault.Gone:             http.StatusGone,
	fault.TooLarge:         http.StatusRequestEntityTooLarge,
	fault.RateLimit:        http.StatusTooManyRequests,
	fault.QueueFull:        http.StatusTooManyRequests,
	fault.LimitReached:     http.StatusTooManyRequests,
	fault.BudgetExceeded:   http.StatusTooManyRequests,
	fault.Internal:         http.StatusInternalServerError,
	fault.ProjectionFailed: http.StatusInternalServerError,
	fault.Unavailable:      http.StatusServiceUnavailable,
	fault.CatchingUp:       http.StatusServiceUnavailable,
	fault.NotExecuted:      http.StatusServiceUnavailable,
	fault.OutcomeUnknown:   http.StatusServiceUnavailable,
}

// statusOf maps a code that is not in the table, such as a newer or more special
// one of a slice (TURN_SUSPENDED), to 500, where a test finds it.
func statusOf(code fault.Code) int {
	if s, ok := statuses[code]; ok {
		return s
	}
	return http.StatusInternalServerError
}

// RegisterCode adds a code of a slice to the table. It is called from that slice's
// init; the status of a known code cannot be changed.
func RegisterCode(code fault.Code, status int) {
	if have, ok := statuses[code]; ok && have != status {
		panic("rest: the code " + string(code) + " has another status already")
	}
	statuses[code] = status
}

// meanings says, in the document, what codes mean that share their status with others
// and after which a caller does something else.
var meanings = map[fault.Code]string{
	fault.Internal: "an unexpected failure",
	fault.ProjectionFailed: "the change is recorded, do not repeat it; a read model cannot show it until the operator has mended that. The " +
		"same Idempotency-Key is answered likewise until then",
	fault.BudgetExceeded: "a budget of the project is spent, which the message names; waiting does not help before the next month",
	fault.CatchingUp:     "nothing is served until the read models have caught up with the log",
	fault.NotExecuted:    "nothing was changed, repeat freely",
	fault.OutcomeUnknown: "the change may yet take effect, repeat with the same Idempotency-Key",
}

// describeStatus names the codes of a status that need telling apart.
func describeStatus(status int, codes []fault.Code) string {
	out := http.StatusText(status)
	for _, code := range slices.Compact(slices.Sorted(slices.Values(codes))) {
		if means := meanings[code]; means != "" && statusOf(code) == status {
			out += "\n\n`" + string(code) + "`: " + means + "."
		}
	}
	return out
}

// Refusal is the body of every answer that is not a success.
type Refusal struct {
	Success bool        `json:"success" required:"true" doc:"Always false."`
	Fault   RefusalBody `json:"error" required:"true"`

	status int
	header http.Header
	style  ErrorStyle
}

// RefusalBody says what was wrong.
type RefusalBody struct {
	Code         string         `json:"code" required:"true" example:"VALIDATION_ERROR" doc:"Stable, for programs."`
	Message      string         `json:"message" required:"true" doc:"For people."`
	RetryAfterMs *int64         `json:"retryAfterMs,omitempty" doc:"Milliseconds after which it is worth trying again; on 429 and 503."`
	Details      []fault.Detail `json:"details,omitempty" doc:"The fields that are wrong, and how; on 400."`
}

// HookRefusal is the body of a refusal in the style of the conversation hooks.
type HookRefusal struct {
	Code    int    `json:"code" required:"true" example:"400" doc:"The HTTP status."`
	Message string `json:"message" required:"true"`

	ErrorCode    string `json:"errorCode,omitempty" example:"CATCHING_UP" doc:"As other operations answer it; on 429 and 5xx."`
	RetryAfterMs *int64 `json:"retryAfterMs,omitempty" doc:"Milliseconds after which it is worth trying again; on 429 and 503."`
}

// OpenAIRefusal is the body of a refusal as OpenAI's clients read it.
type OpenAIRefusal struct {
	Fault OpenAIFault `json:"error" required:"true"`
}

// OpenAIFault says what was wrong.
type OpenAIFault struct {
	Message string  `json:"message" required:"true" doc:"For people."`
	Type    string  `json:"type" required:"true" enum:"invalid_request_error,authentication_error,permission_error,rate_limit_error,server_error"`
	Param   *string `json:"param" required:"true" nullable:"true" doc:"The first member that is wrong; null: it is none in particular."`
	Code    string  `json:"code" required:"true" example:"VALIDATION_ERROR" doc:"As other operations answer it."`
}

func (r *Refusal) openAI() OpenAIRefusal {
	out := OpenAIFault{Message: r.Fault.Message, Type: "invalid_request_error", Code: r.Fault.Code}
	switch {
	case r.status == http.StatusUnauthorized:
		out.Type = "authentication_error"
	case r.status == http.StatusForbidden:
		out.Type = "permission_error"
	case r.status == http.StatusTooManyRequests:
		out.Type = "rate_limit_error"
	case r.status >= http.StatusInternalServerError:
		out.Type = "server_error"
	}
	if len(r.Fault.Details) > 0 {
		out.Param = &r.Fault.Details[0].Field
	}
	return OpenAIRefusal{out}
}

// RefusalOf is an error in the form of the request's operation, for answers that have begun
// with success.
func RefusalOf(ctx context.Context, err error) *Refusal { return exchangeOf(ctx).refusal(ctx, err) }

func refusalType(style ErrorStyle) reflect.Type {
	switch style {
	case HookErrors:
		return reflect.TypeFor[HookRefusal]()
	case OpenAIErrors:
		return reflect.TypeFor[OpenAIRefusal]()
	}
	return reflect.TypeFor[Refusal]()
}

// refusal turns an error into an answer. This is the only place where that happens.
func (x *exchange) refusal(ctx context.Context, err error) *Refusal {
	err = x.inTime(ctx, err)
	var f *fault.Error
	if !errors.As(err, &f) {
		f = fault.New(fault.Internal, "an unexpected failure; the request id is %s", x.id).Because(err)
	}
	r := &Refusal{status: statusOf(f.Code), header: http.Header{}}
	r.style = x.style
	if x.op != nil {
		r.style = x.op.Errors
	}
	r.Fault = RefusalBody{Code: string(f.Code), Message: f.Message, Details: f.Details}
	if r.status == http.StatusUnauthorized {
		r.header.Set("WWW-Authenticate", "Bearer")
	}
	r.retry(f)
	x.logRefusal(ctx, r, f)
	return r
}

// inTime replaces a refusal that may rest on read models which were not there, or not
// complete, by the one that says so: the gate was open when the request came.
func (x *exchange) inTime(ctx context.Context, err error) error {
	var f *fault.Error
	unread := errors.Is(err, eventstore.ErrUnread) // of a command, before anything was asked of the log
	if errors.As(err, &f) && !restsOnReads[f.Code] && !unread {
		return err
	}
	if shut := x.shut(ctx); shut != nil {
		return shut
	}
	if (f == nil || f.Code == fault.Internal || unread) && x.away(err) {
		return fault.New(fault.CatchingUp, "the read models are out of reach").After(time.Second).Because(err)
	}
	return err
}

// away reports whether an error says that the read models could not be asked, or did
// not answer in their time, as those behind a link that lets nothing through.
func (x *exchange) away(err error) bool {
	if x.api == nil || x.api.cfg.Away == nil {
		return false
	}
	return x.api.cfg.Away(err) || errors.Is(err, context.DeadlineExceeded)
}

// read begins to read, see Config.Reading.
func (x *exchange) read() {
	if x.api != nil && x.api.cfg.Reading != nil {
		x.stands = x.api.cfg.Reading()
	}
}

// shut says that what was read since read began is not to be answered: the gate is
// shut, or was meanwhile, or the read models are others by now.
func (x *exchange) shut(ctx context.Context) error {
	if x.api == nil || x.api.cfg.Gate == nil {
		return nil
	}
	if err := x.api.cfg.Gate(); err != nil || x.stands == nil {
		return err
	}
	return x.stands(ctx)
}

// restsOnReads are the codes that are decided on what was read. The others hold
// whatever the read models say.
var restsOnReads = map[fault.Code]bool{
	fault.Unauthorized: true, fault.Forbidden: true, fault.NotFound: true, fault.Validation: true, fault.Conflict: true,
	fault.Gone: true, fault.LimitReached: true, fault.BudgetExceeded: true, fault.Internal: true,
}

// retry is told where waiting helps; a limit that was reached stays reached, and a budget spent.
func (r *Refusal) retry(f *fault.Error) {
	waitable := r.status == http.StatusTooManyRequests || r.status == http.StatusServiceUnavailable
	if f.Retry <= 0 || !waitable || f.Code == fault.LimitReached || f.Code == fault.BudgetExceeded {
		return
	}
	ms := int64(math.Ceil(float64(f.Retry) / float64(time.Millisecond)))
	r.Fault.RetryAfterMs = &ms
	r.header.Set("Retry-After", strconv.FormatInt(int64(math.Ceil(f.Retry.Seconds())), 10))
}

// logRefusal shows the operator what the caller is not shown.
func (x *exchange) logRefusal(ctx context.Context, r *Refusal, f *fault.Error) {
	if x.api == nil || r.status < 500 {
		return
	}
	level := slog.LevelError
	if r.status == http.StatusServiceUnavailable || ctx.Err() != nil {
		level = slog.LevelWarn // expected on bad days, or nobody waits any more
	}
	x.api.log.Log(ctx, level, "request failed", "requestId", x.id, "operation", x.operation(), "code", f.Code, "message", f.Message, "cause",
		f.Cause)
}

// refuse writes a refusal outside of huma.
func (x *exchange) refuse(ctx context.Context, err error) {
	r := x.refusal(ctx, err)
	h := x.answer.Header()
	for name, values := range r.header {
		h[name] = values
	}
	h.Set("Content-Type", "application/json")
	body, err := json.Marshal(r)
	if err != nil {
		body = nil // never: texts and numbers
	}
	hurry := x.answerEarly()
	x.answer.WriteHeader(r.status)
	_, _ = x.answer.Write(append(body, '\n'))
	if hurry {
		x.takeTheRest()
	}
}

// GetStatus, GetHeaders and Error make huma answer a refusal as it is.
func (r *Refusal) GetStatus() int          { return r.status }
func (r *Refusal) GetHeaders() http.Header { return r.header }
func (r *Refusal) Error() string           { return r.Fault.Code + ": " + r.Fault.Message }

// MarshalJSON writes the refusal in the style of its operation.
func (r *Refusal) MarshalJSON() ([]byte, error) {
	if r.style == HookErrors {
		h := HookRefusal{Code: r.status, Message: r.Fault.Message}
		if r.status == http.StatusTooManyRequests || r.status >= http.StatusInternalServerError {
			h.ErrorCode, h.RetryAfterMs = r.Fault.Code, r.Fault.RetryAfterMs
		}
		return json.Marshal(h)
	}
	if r.style == OpenAIErrors {
		return json.Marshal(r.openAI())
	}
	type standard Refusal
	return json.Marshal((*standard)(r))
}
