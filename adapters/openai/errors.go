package openai

import (
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"regexp"
	"strconv"
	"strings"
	"time"

	"github.com/parley-platform/parley/domain/fault"
)

// Error is OpenAI's no. Its text shows the status and OpenAI's own words for the kind of
// error, and never Message, which may quote keys and what people said.
type Error struct {
	Status     int
	Code       string // such as context_length_exceeded; may be empty
	Type       string // such as invalid_request_error; may be empty
	Param      string // that is wrong; may be empty
	Message    string // for callers that know whom they show it to
	RequestID  string // by which OpenAI finds the request; may be empty
	RetryAfter time.Duration
}

// Error has what is of the form of a code, and no word of Message.
func (e *Error) Error() string {
	said := fmt.Sprintf("OpenAI answered with status %d", e.Status)
	for _, w := range []struct {
		name, value string
		form        *regexp.Regexp
	}{{"code", e.Code, word}, {"type", e.Type, word}, {"param", e.Param, word}, {"request", e.RequestID, requestID}} {
		if w.form.MatchString(w.value) {
			said += ", " + w.name + " " + w.value
		}
	}
	return said
}

// Answered is the status of the no, and how long OpenAI asks to wait; 0: it does not say.
func (e *Error) Answered() (status int, wait time.Duration) { return e.Status, e.RetryAfter }

var (
	word      = regexp.MustCompile(`^[A-Za-z0-9][A-Za-z0-9_.\[\]]{0,63}$`) // of OpenAI's; a key has dashes
	requestID = regexp.MustCompile(`^(req_)?[0-9a-f-]{16,64}$`)
)

// errorOf reads an answer that is an error: OpenAI's object where there is one.
func errorOf(res *http.Response, content []byte) *Error {
	var body struct {
		Error struct {
			Code    any    `json:"code"` // a word or null; a number with some other servers
			Type    string `json:"type"`
			Param   string `json:"param"`
			Message string `json:"message"`
		} `json:"error"`
	}
	_ = json.Unmarshal(content, &body) // what is readable of it
	e := &Error{Status: res.StatusCode, Type: body.Error.Type, Param: body.Error.Param, Message: body.Error.Message,
		RequestID: res.Header.Get("X-Request-Id"), RetryAfter: retryAfter(res.Header)}
	if body.Error.Code != nil {
		e.Code = fmt.Sprint(body.Error.Code)
	}
	return e
}

// Code is the code of an error that OpenAI answered with; empty for others.
func Code(err error) string {
	var answer *Error
	if errors.As(err, &answer) {
		return answer.Code
	}
	return ""
}

// Fault is what an error of the client means. The error itself is for the log.
func Fault(err error) error {
	var answer *Error
	if !errors.As(err, &answer) {
		return fault.New(fault.Unavailable, "OpenAI does not answer").After(time.Second).Because(err)
	}
	switch status := answer.Status; {
	case status == http.StatusUnauthorized || status == http.StatusForbidden:
		return fault.New(fault.Unavailable, "OpenAI does not accept the server's key").Because(err)
	case status == http.StatusNotFound:
		return fault.New(fault.Unavailable, "OpenAI does not have the model that the server is set to").Because(err)
	case status/100 == 3:
		return fault.New(fault.Unavailable, "OpenAI is at another address than the server is set to").Because(err)
	case status == http.StatusTooManyRequests && answer.Code == "insufficient_quota":
		return fault.New(fault.Unavailable, "the server's OpenAI account has no quota left").Because(err)
	case status == http.StatusTooManyRequests:
		return fault.New(fault.RateLimit, "too many requests to OpenAI").After(max(answer.RetryAfter, time.Second)).Because(err)
	case status >= 500 || status == http.StatusRequestTimeout || status == http.StatusConflict:
		return fault.New(fault.Unavailable, "OpenAI is not available").After(max(answer.RetryAfter, time.Second)).Because(err)
	default:
		return fault.New(fault.Validation, "OpenAI refused the request with status %d", status).Because(err)
	}
}

const mostWait = 10 * time.Minute

// retryAfter reads OpenAI's milliseconds, seconds, or a date.
func retryAfter(h http.Header) time.Duration {
	if ms, err := strconv.ParseFloat(h.Get("Retry-After-Ms"), 64); err == nil && ms > 0 {
		return bounded(ms / 1_000)
	}
	value := strings.TrimSpace(h.Get("Retry-After"))
	if seconds, err := strconv.ParseFloat(value, 64); err == nil && seconds > 0 {
		return bounded(seconds)
	}
	if at, err := http.ParseTime(value); err == nil {
		return min(max(time.Until(at), 0), mostWait)
	}
	return 0
}

func bounded(seconds float64) time.Duration {
	return time.Duration(min(seconds, mostWait.Seconds()) * float64(time.Second))
}
