package api

import (
	"cmp"
	"fmt"
	"net/http"
	"strings"
	"time"

	"github.com/parley-platform/parley/cmd/parley/exit"
	"github.com/parley-platform/parley/domain/fault"
)

// Refusal is what a node said instead of an answer.
type Refusal struct {
	Status    int
	RequestID string
	Fault     struct {
		Code         fault.Code     `json:"code"`
		Message      string         `json:"message"`
		Details      []fault.Detail `json:"details"`
		RetryAfterMs int64          `json:"retryAfterMs"`
	} `json:"error"`

	need Need
}

// always is what helps whatever the command is.
var always = map[int]string{
	http.StatusUnauthorized: "The credential must be valid on that node: a token of its own (parley token), or a key that was not revoked. " +
		"A dev.env of another run is old: source it again",
	http.StatusNotFound:            "Look at the id, and at the account that the credential is of: what is of another account does not exist",
	http.StatusTooManyRequests:     "Try again in a moment",
	http.StatusServiceUnavailable:  "Try again in a moment",
	http.StatusInternalServerError: "The log of the node says why",
}

// Error says what was wrong, with each field, and what to do next.
func (r *Refusal) Error() string {
	text := fmt.Sprintf("%s (%s)", cmp.Or(r.Fault.Message, "the node refused"), r.Fault.Code)
	for n, d := range r.Fault.Details {
		if n > 0 || !strings.Contains(r.Fault.Message, d.Problem) { // the message has the first
			text += fmt.Sprintf("\n  %s %s", d.Field, d.Problem)
		}
	}
	if next := cmp.Or(r.need.Next[r.Status], always[r.Status]); next != "" {
		text += "\n" + next
	}
	if r.RequestID != "" {
		text += "\nrequest " + r.RequestID
	}
	return text
}

// Passing reports whether the same request may be answered later.
func (r *Refusal) Passing() bool {
	stays := r.Fault.Code == fault.LimitReached || r.Fault.Code == fault.BudgetExceeded
	return r.Status == http.StatusServiceUnavailable || r.Status == http.StatusTooManyRequests && !stays
}

// Code is Change where the caller has to change something.
func (r *Refusal) Code() exit.Code {
	if r.Status < http.StatusInternalServerError && !r.Passing() {
		return exit.Change
	}
	return exit.Failed
}

func (r *Refusal) pause() time.Duration {
	return min(max(time.Duration(r.Fault.RetryAfterMs)*time.Millisecond, leastPause), mostPause)
}
