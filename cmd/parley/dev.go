package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/parley-platform/parley/adapters/channels"
	"github.com/parley-platform/parley/adapters/embedded"
	"github.com/parley-platform/parley/adapters/webhook"
	"github.com/parley-platform/parley/cmd/parley/node"
	"github.com/parley-platform/parley/cmd/parley/settings"
	"github.com/parley-platform/parley/cmd/parley/show"
	"github.com/parley-platform/parley/cmd/parley/story"
	"github.com/parley-platform/parley/cmd/parley/workspace"
	"github.com/parley-platform/parley/domain/registrations"
	"github.com/parley-platform/parley/eventstore"
	"github.com/parley-platform/parley/examples"
	"github.com/parley-platform/parley/examples/company"
	"github.com/parley-platform/parley/examples/platforms"
)

// developer is what --dev adds to a node: the example workspace, a file of settings
// to source, lines to paste, a receiver of notifications, the hosts that agents ask, the providers of
// channels, and each event as it lands.
type developer struct {
	mu       sync.Mutex
	out      io.Writer
	screen   *show.Out
	recorder string // where the providers of channels are played

	platforms *platforms.Recorder
	welcomed  atomic.Bool // the workspace stands, and its settings are written
}

func newDeveloper(out io.Writer) *developer {
	return &developer{out: out, screen: show.To(out, show.Flags{})}
}

func (d *developer) say(format string, args ...any) {
	d.mu.Lock()
	defer d.mu.Unlock()
	fmt.Fprintln(d.out, withoutCards(fmt.Sprintf(format, args...)))
}

// mostShown bounds the data of an event on the screen, in bytes.
const mostShown = 300

// cut is what is shown of a text, of which no card's number is left that it could be cut in the middle of.
func cut(text string) string {
	if text = withoutCards(text); len(text) > mostShown {
		return text[:mostShown] + " ..."
	}
	return text
}

// seen shows accepted events.
func (d *developer) seen(records []*eventstore.Record) {
	for _, r := range records {
		if time.Since(r.Time) > time.Minute || r.Topic == registrations.Registrations.Topic() {
			continue // a rebuild is no news, nor that the reactors of a new system begin
		}
		name := story.Event{Type: r.Type}.Name()
		d.say("%s  %s/%d@%d  %s v%d  %s  %s", r.Time.Local().Format("15:04:05.000"), r.Topic, r.Partition, r.Offset, r.Stream, r.Version,
			d.screen.Paint(strings.TrimPrefix(r.Type, "parley."), story.Colour(name)), cut(string(r.Data)))
	}
}

// welcome prepares the workspace and says what to paste.
func (d *developer) welcome(ctx context.Context, n *node.Node, data string) error {
	if err := n.Await(ctx); err != nil {
		return err
	}
	w, err := workspace.Prepare(ctx, n, data)
	if err != nil {
		return err
	}
	n.ShowDeveloper(w.Token, w.APIKey)
	receiver, err := d.receive(w.WebhookSecret, filepath.Join(data, "dev-receiver"))
	if err != nil {
		return err
	}
	env := [][2]string{
		{"PARLEY_URL", n.URL()}, {"PARLEY_TOKEN", w.Token}, {"PARLEY_API_KEY", w.APIKey}, {"PARLEY_WEBHOOK_SECRET", w.WebhookSecret},
		{"ACCOUNT_ID", w.Account}, {"ORG_ID", w.Org}, {"BOT_ID", w.Project}, {"SCOPE_ID", w.Scope}, {"CALLER", w.OurNumber},
		{"NOTIFY_URL", receiver}, {"DASHBOARD_NAME", url.PathEscape(examples.Dashboard)}, {"WIDGET_NAME", url.PathEscape(examples.Widget)},
		{"WORKFLOW_ID", examples.Workflow}, {"TOOL_ID", examples.Tool}, {"AGENT_NAME", examples.Agent},
		{"TEST_SUITE_NAME", examples.TestSuite}, {"DEPLOYMENT_ID", w.Deployment}, {"CONNECTION_ID", examples.Connection},
		{"CHANNEL_RECORDER_URL", d.recorder},
		{"SLACK_SIGNING_SECRET", examples.SigningSecret}, {"SMS_CONNECTION_ID", examples.SMSConnection}, {"SMS_NUMBER", examples.SMSNumber},
		{"SMS_ACCOUNT_SID", examples.SMSAccount}, {"SMS_AUTH_TOKEN", examples.SMSAuthToken}, {"PUBLIC_KEY", examples.PublicKey},
		{"SDK_CHANNEL_ID", examples.SDKChannel}, {"SMTP_ADDRESS", n.MailAddress()}, {"MAILBOX", examples.Mailbox},
		{"VOICE_CAMPAIGN_ID", examples.VoiceCampaign}, {"SMS_CAMPAIGN_ID", examples.SMSCampaign}, {"TENANT2_TOKEN", w.Token2},
		{"AGENT_ID", examples.HumanAgent}, {"AGENT2_ID", examples.HumanAgent2}, {"QUEUE_ID", examples.Queue},
		{"KAFKA_BROKERS", strings.Join(n.Brokers(), ",")}, {"DATABASE_URL", n.DatabaseURL()},
	}
	kafka, err := kafkaLogin(n, data)
	if err != nil {
		return err
	}
	env = append(env, kafka...)
	file := filepath.Join(data, settings.File)
	if err := settings.Write(file, env); err != nil {
		return err
	}
	d.welcomed.Store(true)
	d.say(greeting, n.URL(), n.URL(), strings.Join(n.Brokers(), ","), file, os.Args[0])
	return nil
}

// kafkaLogin is what others need to log in to the embedded broker: values for clients
// of any language, and for kcat a file, since it would show a password in its arguments.
func kafkaLogin(n *node.Node, data string) ([][2]string, error) {
	login := n.Login()
	if login == nil {
		return nil, nil
	}
	file, err := filepath.Abs(embedded.ClientFile(filepath.Join(data, "kafka")))
	if err != nil {
		return nil, fmt.Errorf("finding kcat's file: %w", err)
	}
	return [][2]string{{"KAFKA_SASL", embedded.LoginMechanism}, {"KAFKA_USER", login.User},
		{"KAFKA_PASSWORD", login.Password}, {"KCAT_CONFIG", file}}, nil
}

const greeting = `
Parley is up: %s   API docs: %s/docs   Kafka: %s

Paste these into another terminal, in this folder:

  . %s

  # place a call; a simulated person answers and hangs up after 10 s
  curl -s "$PARLEY_URL/api/1.1/public/bot/$BOT_ID/assist/dialout" -H "auth: $PARLEY_TOKEN" -H 'Content-Type: application/json' \
    -d "{\"botId\":\"$BOT_ID\",\"target\":\"tel:+15550000001\",\"caller\":` +
	`\"$CALLER\",\"machineDetection\":\"detect\",\"notifyurl\":\"$NOTIFY_URL\"}"

  # the same from the command line, followed until it ends
  %s call +15550000001 --follow

  # what became of it
  curl -s "$PARLEY_URL/api/v1/projects/$BOT_ID/interactions" -H "Authorization: Bearer $PARLEY_TOKEN"
  curl -s "$PARLEY_URL/agentassist/api/public/analytics/account/$ACCOUNT_ID/calldetails" -H "auth: $PARLEY_TOKEN" -H "accountId: ` +
	`$ACCOUNT_ID" -H "iid: $BOT_ID" \
    -H 'Content-Type: application/json' -d "{\"startDate\":\"$(date -u +%%F)\",\"endDate\":\"$(date -u ` +
	`+%%F)\",\"timeZoneOffset\":0,\"selectedFields\":[\"customerinfo\"]}"

  # keys of a scope
  curl -s "$PARLEY_URL/aaa/api/public/apps/$BOT_ID/scopes/$SCOPE_ID" -H "x-api-key: $PARLEY_API_KEY"
  curl -s "$PARLEY_URL/aaa/api/public/apps/$BOT_ID/apikeys/create" -H "x-api-key: $PARLEY_API_KEY" -H 'Content-Type: application/json' \
    -d '{"scope_name":"main","api_key_name":"my first key"}'

  # the log itself; the login of the broker is in the file that $KCAT_CONFIG names (apt-get install kcat)
  kcat -C -t parley.calls -o beginning -e -q -f '%%p/%%o %%k\n'

Events, as they land on the log (Ctrl-C ends):
`

// play answers the hosts that agents of the example workspace ask, and shows what they were asked.
// It gives the address of each.
func (d *developer) play() (map[string]string, error) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return nil, fmt.Errorf("listening for what agents ask: %w", err)
	}
	server := &http.Server{ReadHeaderTimeout: 5 * time.Second, Handler: company.Handler(func(host, asked string) {
		d.say("%s  %s asked: %s", time.Now().Format("15:04:05.000"), host, cut(asked))
	})}
	go func() {
		if err := server.Serve(l); err != nil && !errors.Is(err, http.ErrServerClosed) {
			d.say("the hosts of the example company are not answered any more: %v", err)
		}
	}()
	return company.At(l.Addr().String()), nil
}

// record plays the providers of channels, and shows what they took. It gives its address, and where
// the provider of each kind is, but for those that are configured: what is tried out goes to nobody.
func (d *developer) record(remembered string, configured map[string]string) (address string, at map[string]string, err error) {
	l, err := listenAgain(remembered)
	if err != nil {
		return "", nil, fmt.Errorf("listening in place of the providers of channels: %w", err)
	}
	d.platforms = &platforms.Recorder{Now: time.Now, Told: func(m platforms.Message) {
		d.say("%s  %s took for %s: %s", time.Now().Format("15:04:05.000"), m.Kind, m.To, cut(m.Text))
	}}
	server := &http.Server{ReadHeaderTimeout: 5 * time.Second, Handler: d.platforms}
	go func() {
		if err := server.Serve(l); err != nil && !errors.Is(err, http.ErrServerClosed) {
			d.say("the providers of channels are not played any more: %v", err)
		}
	}()
	address, at = "http://"+l.Addr().String(), map[string]string{}
	for _, kind := range channels.Kinds() {
		if at[kind] = configured[kind]; at[kind] == "" && kind != "email" { // which goes by SMTP
			at[kind] = platforms.At(address, kind)
		}
	}
	return address, at, nil
}

// recordMail takes the mail of connections that have no host, and shows it with what else was taken. It
// gives the address.
func (d *developer) recordMail() (string, error) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return "", fmt.Errorf("listening in place of a host of mail: %w", err)
	}
	go func() {
		if err := d.platforms.ServeMail(l); err != nil {
			d.say("mail is not taken any more: %v", err)
		}
	}()
	return l.Addr().String(), nil
}

// listenAgain listens on this host, at the address that is remembered in a file, if no other program
// has it now.
func listenAgain(remembered string) (net.Listener, error) {
	before, err := os.ReadFile(remembered)
	if err != nil && !errors.Is(err, os.ErrNotExist) {
		return nil, fmt.Errorf("reading the address: %w", err)
	}
	l, err := net.Listen("tcp", cmp.Or(strings.TrimSpace(string(before)), "127.0.0.1:0"))
	if err != nil { // another program has the port now
		l, err = net.Listen("tcp", "127.0.0.1:0")
	}
	if err != nil {
		return nil, err
	}
	if err := os.WriteFile(remembered, []byte(l.Addr().String()+"\n"), 0o644); err != nil {
		_ = l.Close()
		return nil, fmt.Errorf("remembering the address: %w", err)
	}
	return l, nil
}

// receive is a receiver of notifications on this host: it verifies and shows them.
// Its address is remembered in a file, so that notifications of calls that were
// placed before a restart still arrive.
func (d *developer) receive(secret, remembered string) (url string, err error) {
	l, err := listenAgain(remembered)
	if err != nil {
		return "", fmt.Errorf("listening for notifications: %w", err)
	}
	server := &http.Server{ReadHeaderTimeout: 5 * time.Second, Handler: http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, err := io.ReadAll(io.LimitReader(r.Body, 1<<20))
		if err != nil {
			http.Error(w, "unreadable", http.StatusBadRequest)
			return
		}
		verdict := "signature verified"
		if err := webhook.Verify(r.Header.Get("SAVG-Signature"), body, time.Now(), 5*time.Minute, []byte(secret)); err != nil {
			verdict = "SIGNATURE WRONG: " + err.Error()
		}
		d.say("%s  notification received, %s: %s", time.Now().Format("15:04:05.000"), verdict, body)
	})}
	go func() {
		if err := server.Serve(l); err != nil && !errors.Is(err, http.ErrServerClosed) {
			d.say("the receiver of notifications stopped: %v", err)
		}
	}()
	return "http://" + l.Addr().String() + "/notifications", nil
}
