// Package openai is what the users of OpenAI's API share: how its client is made from
// the server's settings, and what its errors mean to those who asked.
//
// It owns no prompt and no question. It never repeats a request and never shows what
// OpenAI wrote: its messages may quote keys and what people said.
package openai

import (
	"errors"
	"net/http"
	"net/url"
	"strconv"
	"time"

	sdk "github.com/openai/openai-go/v3"
	"github.com/openai/openai-go/v3/option"

	"github.com/parley-platform/parley/domain/fault"
)

// Provider is the name that results show.
const Provider = "openai"

// DefaultURL is OpenAI's own.
const DefaultURL = "https://api.openai.com/v1/"

// Config is how OpenAI, or a server that speaks its protocol, is reached.
type Config struct {
	APIKey  string
	BaseURL string // with the version: https://host/v1; empty: DefaultURL
}

// Client makes a client that sends each request once.
func (c Config) Client() (sdk.Client, error) {
	if c.APIKey == "" {
		return sdk.Client{}, errors.New("openai: an API key is needed")
	}
	if c.BaseURL == "" {
		c.BaseURL = DefaultURL
	}
	base, err := url.Parse(c.BaseURL)
	if err != nil || base.Host == "" || base.Scheme != "https" && base.Scheme != "http" || base.User != nil {
		return sdk.Client{}, errors.New("openai: the base URL must be an absolute http or https URL without a user")
	}
	return sdk.NewClient(option.WithAPIKey(c.APIKey), option.WithBaseURL(c.BaseURL), option.WithMaxRetries(0)), nil
}

// Code is the code of an error that OpenAI answered with; empty for others.
func Code(err error) string {
	var answer *sdk.Error
	if errors.As(err, &answer) {
		return answer.Code
	}
	return ""
}

// Fault is what an error of the client means. The error itself is for the log.
func Fault(err error) error {
	var answer *sdk.Error
	if !errors.As(err, &answer) {
		return fault.New(fault.Unavailable, "OpenAI does not answer").After(time.Second).Because(err)
	}
	switch status := answer.StatusCode; {
	case status == http.StatusUnauthorized || status == http.StatusForbidden:
		return fault.New(fault.Unavailable, "OpenAI does not accept the server's key").Because(err)
	case status == http.StatusNotFound:
		return fault.New(fault.Unavailable, "OpenAI does not have the model that the server is set to").Because(err)
	case status == http.StatusTooManyRequests && answer.Code == "insufficient_quota":
		return fault.New(fault.Unavailable, "the server's OpenAI account has no quota left").Because(err)
	case status == http.StatusTooManyRequests:
		return fault.New(fault.RateLimit, "too many requests to OpenAI").After(max(retryAfter(answer.Response), time.Second)).Because(err)
	case status >= 500 || status == http.StatusRequestTimeout || status == http.StatusConflict:
		return fault.New(fault.Unavailable, "OpenAI is not available").After(max(retryAfter(answer.Response), time.Second)).Because(err)
	default:
		return fault.New(fault.Validation, "OpenAI refused the request with status %d", status).Because(err)
	}
}

const mostWait = 10 * time.Minute

// retryAfter reads seconds, or a date.
func retryAfter(res *http.Response) time.Duration {
	if res == nil {
		return 0
	}
	value := res.Header.Get("Retry-After")
	if seconds, err := strconv.ParseFloat(value, 64); err == nil && seconds > 0 {
		return time.Duration(min(seconds, mostWait.Seconds()) * float64(time.Second))
	}
	if at, err := http.ParseTime(value); err == nil {
		return min(max(time.Until(at), 0), mostWait)
	}
	return 0
}
