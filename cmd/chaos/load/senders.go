package load

import (
	"crypto/hmac"
	"crypto/sha1"
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"hash"
	"maps"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/parley-platform/parley/examples/platforms"
)

// sender is how the provider of a kind sends what somebody writes, and what it calls things.
type sender struct {
	external    string            // of the connection
	credentials map[string]string // of it
	base        string            // the variable by which nodes are told where the provider is
	to          string            // where a person is answered, but for the number of the person
	thread      string            // how the connection calls the conversation, but for that
	signed      func(m written) (body string, headers map[string]string)
}

// written is a message on its way to a node.
type written struct {
	to     string
	person int
	number int
	text   string
	url    string // that is called, as the node knows itself
}

type object = map[string]any

// senders has a line for each kind whose provider calls us.
var senders = map[string]sender{
	"slack": {"A0CHAOS:T0CHAOS", map[string]string{"signingSecret": writersSecret, "botToken": "xoxb-chaos"}, "SLACK_BASE_URL",
		"D", "T0CHAOS:D%:U1", bySlack},
	"msteams": {"chaos-app", map[string]string{"appPassword": writersSecret}, "MSTEAMS_BASE_URL", "a:1", "a:1%", byTeams},
	"telegram": {"7711", map[string]string{"botToken": "7711:chaos", "secretToken": writersSecret}, "TELEGRAM_BASE_URL", "1", "1%",
		byTelegram},
	"line": {"Uchaos", map[string]string{"channelSecret": writersSecret, "channelAccessToken": "hush"}, "LINE_BASE_URL", "U", "Uchaos:U%",
		byLINE},
	"whatsapp": {"1065", map[string]string{"appSecret": writersSecret, "verifyToken": "hush", "accessToken": "hush"}, "WHATSAPP_BASE_URL",
		"1650", "1065:1650%", byWhatsApp},
	"messenger": {"2065", map[string]string{"appSecret": writersSecret, "verifyToken": "hush", "pageAccessToken": "hush"},
		"MESSENGER_BASE_URL", "2650", "2065:2650%", byPage("page", "2065")},
	"instagram": {"3065", map[string]string{"appSecret": writersSecret, "verifyToken": "hush", "accessToken": "hush"},
		"INSTAGRAM_BASE_URL", "3650", "3065:3650%", byPage("instagram", "3065")},
	"twilio_sms": {"+15550188", map[string]string{"accountSid": "AC000000000000000000000000000000bb", "authToken": writersSecret},
		"TWILIO_BASE_URL", "+1555881", "+15550188:+1555881%", byTwilio},
	"zendesk": {"A1CHAOS", map[string]string{"webhookSecret": writersSecret, "keyId": "k", "keySecret": "hush", "subdomain": "chaos"},
		"ZENDESK_BASE_URL", "conversation A1CHAOS C", "C%", byZendesk},
}

// Kinds lists them.
func Kinds() []string { return slices.Sorted(maps.Keys(senders)) }

// Once is whether nobody makes an attempt of a kind again of which it is not known what came.
func Once(kind string) bool { return kind == "twilio_sms" }

// connectionOf is the id of the connection of a kind.
func connectionOf(kind string) string { return "cn-chaos-" + strings.ReplaceAll(kind, "_", "-") }

// request is the newest message of somebody, as the provider sends it to a node.
func (w *Writer) request(node Node) (*http.Request, error) {
	s := senders[w.Kind]
	path := "/api/v1/channels/" + w.Kind + "/webhook/" + s.external
	n := len(w.Sent)
	body, headers := s.signed(written{w.To, w.person, n, w.Sent[n-1], node.Public + path})
	req, err := http.NewRequest(http.MethodPost, node.URL+path, strings.NewReader(body))
	if err != nil {
		return nil, err
	}
	req.Header.Set("Content-Type", "application/json")
	for name, value := range headers {
		req.Header.Set(name, value)
	}
	return req, nil
}

func signature(of func() hash.Hash, parts ...string) []byte {
	mac := hmac.New(of, []byte(writersSecret))
	for _, part := range parts {
		_, _ = mac.Write([]byte(part))
	}
	return mac.Sum(nil)
}

func inJSON(v any) string {
	data, _ := json.Marshal(v) // of literals of this package, which always can be
	return string(data)
}

// key is by which the provider knows a message.
func (m written) key() string { return fmt.Sprintf("%d.%d", m.person, m.number) }

func bySlack(m written) (string, map[string]string) {
	body := inJSON(object{"type": "event_callback", "api_app_id": "A0CHAOS", "team_id": "T0CHAOS", "event": object{"type": "message",
		"channel_type": "im", "channel": m.to, "user": "U1", "text": m.text, "ts": fmt.Sprintf("1700000000.%06d", m.number)}})
	at := strconv.FormatInt(time.Now().Unix(), 10)
	return body, map[string]string{"X-Slack-Request-Timestamp": at,
		"X-Slack-Signature": "v0=" + hex.EncodeToString(signature(sha256.New, "v0:", at, ":", body))}
}

func byTelegram(m written) (string, map[string]string) {
	chat, _ := strconv.Atoi(m.to)
	return inJSON(object{"update_id": m.person*100_000 + m.number, "message": object{"message_id": m.number,
			"date": 1_700_000_000 + m.number, "chat": object{"id": chat, "type": "private"}, "text": m.text,
			"from": object{"id": chat, "first_name": "Ann"}}}),
		map[string]string{"X-Telegram-Bot-Api-Secret-Token": writersSecret}
}

// teamsService is where Microsoft says that conversations are.
const teamsService = "https://smba.trafficmanager.net/amer/"

func byTeams(m written) (string, map[string]string) {
	return inJSON(object{"type": "message", "id": m.key(), "serviceUrl": teamsService, "channelId": "msteams", "text": m.text,
			"from": object{"id": "29:1", "name": "Ann"}, "recipient": object{"id": "28:chaos-app"},
			"conversation": object{"id": m.to, "conversationType": "personal"}}),
		map[string]string{"Authorization": "Bearer " + platforms.TeamsToken("chaos-app", teamsService)}
}

func byLINE(m written) (string, map[string]string) {
	body := inJSON(object{"destination": "Uchaos", "events": []object{{"type": "message", "mode": "active", "timestamp": 1_700_000_000_000,
		"webhookEventId": m.key(), "replyToken": "old", "source": object{"type": "user", "userId": m.to},
		"message": object{"id": strconv.Itoa(m.number), "type": "text", "text": m.text}}}})
	return body, map[string]string{"X-Line-Signature": base64.StdEncoding.EncodeToString(signature(sha256.New, body))}
}

func byMeta(v any) (string, map[string]string) {
	body := inJSON(v)
	return body, map[string]string{"X-Hub-Signature-256": "sha256=" + hex.EncodeToString(signature(sha256.New, body))}
}

func byWhatsApp(m written) (string, map[string]string) {
	return byMeta(object{"object": "whatsapp_business_account", "entry": []object{{"id": "1", "changes": []object{{"field": "messages",
		"value": object{"messaging_product": "whatsapp", "metadata": object{"display_phone_number": "15550", "phone_number_id": "1065"},
			"messages": []object{{"from": m.to, "id": "wamid." + m.key(), "timestamp": "1700000000", "type": "text",
				"text": object{"body": m.text}}}}}}}}})
}

func byPage(kind, page string) func(m written) (string, map[string]string) {
	return func(m written) (string, map[string]string) {
		return byMeta(object{"object": kind, "entry": []object{{"id": page, "time": 1_700_000_000, "messaging": []object{{
			"sender": object{"id": m.to}, "recipient": object{"id": page}, "timestamp": 1_700_000_000,
			"message": object{"mid": "m_" + m.key(), "text": m.text}}}}}})
	}
}

func byTwilio(m written) (string, map[string]string) {
	form := url.Values{"MessageSid": {"SM" + m.key()}, "AccountSid": {"AC000000000000000000000000000000bb"}, "From": {m.to},
		"To": {"+15550188"}, "Body": {m.text}}
	said := []string{m.url}
	for _, name := range slices.Sorted(maps.Keys(form)) {
		said = append(said, name, form.Get(name))
	}
	return form.Encode(), map[string]string{"Content-Type": "application/x-www-form-urlencoded",
		"X-Twilio-Signature": base64.StdEncoding.EncodeToString(signature(sha1.New, said...))}
}

func byZendesk(m written) (string, map[string]string) {
	_, id, _ := strings.Cut(strings.TrimPrefix(m.to, "conversation "), " ")
	return inJSON(object{"app": object{"id": "A1CHAOS"}, "webhook": object{"id": "W", "version": "v2"}, "events": []object{{"id": m.key(),
		"type": "conversation:message", "createdAt": "2026-01-01T00:00:00Z", "payload": object{"conversation": object{"id": id},
			"message": object{"id": m.key(), "author": object{"type": "user", "userId": "U1", "displayName": "Ann"},
				"content": object{"type": "text", "text": m.text}}}}}}), map[string]string{"X-API-Key": writersSecret}
}
