package livekit

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"regexp"
	"strings"
	"time"

	"github.com/golang-jwt/jwt/v5"

	"github.com/parley-platform/parley/domain/calls"
	"github.com/parley-platform/parley/domain/channels"
	"github.com/parley-platform/parley/domain/fault"
)

const (
	leeway    = time.Minute
	mostToken = 8 << 10
)

// webhook is what LiveKit says of a room. Numbers of 64 bits are texts in it.
type webhook struct {
	Event string `json:"event"`
	ID    string `json:"id"`
	At    any    `json:"createdAt"`
	Room  struct {
		Name string `json:"name"`
	} `json:"room"`
	Participant struct {
		SID      string `json:"sid"`
		Identity string `json:"identity"`
		Kind     any    `json:"kind"`
	} `json:"participant"`
}

// Routes names no connection: a request says of which room it is, and that leads to one.
func (*LiveKit) Routes(channels.Request) []string { return nil }

// Room is the room that a request says it is of; empty: of none.
func (*LiveKit) Room(r channels.Request) string {
	var w webhook
	if json.Unmarshal(r.Body, &w) != nil || !roomName.MatchString(w.Room.Name) {
		return ""
	}
	return w.Room.Name
}

// roomName is a name that a room of ours can have.
var roomName = regexp.MustCompile(`^[A-Za-z0-9_-]{1,512}$`)

// Verify checks the token of the header, which is of the account's key and names the body's sum.
func (*LiveKit) Verify(c channels.Connection, r channels.Request) error {
	secret := c.Credentials.Reveal(APISecret)
	if secret == "" || c.Credentials[APIKey] == "" {
		return fault.New(fault.Unauthorized, "the connection has no API key, with which LiveKit signs")
	}
	given := r.Get("Authorization")
	if given == "" || len(given) > mostToken {
		return fault.New(fault.Unauthorized, "the header Authorization is missing, or no token")
	}
	var said claims
	_, err := jwt.NewParser(jwt.WithExpirationRequired(), jwt.WithLeeway(leeway), jwt.WithTimeFunc(func() time.Time { return r.At }),
		jwt.WithStrictDecoding(), jwt.WithIssuer(c.Credentials.Reveal(APIKey)), jwt.WithValidMethods([]string{"HS256"})).
		ParseWithClaims(given, &said, func(*jwt.Token) (any, error) { return []byte(secret), nil })
	if err != nil {
		return fault.New(fault.Unauthorized, "the token is not of this request and this connection")
	}
	sum := sha256.Sum256(r.Body)
	if !hmac.Equal([]byte(said.SHA256), []byte(base64.StdEncoding.EncodeToString(sum[:]))) {
		return fault.New(fault.Unauthorized, "the body is not the one whose sum is in the token")
	}
	return nil
}

// told are the events of rooms that say something to us.
var told = map[string]calls.Told{"room_started": calls.ToldInitiated, "participant_joined": calls.ToldInProgress,
	"participant_left": calls.ToldInProgress, "participant_connection_aborted": calls.ToldInProgress, "room_finished": calls.ToldCompleted}

// agentKind is that of participants which are agents, as its number and its name.
const agentKind = "AGENT"

// Parse reads what LiveKit says of a room: that it began, who came and went, and that it is over.
// That an agent came is not that somebody did.
// A room of another account than the connection's is none of its rooms.
func (*LiveKit) Parse(c channels.Connection, r channels.Request) (channels.Received, error) {
	var w webhook
	if err := json.Unmarshal(r.Body, &w); err != nil {
		return channels.Received{}, errors.New("a webhook of LiveKit cannot be read: the body is no JSON of its form, or not all of it")
	}
	status, known := told[w.Event]
	if !known {
		return channels.Received{}, nil
	}
	if !roomName.MatchString(w.Room.Name) || w.ID == "" || len(w.ID) > 128 {
		return channels.Received{}, errors.New("a webhook of LiveKit cannot be read: the room's name, or the id of the event, is missing")
	}
	if !calls.RoomOf(w.Room.Name, c.TenantID) {
		return channels.Received{}, nil
	}
	out := channels.Call{ExternalID: w.ID, ProviderID: w.Room.Name, OurNumber: w.Room.Name, Person: w.Participant.Identity,
		Direction: calls.Inbound, Status: status, Raw: w.Event, At: when(w.At)}
	if strings.HasPrefix(w.Event, "participant_") && (w.Participant.Kind == agentKind || w.Participant.Kind == float64(4)) {
		out.Status, out.Raw = calls.ToldInitiated, strings.Replace(w.Event, "participant_", "agent_", 1)
	}
	return channels.Received{Calls: []channels.Call{out}}, nil
}

// when is a time in whole seconds, as a number or a text.
func when(at any) time.Time {
	var seconds int64
	switch v := at.(type) {
	case float64:
		seconds = int64(v)
	case string:
		if _, err := fmt.Sscan(v, &seconds); err != nil {
			return time.Time{}
		}
	}
	if seconds <= 0 || seconds > 1<<33 {
		return time.Time{}
	}
	return time.Unix(seconds, 0).UTC()
}
