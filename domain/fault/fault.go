// Package fault is how a decision says no: a machine code, a message that is safe
// to show, and the fields it is about.
//
// Domain packages, the event store and the handlers all refuse with it; only
// handlers/rest turns it into an HTTP answer. It never carries internals: the
// cause of an unexpected failure is wrapped and logged, never shown.
package fault

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"
)

// Code is stable and part of the API (docs/api-rules.md "Errors").
type Code string

const (
	BadRequest       Code = "BAD_REQUEST"         // 400: does not parse
	Validation       Code = "VALIDATION_ERROR"    // 400: a field is wrong; Details names it
	Unauthorized     Code = "UNAUTHORIZED"        // 401
	Forbidden        Code = "FORBIDDEN"           // 403
	NotFound         Code = "NOT_FOUND"           // 404: missing, or another tenant's
	MethodNotAllowed Code = "METHOD_NOT_ALLOWED"  // 405
	Conflict         Code = "CONFLICT"            // 409
	TurnSuspended    Code = "TURN_SUSPENDED"      // 409: the session waits for the answer to a callback
	Gone             Code = "GONE"                // 410
	TooLarge         Code = "PAYLOAD_TOO_LARGE"   // 413
	RateLimit        Code = "RATE_LIMIT_EXCEEDED" // 429, with Retry
	QueueFull        Code = "QUEUE_FULL"          // 429, with Retry
	LimitReached     Code = "LIMIT_REACHED"       // 429, no Retry: waiting does not help
	BudgetExceeded   Code = "BUDGET_EXCEEDED"     // 429, no Retry: somebody has to raise a budget, or the month to end
	Internal         Code = "INTERNAL_ERROR"      // 500
	ProjectionFailed Code = "PROJECTION_FAILED"   // 500: durable, but a read model cannot take it
	Unavailable      Code = "SERVICE_UNAVAILABLE" // 503: a part is missing or not configured
	CatchingUp       Code = "CATCHING_UP"         // 503: read models are behind the log
	NotExecuted      Code = "NOT_EXECUTED"        // 503: nothing was written, repeat freely
	OutcomeUnknown   Code = "OUTCOME_UNKNOWN"     // 503: may yet land, repeat with the same key
)

// Detail is one field and what is wrong with it.
type Detail struct {
	Field   string `json:"field"`
	Problem string `json:"problem"`

	// Of what is wrong in a text, such as the source of an agent: where, and what would be right.
	Line   int    `json:"line,omitempty"`
	Column int    `json:"column,omitempty"`
	Code   string `json:"code,omitempty"`
	Hint   string `json:"hint,omitempty"`
}

// Error is a refusal. Compare codes with Is.
type Error struct {
	Code    Code
	Message string
	Details []Detail      // only with Validation
	Retry   time.Duration // when it is worth trying again; zero: it is not, or nobody knows
	Cause   error         // logged, never shown
}

// Error has the cause too, which callers are never told.
func (e *Error) Error() string {
	if e.Cause != nil {
		return fmt.Sprintf("%s: %s: %v", e.Code, e.Message, e.Cause)
	}
	return fmt.Sprintf("%s: %s", e.Code, e.Message)
}

// Unwrap is what led to it, if anything did.
func (e *Error) Unwrap() error { return e.Cause }

// New refuses with a code and a message.
func New(code Code, format string, args ...any) *Error {
	return &Error{Code: code, Message: fmt.Sprintf(format, args...)}
}

// Field refuses one field of the input: Validation, and its name in the message
// as well as in the details.
func Field(field, format string, args ...any) *Error {
	problem := fmt.Sprintf(format, args...)
	return &Error{Code: Validation, Message: field + " " + problem, Details: []Detail{{Field: field, Problem: problem}}}
}

// Fields collects refusals of several fields; nil when there are none.
type Fields []Detail

// Add notes one more wrong field.
func (f *Fields) Add(field, format string, args ...any) {
	*f = append(*f, Detail{Field: field, Problem: fmt.Sprintf(format, args...)})
}

// InOrder sorts them by the names of the fields, so that an answer does not depend on
// who found what first.
func (f Fields) InOrder() Fields {
	slices.SortStableFunc(f, func(a, b Detail) int { return strings.Compare(a.Field, b.Field) })
	return f
}

// Err is nil, or one Validation error that names every field.
func (f Fields) Err() error {
	if len(f) == 0 {
		return nil
	}
	e := Field(f[0].Field, "%s", f[0].Problem)
	if len(f) > 1 {
		e.Message += fmt.Sprintf(" (and %d more)", len(f)-1)
	}
	e.Details = f
	return e
}

// After says when it is worth trying again.
func (e *Error) After(d time.Duration) *Error { e.Retry = d; return e }

// Because wraps the cause for the log.
func (e *Error) Because(cause error) *Error { e.Cause = cause; return e }

// CodeOf is the code of the first fault in err's chain, Internal for any other
// error and empty for nil.
func CodeOf(err error) Code {
	if err == nil {
		return ""
	}
	var e *Error
	if errors.As(err, &e) {
		return e.Code
	}
	return Internal
}

// Is reports whether err is a refusal with that code.
func Is(err error, code Code) bool { return err != nil && CodeOf(err) == code }
