package matrix

import (
	"context"
	"crypto/hmac"
	"crypto/sha1"
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"maps"
	"net"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/parley-platform/parley/adapters/vault"
	"github.com/parley-platform/parley/domain/sessions"
	"github.com/parley-platform/parley/domain/threads"
	"github.com/parley-platform/parley/examples/platforms"
)

// The account of the matrix at the providers of channels.
const (
	slackApp, slackSecret    = "A0MATRIX:T0MATRIX", "matrix-signing-secret"
	telegramBot, telegramKey = "7700", "matrix-secret-token"
	smsNumber, smsAccount    = "+15550177", "AC000000000000000000000000000000aa"
	smsToken                 = "matrix-auth-token"
)

// connected are the connections, by kind.
var connected = map[string]map[string]any{
	"slack": {"externalIdentifier": slackApp, "credentials": map[string]string{"signingSecret": slackSecret, "botToken": "xoxb-matrix"}},
	"telegram": {"externalIdentifier": telegramBot, "credentials": map[string]string{"botToken": telegramBot + ":matrix",
		"secretToken": telegramKey}},
	"twilio_sms": {"externalIdentifier": smsNumber, "credentials": map[string]string{"accountSid": smsAccount, "authToken": smsToken}},
}

func connectionID(kind string) string { return "cn-matrix-" + strings.ReplaceAll(kind, "_", "-") }

// providers play those of channels. They live through all that is killed.
type providers struct {
	*platforms.Recorder
	url    string
	server *http.Server
	points *points
	over   context.Context
	end    context.CancelFunc

	mu    sync.Mutex
	turns map[string]*turn // by kind and to whom
}

func newProviders(p *points) (*providers, error) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return nil, err
	}
	x := &providers{url: "http://" + l.Addr().String(), points: p, turns: map[string]*turn{}}
	x.over, x.end = context.WithCancel(context.Background())
	x.Recorder = &platforms.Recorder{Now: time.Now, Told: x.holds}
	x.server = &http.Server{Handler: x.Recorder, ReadHeaderTimeout: 10 * time.Second}
	go func() { _ = x.server.Serve(l) }()
	return x, nil
}

// env has the nodes ask them.
func (x *providers) env() []string {
	return []string{"SLACK_BASE_URL=" + platforms.At(x.url, "slack"), "TELEGRAM_BASE_URL=" + platforms.At(x.url, "telegram"),
		"TWILIO_BASE_URL=" + platforms.At(x.url, "twilio_sms")}
}

// holds keeps the answer back of what was taken for a turn that is left here.
func (x *providers) holds(m platforms.Message) {
	x.mu.Lock()
	t := x.turns[m.Kind+" "+m.To]
	x.mu.Unlock()
	if t != nil {
		x.points.hold(x.over, t, Place{asked, len(x.Sent(m.Kind, m.To))})
	}
}

func (x *providers) knows(t *turn) {
	x.mu.Lock()
	defer x.mu.Unlock()
	n := len(x.turns) + 1
	switch t.Channel {
	case "slack":
		t.to = "D" + strconv.Itoa(n)
	case "telegram":
		t.to = strconv.Itoa(1000 + n)
	default:
		t.to = fmt.Sprintf("+1555771%04d", n)
	}
	x.turns[t.Channel+" "+t.to] = t
}

func (x *providers) texts(t *turn) (out []string) {
	for _, m := range x.Sent(t.Channel, t.to) {
		out = append(out, m.Text)
	}
	return out
}

func (x *providers) close() {
	x.end()
	_ = x.server.Close()
}

// connect makes the connections, and deploys who answers by them.
func (r *Run) connect(ctx context.Context) error {
	v, err := vault.Open(r.cluster.Keyset())
	if err != nil {
		return err
	}
	r.mac = v.MAC
	var manifests []any
	entry, pinned := "", map[string]string{}
	for _, s := range scenarios {
		if s.Channel == "" {
			continue
		}
		entry = agentOf(s.Agents[0])
		pinned[entry] = "auto"
		spec := maps.Clone(connected[s.Channel])
		spec["projectId"], spec["channelType"], spec["agentName"], spec["environment"] = r.env["BOT_ID"], s.Channel, entry, "production"
		manifests = append(manifests, map[string]any{"kind": "ChannelConnection", "metadata": map[string]any{"id": connectionID(s.Channel),
			"name": s.Name, "tenant": r.env["ACCOUNT_ID"]}, "spec": spec})
	}
	if err := r.must(ctx, "matrix-deploy", http.MethodPost, "/api/projects/"+r.env["BOT_ID"]+"/deployments", map[string]any{
		"environment": "production", "entryAgentName": entry, "agentVersionManifest": pinned}, nil); err != nil {
		return err
	}
	return r.must(ctx, "matrix-connect", http.MethodPost, "/api/v1/admin/apply", map[string]any{"manifests": manifests}, nil)
}

// write has a turn begin with a message of its channel, which its provider sends until it is taken.
func (r *Run) write(ctx context.Context, t *turn) {
	r.talk.knows(t)
	stream := t.thread(r.mac, r.env["ACCOUNT_ID"])
	t.session = threads.SessionOf(stream, 1)
	r.points.watch(t, stream, sessions.Sessions.Stream(t.session))
	go func() {
		defer close(t.done)
		if r.delivers(ctx, t, t.name, 1) == nil {
			t.status = http.StatusOK
		}
	}()
}

// thread is the stream of a turn's conversation.
func (t *turn) thread(mac func(purpose string, parts ...string) []byte, tenant string) string {
	named := map[string]string{"slack": "T0MATRIX:" + t.to + ":U1", "telegram": t.to, "twilio_sms": smsNumber + ":" + t.to}
	return threads.Stream(mac, tenant, connectionID(t.Channel), named[t.Channel])
}

// delivers sends a message as its provider does: again, until it is taken.
func (r *Run) delivers(ctx context.Context, t *turn, text string, number int) error {
	for n := 0; ; n++ {
		nodes := r.nodes()
		asking, stop := r.impatient(ctx)
		status, err := r.post(asking, nodes[n%len(nodes)], t, text, number)
		stop()
		switch {
		case err == nil && status == http.StatusOK:
			return nil
		case err == nil && status != http.StatusServiceUnavailable && status != http.StatusTooManyRequests:
			r.Add("answer", "%s: the provider was answered with %d", t.name, status)
			return fmt.Errorf("a message was refused with %d", status)
		}
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-time.After(100 * time.Millisecond):
		}
	}
}

func (r *Run) post(ctx context.Context, node string, t *turn, text string, number int) (status int, err error) {
	body, headers := t.signed(r.public(node), text, number)
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, node+"/api/v1/channels/"+t.Channel+"/webhook/"+
		connected[t.Channel]["externalIdentifier"].(string), strings.NewReader(body))
	if err != nil {
		return 0, err
	}
	for name, value := range headers {
		req.Header.Set(name, value)
	}
	res, err := connections.Do(req)
	if err != nil {
		return 0, err
	}
	_ = res.Body.Close()
	return res.StatusCode, nil
}

// public is what a node takes for its address, which signatures cover.
func (r *Run) public(node string) string {
	for _, n := range r.cluster.Nodes {
		if n.URL() == node {
			return n.DirectURL()
		}
	}
	return node
}

// signed is a message as its provider sends it.
func (t *turn) signed(public, text string, number int) (body string, headers map[string]string) {
	switch t.Channel {
	case "slack":
		data, _ := json.Marshal(map[string]any{"type": "event_callback", "api_app_id": "A0MATRIX", "team_id": "T0MATRIX", "event": map[string]any{
			"type": "message", "channel_type": "im", "channel": t.to, "user": "U1", "text": text, "ts": fmt.Sprintf("1700000000.%06d", number)}})
		at := strconv.FormatInt(time.Now().Unix(), 10)
		mac := hmac.New(sha256.New, []byte(slackSecret))
		_, _ = mac.Write([]byte("v0:" + at + ":" + string(data)))
		return string(data), map[string]string{"X-Slack-Request-Timestamp": at, "X-Slack-Signature": "v0=" + hex.EncodeToString(mac.Sum(nil)),
			"Content-Type": "application/json"}
	case "telegram":
		chat, _ := strconv.Atoi(t.to)
		data, _ := json.Marshal(map[string]any{"update_id": chat*100 + number, "message": map[string]any{"message_id": number, "date": 1700000000,
			"chat": map[string]any{"id": chat, "type": "private"}, "from": map[string]any{"id": chat, "first_name": "Ann"}, "text": text}})
		return string(data), map[string]string{"X-Telegram-Bot-Api-Secret-Token": telegramKey, "Content-Type": "application/json"}
	}
	form := url.Values{"MessageSid": {fmt.Sprintf("SM%s%d", t.to[1:], number)}, "AccountSid": {smsAccount}, "From": {t.to}, "To": {smsNumber},
		"Body": {text}}
	signed := public + "/api/v1/channels/twilio_sms/webhook/" + smsNumber
	for _, name := range slices.Sorted(maps.Keys(form)) {
		signed += name + form.Get(name)
	}
	mac := hmac.New(sha1.New, []byte(smsToken))
	_, _ = mac.Write([]byte(signed))
	return form.Encode(), map[string]string{"X-Twilio-Signature": base64.StdEncoding.EncodeToString(mac.Sum(nil)),
		"Content-Type": "application/x-www-form-urlencoded"}
}
