package sms

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptrace"
	"net/url"
	"regexp"
	"strconv"
	"strings"
	"sync/atomic"
	"time"

	"github.com/parley-platform/parley/domain/texts"
)

// ProviderTwilio is the name of Twilio.
const ProviderTwilio = "twilio"

const (
	twilioURL     = "https://api.twilio.com"
	twilioVersion = "2010-04-01"
	mostAnswer    = 1 << 20 // bytes of an answer that are read
	sendTimeout   = 10 * time.Second
)

// TwilioConfig is the account that messages are sent from, with either its auth token
// or an API key.
type TwilioConfig struct {
	AccountSID string // AC...
	AuthToken  string
	APIKey     string // SK...; then APISecret in place of AuthToken
	APISecret  string
	BaseURL    string       // empty: Twilio's own
	Client     *http.Client // nil: one of its own; its redirects are never followed
}

// Twilio sends through the Programmable Messaging API of Twilio.
type Twilio struct {
	endpoint       string
	user, password string
	client         *http.Client
}

var accountSID = regexp.MustCompile(`^AC[0-9a-fA-F]{32}$`)

// NewTwilio checks the settings; it asks nobody.
func NewTwilio(c TwilioConfig) (*Twilio, error) {
	t := &Twilio{user: c.AccountSID, password: c.AuthToken}
	if c.APIKey != "" || c.APISecret != "" {
		t.user, t.password = c.APIKey, c.APISecret
	}
	if c.BaseURL == "" {
		c.BaseURL = twilioURL
	}
	base, err := url.Parse(c.BaseURL)
	switch {
	case !accountSID.MatchString(c.AccountSID):
		return nil, errors.New("twilio: the account SID must be AC and 32 hexadecimal digits")
	case t.user == "" || t.password == "":
		return nil, errors.New("twilio: an auth token, or an API key with its secret, is needed")
	case err != nil || base.Host == "" || base.Scheme != "https" && base.Scheme != "http" || base.User != nil:
		return nil, errors.New("twilio: the base URL must be an absolute http or https URL without a user")
	}
	t.endpoint = strings.TrimRight(c.BaseURL, "/") + "/" + twilioVersion + "/Accounts/" + c.AccountSID + "/Messages.json"
	t.client = &http.Client{}
	if c.Client != nil {
		*t.client = *c.Client
	}
	t.client.CheckRedirect = func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }
	return t, nil
}

// Name implements the sender's provider.
func (*Twilio) Name() string { return ProviderTwilio }

// Lookup cannot tell: Twilio keeps no reference of ours, and two equal texts to one
// number cannot be told apart.
func (*Twilio) Lookup(context.Context, texts.Query) (texts.Report, error) {
	return texts.Report{}, nil
}

// Send makes one request of at most 10 s.
func (t *Twilio) Send(ctx context.Context, m texts.Outgoing) texts.Report {
	ctx, cancel := context.WithTimeout(ctx, sendTimeout)
	defer cancel()
	var connected atomic.Bool // from here on Twilio may have read something
	traced := httptrace.WithClientTrace(ctx, &httptrace.ClientTrace{GotConn: func(httptrace.GotConnInfo) { connected.Store(true) }})
	form := url.Values{"To": {m.To}, senderField(m.From): {m.From}, "Body": {m.Text}}
	req, err := http.NewRequestWithContext(traced, http.MethodPost, t.endpoint, strings.NewReader(form.Encode()))
	if err != nil {
		return texts.Report{Status: texts.Refused, Code: "REQUEST", Reason: "the request to Twilio cannot be made"}
	}
	req.SetBasicAuth(t.user, t.password)
	req.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	req.Header.Set("Accept", "application/json")
	req.Header.Set("User-Agent", "parley")
	res, err := t.client.Do(req)
	if err != nil {
		if !connected.Load() {
			return texts.Report{Status: texts.NotTaken, Code: "UNREACHABLE", Reason: "Twilio cannot be reached"}
		}
		return texts.Report{Reason: "Twilio did not answer"} // the error would name the URL
	}
	defer func() { _ = res.Body.Close() }()
	body, err := io.ReadAll(io.LimitReader(res.Body, mostAnswer))
	var a twilioAnswer
	if err != nil || json.Unmarshal(body, &a) != nil {
		a = twilioAnswer{}
	}
	return a.report(res.StatusCode, retryAfter(res.Header))
}

// senderField is where Twilio wants the sender: a messaging service has a field of its own.
func senderField(from string) string {
	if texts.IsService(from) {
		return "MessagingServiceSid"
	}
	return "From"
}

// twilioAnswer is a message resource, or an error.
type twilioAnswer struct {
	SID         string `json:"sid"`
	Status      any    `json:"status"` // a word in a message, the HTTP status in an error
	NumSegments string `json:"num_segments"`
	ErrorCode   *int   `json:"error_code"` // in a message
	Code        int    `json:"code"`       // in an error
}

func (a twilioAnswer) report(status int, wait time.Duration) texts.Report {
	switch {
	case status/100 == 2:
		return a.accepted()
	case status == http.StatusRequestTimeout:
		return texts.Report{Reason: "Twilio says that the request came too slowly"}
	case status == http.StatusTooManyRequests, status == http.StatusServiceUnavailable && a.Code != 0, transientCodes[a.Code]:
		return texts.Report{Status: texts.NotTaken, Code: a.code(status), Reason: a.reason(status), RetryAfter: wait}
	case status == http.StatusUnauthorized, status == http.StatusForbidden:
		return texts.Report{Status: texts.NotTaken, Code: a.code(status), Reason: a.reason(status)}
	case status/100 == 4, status/100 == 3:
		return texts.Report{Status: texts.Refused, Code: a.code(status), Reason: a.reason(status)}
	}
	return texts.Report{Reason: fmt.Sprintf("Twilio answered with status %d", status)}
}

// accepted reads a message resource. Without its SID nobody knows what answered.
func (a twilioAnswer) accepted() texts.Report {
	if a.SID == "" || len(a.SID) > 64 {
		return texts.Report{Reason: "Twilio's answer cannot be read"}
	}
	if a.Status == "failed" || a.Status == "undelivered" || a.Status == "canceled" {
		if a.ErrorCode != nil {
			a.Code = *a.ErrorCode
		}
		return texts.Report{Status: texts.Refused, Code: a.code(http.StatusOK), Reason: a.reason(http.StatusOK)}
	}
	segments, _ := strconv.Atoi(a.NumSegments) // 0 until Twilio has counted them
	return texts.Report{Status: texts.Taken, ProviderMessageID: a.SID, Segments: max(segments, 0)}
}

func (a twilioAnswer) code(status int) string {
	if a.Code != 0 {
		return strconv.Itoa(a.Code)
	}
	return "HTTP_" + strconv.Itoa(status)
}

// reason never repeats Twilio's own message: it quotes the recipient's number.
func (a twilioAnswer) reason(status int) string {
	if text := twilioReasons[a.Code]; text != "" {
		return text
	}
	switch status {
	case http.StatusUnauthorized, http.StatusForbidden:
		return "Twilio does not accept the credentials"
	case http.StatusTooManyRequests:
		return "too many requests to Twilio"
	}
	if a.Code != 0 {
		return fmt.Sprintf("Twilio refused the message with error %d", a.Code)
	}
	return fmt.Sprintf("Twilio refused the message with status %d", status)
}

// transientCodes are errors of a moment, whatever their status.
var transientCodes = map[int]bool{20429: true, 21611: true, 20503: true}

// twilioReasons are the errors that the sending of a message has, by Twilio's list.
var twilioReasons = map[int]string{
	20003: "Twilio does not accept the credentials",
	20005: "the Twilio account is not active",
	20404: "Twilio does not know the account",
	20429: "too many requests to Twilio",
	20503: "Twilio is not available",
	21211: "the recipient's number is not valid",
	21212: "the sender's number is not valid",
	21408: "the Twilio account may not send to the recipient's region",
	21602: "the text is missing",
	21606: "the sender's number cannot send text messages",
	21608: "the Twilio trial account may send to verified numbers only",
	21610: "the recipient has opted out",
	21611: "too many messages of the sender's number are queued",
	21612: "the sender's number cannot reach the recipient",
	21614: "the number takes no text messages",
	21617: "the text is too long",
	21659: "the sender's number is not of the Twilio account",
}

// retryAfter reads seconds, or a date.
func retryAfter(h http.Header) time.Duration {
	value := h.Get("Retry-After")
	if seconds, err := strconv.Atoi(value); err == nil && seconds > 0 {
		return min(time.Duration(min(seconds, 86_400))*time.Second, texts.MaxDelay)
	}
	if at, err := http.ParseTime(value); err == nil {
		return min(max(time.Until(at), 0), texts.MaxDelay)
	}
	return 0
}
