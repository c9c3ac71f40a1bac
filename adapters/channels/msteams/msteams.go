// Package msteams is the channel of Microsoft Teams by the connector of Bot Framework.
//
// It owns how the connector is asked, what its answers mean, and what its activities say to us; the
// keys by which Microsoft signs and the tokens by which a bot asks are kept while they last. It
// never repeats a request, and never logs: what it handles is what people say.
package msteams

import (
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"net/url"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/parley-platform/parley/adapters/channels/wire"
	"github.com/parley-platform/parley/domain/channels"
)

// The credentials of a connection: the secret of the app, and for a bot of one tenant that tenant.
// The connection's External is the app's id.
const (
	AppPassword = "appPassword"
	TenantID    = "tenantId" // may be left out: the bot is of many
)

// Addresses say where Microsoft is.
type Addresses struct {
	Keys     string   // of the document that says where the keys are that it signs by
	Issuer   string   // of its tokens
	Login    string   // where a bot gets a token
	Scope    string   // of that token
	Services []string // hosts, or ends of hosts that begin with a dot, where conversations may be
	Service  string   // takes the place of all of these; empty: an activity says where its conversation is
}

var public = Addresses{
	Keys: "https://login.botframework.com", Issuer: "https://api.botframework.com", Login: "https://login.microsoftonline.com",
	Scope:    "https://api.botframework.com/.default",
	Services: []string{"smba.trafficmanager.net", ".botframework.com", ".teams.microsoft.com"},
}

var government = Addresses{
	Keys: "https://login.botframework.azure.us", Issuer: "https://api.botframework.us", Login: "https://login.microsoftonline.us",
	Scope:    "https://api.botframework.us/.default",
	Services: []string{".botframework.azure.us", ".teams.microsoft.us"},
}

// Government is the base that names Microsoft's cloud of the government of the United States.
const Government = "usgov"

// limits: Teams counts all of a message, with what it is wrapped in, and shows six buttons and a
// menu of the others.
var limits = channels.Limits{Text: 20_000, Unit: channels.UTF16, Choices: 20, Label: 200, Options: 100, Option: 200, Inputs: true}

// Teams goes by the connector. It holds no account: that comes with each call.
type Teams struct {
	at     Addresses
	keys   *keys
	signed signatures
	tokens *tokens
}

// New takes where Microsoft is: an empty base is its own addresses, Government those of its cloud
// for that, and any other one is where all of it is played.
func New(base string) (*Teams, error) {
	switch base {
	case "":
		return At(public)
	case Government:
		return At(government)
	}
	all := public
	all.Keys, all.Login, all.Service = base, base, base
	return At(all)
}

// At takes each address by itself.
func At(a Addresses) (*Teams, error) {
	login, err := wire.At("Microsoft's login", a.Login, "")
	if err != nil {
		return nil, err
	}
	if a.Service != "" {
		if _, err := wire.At(name, a.Service, ""); err != nil {
			return nil, err
		}
	}
	keys, err := newKeys(a.Keys)
	return &Teams{at: a, keys: keys, tokens: newTokens(login, a.Scope)}, err
}

const name = "Microsoft Teams"

// Name is the provider that events and lists show.
func (*Teams) Name() string { return "msteams" }

// Limits are those of a message.
func (*Teams) Limits() channels.Limits { return limits }

var (
	appID  = regexp.MustCompile(`^[A-Za-z0-9_.-]{1,128}$`)
	tenant = regexp.MustCompile(`^[A-Za-z0-9.-]{1,128}$`)
)

// Check says what a connection lacks; it asks nobody.
func (*Teams) Check(c channels.Connection) error {
	switch {
	case c.Credentials[AppPassword] == "":
		return errors.New("msteams: the password of the app is needed")
	case !appID.MatchString(c.External):
		return errors.New("msteams: the app's id is needed")
	case c.Credentials[TenantID] != "" && !tenant.MatchString(c.Credentials.Reveal(TenantID)):
		return errors.New("msteams: the tenant is no id of one, and no name")
	}
	return nil
}

// Lookup cannot tell: the connector keeps no reference of ours.
func (*Teams) Lookup(context.Context, channels.Connection, channels.Doubt) (channels.Outcome, error) {
	return channels.Outcome{}, nil
}

type object = map[string]any

// Send makes one request, and before it one for a token where none is kept.
func (t *Teams) Send(ctx context.Context, c channels.Connection, m channels.Outbound) channels.Outcome {
	if out, unfit := wire.Unfit(limits, m.Text, t.Check(c)); unfit {
		return out
	}
	activity := object{"type": "message", "textFormat": "plain", "text": m.Text}
	if card := cardOf(m); card != nil {
		activity["attachments"] = []object{{"contentType": "application/vnd.microsoft.card.adaptive", "content": card}}
	}
	if out, is := t.replaces(ctx, c, m, activity); is {
		return out
	}
	return t.post(ctx, c, m.To, activity)
}

// Typing shows for some seconds that somebody is about to answer.
func (t *Teams) Typing(ctx context.Context, c channels.Connection, to string) {
	if t.Check(c) == nil {
		_ = t.post(ctx, c, to, object{"type": "typing"})
	}
}

// post hands an activity to the conversation of an address, and says what came of it.
func (t *Teams) post(ctx context.Context, c channels.Connection, to string, activity object) channels.Outcome {
	answer, none, ok := t.ask(ctx, c, to, activity)
	if !ok {
		return none
	}
	return outcomeOf(answer)
}

// ask hands an activity to the conversation of an address. Without an answer it is not ok.
func (t *Teams) ask(ctx context.Context, c channels.Connection, to string, activity object) (wire.Answer, channels.Outcome, bool) {
	refuse := func(code, reason string) (wire.Answer, channels.Outcome, bool) {
		return wire.Answer{}, channels.Outcome{Status: channels.Refused, Code: code, Reason: reason}, false
	}
	connector, path, ok := t.conversation(to)
	if !ok {
		return refuse("ADDRESS", "the conversation is at no address of Microsoft's")
	}
	token, none := t.tokens.of(ctx, c)
	if token == "" {
		return wire.Answer{}, none, false
	}
	body, err := json.Marshal(activity)
	if err != nil {
		return refuse("REQUEST", "the message cannot be written")
	}
	req, err := connector.Request(http.MethodPost, path, "application/json; charset=utf-8", string(body))
	if err != nil {
		return refuse("REQUEST", err.Error())
	}
	req.Header.Set("Authorization", "Bearer "+token)
	answer, none, ok := connector.Ask(ctx, req)
	if ok && answer.Status == http.StatusUnauthorized {
		t.tokens.forget(c, token)
	}
	return answer, none, ok
}

// address is where a conversation is, and how it is called there.
func address(service, conversation string) string { return service + " " + conversation }

// conversation is the connector of an address, and the path of the activities there. What is not at
// Microsoft's gets no token of ours.
func (t *Teams) conversation(to string) (connector *wire.Provider, path string, ok bool) {
	service, id, _ := strings.Cut(to, " ")
	if id == "" || !t.serves(service) {
		return nil, "", false
	}
	parsed, err := url.Parse(service)
	if err != nil {
		return nil, "", false
	}
	if t.at.Service != "" {
		service = strings.TrimRight(t.at.Service, "/") + parsed.EscapedPath()
	}
	connector, err = wire.At(name, service, "")
	return connector, "/v3/conversations/" + url.PathEscape(id) + "/activities", err == nil
}

// serves is whether conversations may be at an address that an activity named.
func (t *Teams) serves(service string) bool {
	u, err := url.Parse(service)
	if err != nil || u.Scheme != "https" || u.User != nil || u.RawQuery != "" || u.Fragment != "" || u.Port() != "" {
		return t.at.Service != "" && strings.TrimRight(service, "/") == strings.TrimRight(t.at.Service, "/")
	}
	return t.among(u.Hostname())
}

// among is whether a host is one of Microsoft's where conversations may be.
func (t *Teams) among(host string) bool {
	host = strings.ToLower(host)
	return slices.ContainsFunc(t.at.Services, func(of string) bool {
		return host == of || strings.HasPrefix(of, ".") && strings.HasSuffix(host, of)
	})
}

// blocked is the connector's word for somebody who takes nothing from the bot.
const blocked = "MessageWritesBlocked"

// told is what the connector says to be wrong.
type told struct {
	Code    string `json:"code"`
	Message string `json:"message"`
}

func errorOf(answer wire.Answer) told {
	var a struct {
		Error told `json:"error"`
	}
	_ = json.Unmarshal(answer.Body, &a) // what cannot be read says nothing
	return a.Error
}

// activityID is how the connector calls a message.
var activityID = regexp.MustCompile(`^[\x21-\x7e]{1,256}$`)

// outcomeOf says what an answer means.
func outcomeOf(answer wire.Answer) channels.Outcome {
	var a struct {
		ID string `json:"id"`
	}
	readable := json.Unmarshal(answer.Body, &a) == nil
	code := "HTTP_" + strconv.Itoa(answer.Status)
	switch {
	case answer.Status/100 == 2 && readable && activityID.MatchString(a.ID):
		return channels.Outcome{Status: channels.Taken, ProviderMessageID: a.ID}
	case answer.Status == http.StatusTooManyRequests:
		return channels.Outcome{Status: channels.NotTaken, Code: code, Reason: "too many requests to Microsoft Teams",
			RetryAfter: answer.RetryAfter}
	case answer.Status == http.StatusPreconditionFailed:
		return channels.Outcome{Status: channels.NotTaken, Code: code, Reason: "Microsoft Teams asks for another attempt",
			RetryAfter: answer.RetryAfter}
	case answer.Status == http.StatusUnauthorized:
		return wire.Denied(code, name)
	case answer.Status/100 != 4 || answer.Status == http.StatusRequestTimeout:
		return channels.Outcome{Reason: "Microsoft Teams does not say what it did"}
	case answer.Status == http.StatusForbidden && errorOf(answer).Code == blocked:
		return channels.Outcome{Status: channels.Refused, Code: code, Reason: "the person has blocked the bot", OptedOut: true}
	case answer.Status == http.StatusForbidden, answer.Status == http.StatusNotFound:
		return channels.Outcome{Status: channels.Refused, Code: code, Reason: "the bot is not in the conversation"}
	}
	return channels.Outcome{Status: channels.Refused, Code: code, Reason: "Microsoft Teams refused the message"}
}
