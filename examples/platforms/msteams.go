package platforms

import (
	"crypto/rand"
	"crypto/rsa"
	"encoding/base64"
	"encoding/json"
	"math/big"
	"net/http"
	"net/url"
	"regexp"
	"strconv"
	"sync"
	"time"
	"unicode/utf16"

	"github.com/golang-jwt/jwt/v5"
)

// msteams is the connector of Bot Framework, with Microsoft's login and its keys. Whoever wants to
// play a person asks at tokens for what an activity comes with.
var msteams = platform{
	read: readTeams,
	taken: func(m *Message) reply {
		m.ID = strconv.Itoa(m.Number)
		return says(http.StatusCreated, object{"id": m.ID})
	},
	busy: func(seconds int) reply {
		return says(http.StatusTooManyRequests, teamsError("TooManyRequests")).after(seconds)
	},
	fails: map[Trouble]reply{
		Down:    says(http.StatusInternalServerError, teamsError("ServiceError")),
		Refuses: says(http.StatusForbidden, teamsError("BotNotInConversationRoster")),
		Revoked: says(http.StatusUnauthorized, teamsError("Unauthorized")),
		Inside:  says(http.StatusOK, teamsError("ServiceError")),
	},
}

func teamsError(code string) object { return object{"error": object{"code": code, "message": code}} }

var (
	teamsLogin = regexp.MustCompile(`^/[A-Za-z0-9.-]+/oauth2/v2\.0/token$`)
	teamsPath  = regexp.MustCompile(`/v3/conversations/([^/]+)/activities(/[^/]+)?$`)
)

// teamsMessage is the largest message, in bytes as Teams counts them: two for each UTF-16 unit.
const teamsMessage = 100 << 10

// teamsKey signs in the name of Microsoft; it is of this process.
var teamsKey = sync.OnceValue(func() *rsa.PrivateKey {
	key, err := rsa.GenerateKey(rand.Reader, 2048)
	if err != nil {
		panic(err)
	}
	return key
})

const teamsKeyID = "recorder"

func readTeams(q request) (m Message, answer *reply) {
	no := func(status int, v any) (Message, *reply) {
		out := says(status, v)
		return m, &out
	}
	shown := func(v any) (Message, *reply) {
		out := says(http.StatusOK, v)
		out.public = true
		return m, &out
	}
	switch {
	case q.path == "/v1/.well-known/openidconfiguration":
		return shown(object{"issuer": "https://api.botframework.com",
			"jwks_uri": "http://" + q.host + "/msteams/v1/.well-known/keys"})
	case q.path == "/v1/.well-known/keys":
		number := func(n *big.Int) string { return base64.RawURLEncoding.EncodeToString(n.Bytes()) }
		key := teamsKey()
		return shown(object{"keys": []object{{"kty": "RSA", "use": "sig", "kid": teamsKeyID, "n": number(key.N),
			"e": number(big.NewInt(int64(key.E))), "endorsements": []string{"msteams"}}}})
	case q.path == "/tokens":
		return shown(object{"token": TeamsToken(q.query.Get("app"), q.query.Get("serviceUrl"))})
	case teamsLogin.MatchString(q.path):
		form, _ := url.ParseQuery(string(q.body))
		if form.Get("client_id") == "" || form.Get("client_secret") == "" {
			return no(http.StatusUnauthorized, object{"error": "invalid_client"})
		}
		return no(http.StatusOK, object{"token_type": "Bearer", "expires_in": 3600, "access_token": "of-the-recorder"})
	}
	to := teamsPath.FindStringSubmatch(q.path)
	if to == nil || q.method != http.MethodPost {
		return no(http.StatusNotFound, teamsError("NotFound"))
	}
	if q.header.Get("Authorization") != "Bearer of-the-recorder" {
		return no(http.StatusUnauthorized, teamsError("Unauthorized"))
	}
	var a struct {
		Type        string `json:"type"`
		Text        string `json:"text"`
		Attachments []struct {
			Content teamsCard `json:"content"`
		} `json:"attachments"`
	}
	if json.Unmarshal(q.body, &a) != nil {
		return no(http.StatusBadRequest, teamsError("BadSyntax"))
	}
	m.To, m.Text, m.By, m.Request = to[1], a.Text, a.Type, q.body
	for _, one := range a.Attachments {
		m.Choices = append(m.Choices, one.Content.choices()...)
	}
	switch {
	case a.Type != "message":
		return no(http.StatusCreated, object{"id": "0"})
	case a.Text == "" && len(a.Attachments) == 0:
		return no(http.StatusBadRequest, teamsError("BadArgument"))
	case 2*len(utf16.Encode([]rune(string(q.body)))) > teamsMessage:
		return no(http.StatusRequestEntityTooLarge, teamsError("MessageSizeTooBig"))
	}
	return m, nil
}

// TeamsToken is one of Microsoft's for an app, and where its conversations are, by the keys that are played
// in this process.
func TeamsToken(app, service string) string {
	token := jwt.NewWithClaims(jwt.SigningMethodRS256, jwt.MapClaims{"iss": "https://api.botframework.com", "aud": app,
		"serviceurl": service, "nbf": time.Now().Unix(), "exp": time.Now().Add(time.Hour).Unix()})
	token.Header["kid"] = teamsKeyID
	signed, err := token.SignedString(teamsKey())
	if err != nil {
		panic(err) // the key is one, and so is what is signed
	}
	return signed
}

// teamsCard is what can be chosen in a card.
type teamsCard struct {
	Body []struct {
		Choices []struct {
			Title string `json:"title"`
			Value string `json:"value"`
		} `json:"choices"`
	} `json:"body"`
	Actions []struct {
		Title string            `json:"title"`
		Data  map[string]string `json:"data"`
	} `json:"actions"`
}

func (c teamsCard) choices() (out []Choice) {
	for _, a := range c.Actions {
		out = append(out, Choice{a.Title, a.Data["choice"]})
	}
	for _, field := range c.Body {
		for _, one := range field.Choices {
			out = append(out, Choice{one.Title, one.Value})
		}
	}
	return out
}
