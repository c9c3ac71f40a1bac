package main

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"os"
	"os/signal"
	"strings"
	"syscall"
	"time"

	"github.com/google/uuid"

	"github.com/parley-platform/parley/domain/fault"
	"github.com/parley-platform/parley/handlers/rest/tokens"
)

// KeyCmd is what can be done about API keys from the command line.
type KeyCmd struct {
	Create KeyCreateCmd `cmd:"" help:"Make an API key in a scope of a project and print its secret: it is told this once."`
}

// KeyCreateCmd asks a node for an API key and prints its secret, and nothing else, on
// standard output.
type KeyCreateCmd struct {
	Project string `help:"The project (app, bot) that the key is for: its id or an alias." required:"" placeholder:"ID"`
	Scope   string `help:"Name of the scope (manifest kind Scope) that says what the key may do." required:"" placeholder:"NAME"`
	Name    string `help:"What the key is called; unique among the existing keys of the scope." required:"" placeholder:"NAME"`
	URL     string `help:"Where a node's API is." default:"http://127.0.0.1:8080" env:"PARLEY_URL" placeholder:"URL"`
	Token   string `help:"Of an operator or an admin client of the tenant; better set PARLEY_TOKEN." env:"PARLEY_TOKEN" placeholder:"JWT"`
	Keyset  string `help:"Instead of a token: the master key file of the node, with --account." placeholder:"FILE"`
	Account string `help:"With --keyset: the accountId of the tenant that the project is of." env:"PARLEY_ACCOUNT,ACCOUNT_ID" placeholder:"ID"`
}

// Help is shown with --help.
func (*KeyCreateCmd) Help() string {
	return `An API key is made with an API key; the first one of a project is made by an
operator, or by a client that administers the tenant. A client gives no more than it
holds itself: the scope must not permit what the client's token may not do.

The secret is printed once and is kept nowhere, only its keyed hash is. Which key it is
is told on standard error; its key_id is what revokes it:
  DELETE /aaa/api/public/apps/{appId}/apikeys/{keyId}

Examples:
  export PARLEY_API_KEY=$(parley key create --keyset .data/keyset.json --account acme --project acme-bot --scope main --name "first key")

  export PARLEY_TOKEN=$(parley token --operator --keyset .data/keyset.json --account acme)
  parley key create --project acme-bot --scope main --name "billing service" > billing.key`
}

// keyTimeout bounds one try to make a key.
const keyTimeout = 30 * time.Second

// keyAttempts is how often it is tried: a try that repeats one that took effect says so.
const keyAttempts = 4

// Run asks and prints.
func (c *KeyCreateCmd) Run() error {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	return c.run(ctx, os.Stdout, os.Stderr)
}

func (c *KeyCreateCmd) run(ctx context.Context, out, notes io.Writer) error {
	token, err := c.credential()
	if err != nil {
		return err
	}
	if u, err := url.Parse(c.URL); err != nil || u.Host == "" || u.Scheme != "http" && u.Scheme != "https" {
		return fmt.Errorf("--url: %q is not the address of a node, such as http://127.0.0.1:8080", c.URL)
	}
	body, err := json.Marshal(map[string]string{"scope_name": c.Scope, "api_key_name": c.Name})
	if err != nil {
		return fmt.Errorf("encoding the request: %w", err)
	}
	request := uuid.NewString() // of all tries: they make one key
	for attempt := 1; ; attempt++ {
		status, answer, err := c.post(ctx, token, request, body)
		if err != nil {
			return err
		}
		pause := time.Duration(answer.Error.RetryAfterMs) * time.Millisecond
		if status == http.StatusCreated {
			return answer.print(out, notes)
		}
		if pause == 0 || attempt == keyAttempts {
			return c.refused(status, answer)
		}
		select {
		case <-ctx.Done():
			return c.refused(status, answer)
		case <-time.After(min(pause, mostPause)):
		}
	}
}

// credential is the token that is given, or one of the operator for this very request.
func (c *KeyCreateCmd) credential() (string, error) {
	switch {
	case c.Keyset == "" && c.Token == "":
		return "", errors.New("who makes the key? Give --keyset FILE with --account ID, or set PARLEY_TOKEN (parley token --operator " +
			"--keyset FILE --account ID issues one)")
	case c.Keyset == "":
		return strings.TrimSpace(c.Token), nil
	case c.Account == "":
		return "", errors.New("--account: with --keyset the tenant that the project is of must be named")
	}
	issue := TokenCmd{Operator: true, Keyset: c.Keyset, Account: c.Account, Subject: "cli", Expires: 5 * time.Minute}
	grant, err := issue.grant(time.Now())
	if err != nil {
		return "", err
	}
	secret, err := issue.secret()
	if err != nil {
		return "", err
	}
	return tokens.Issue(grant, secret)
}

// keyAnswer is what the API answers.
type keyAnswer struct {
	Key struct {
		Secret string `json:"apikey"`
		ID     string `json:"key_id"`
		Name   string `json:"key_name"`
		Scope  string `json:"scope_name"`
	} `json:"api_key"`
	Error struct {
		Code         fault.Code     `json:"code"`
		Message      string         `json:"message"`
		Details      []fault.Detail `json:"details"`
		RetryAfterMs int64          `json:"retryAfterMs"`
	} `json:"error"`
}

func (c *KeyCreateCmd) post(ctx context.Context, token, request string, body []byte) (int, keyAnswer, error) {
	var answer keyAnswer
	address := strings.TrimRight(c.URL, "/") + "/aaa/api/public/apps/" + url.PathEscape(c.Project) + "/apikeys/create"
	r, err := http.NewRequestWithContext(ctx, http.MethodPost, address, bytes.NewReader(body))
	if err != nil {
		return 0, answer, fmt.Errorf("--url: %w", err)
	}
	r.Header.Set("Content-Type", "application/json")
	r.Header.Set("Authorization", "Bearer "+token)
	r.Header.Set("Idempotency-Key", request)
	res, err := (&http.Client{Timeout: keyTimeout}).Do(r)
	if err != nil {
		return 0, answer, fmt.Errorf("%w\nIs a node running there? Say where it is with --url or PARLEY_URL", err)
	}
	defer res.Body.Close()
	if err := json.NewDecoder(io.LimitReader(res.Body, 1<<20)).Decode(&answer); err != nil {
		return 0, answer, fmt.Errorf("%s answered %s, and nothing that Parley says: is it the address of a node?", c.URL, res.Status)
	}
	return res.StatusCode, answer, nil
}

func (a keyAnswer) print(out, notes io.Writer) error {
	if a.Key.Secret == "" {
		return fmt.Errorf("the key %s was made, but the answer that showed its secret was lost: revoke it, and make another one", a.Key.ID)
	}
	fmt.Fprintf(notes, "key %s (%s) of scope %s; its secret is not told again\n", a.Key.ID, a.Key.Name, a.Key.Scope)
	_, err := fmt.Fprintln(out, a.Key.Secret)
	return err
}

// refused says what was wrong and what to do next.
func (c *KeyCreateCmd) refused(status int, a keyAnswer) error {
	message := fmt.Sprintf("%s (%s)", cmp.Or(a.Error.Message, "the node refused"), cmp.Or(string(a.Error.Code), http.StatusText(status)))
	for _, d := range a.Error.Details {
		message += fmt.Sprintf("\n  %s %s", d.Field, d.Problem)
	}
	next := map[int]string{
		http.StatusUnauthorized: "The token must be an operator's, signed with the keyset of that node, or of a client of origin admin or " +
			"with admin:apply",
		http.StatusForbidden: "A client's token gives only what it may do itself: take a smaller scope, a client with more " +
			"permissions, or an operator's token",
		http.StatusNotFound: "The project and the scope must exist in the tenant of the token; an operator's token names the tenant by " +
			"its account: " +
			"parley token --operator --keyset FILE --account ID",
		http.StatusTooManyRequests:    "Revoke a key of the scope that nobody needs",
		http.StatusServiceUnavailable: "Try again in a moment",
	}[status]
	if next != "" {
		message += "\n" + next
	}
	return errors.New(message)
}
