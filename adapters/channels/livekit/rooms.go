package livekit

import (
	"context"
	"fmt"
	"time"

	"github.com/golang-jwt/jwt/v5"

	"github.com/parley-platform/parley/domain/channels"
)

// Grant is what a token of LiveKit opens.
type Grant struct {
	Identity string // of who joins
	Room     string
	Join     bool
	Create   bool
	Admin    bool // of Room
	List     bool // which rooms there are
	Ours     bool // who joins is an agent: people see that, and a room with nobody else is empty
	Agent    *Dispatch
}

// Dispatch is an agent that is to come into a room.
type Dispatch struct {
	Name     string
	Metadata string
}

type video struct {
	Room           string `json:"room,omitempty"`
	RoomJoin       bool   `json:"roomJoin,omitempty"`
	RoomCreate     bool   `json:"roomCreate,omitempty"`
	RoomAdmin      bool   `json:"roomAdmin,omitempty"`
	RoomList       bool   `json:"roomList,omitempty"`
	CanPublish     *bool  `json:"canPublish,omitempty"`
	CanSubscribe   *bool  `json:"canSubscribe,omitempty"`
	CanPublishData *bool  `json:"canPublishData,omitempty"`
}

type agentConfig struct {
	AgentName string `json:"agentName"`
	Metadata  string `json:"metadata,omitempty"`
}

type roomConfig struct {
	Agents []agentConfig `json:"agents"`
}

type claims struct {
	jwt.RegisteredClaims
	Kind       string      `json:"kind,omitempty"`
	Video      video       `json:"video"`
	RoomConfig *roomConfig `json:"roomConfig,omitempty"`
	SHA256     string      `json:"sha256,omitempty"`
}

// JoinFor is how long a token to join a room is good.
const JoinFor = 15 * time.Minute

// Join lets somebody into a room, with all that people do there. Where an agent is to come, the
// token says so as well: whoever joins first makes the room anew if it is gone.
func (l *LiveKit) Join(c channels.Connection, identity, room string, agent *Dispatch, now time.Time) (string, error) {
	return sign(c, Grant{Identity: identity, Room: room, Join: true, Agent: agent}, now, JoinFor)
}

// Come lets an agent of ours into a room.
func (l *LiveKit) Come(c channels.Connection, identity, room string) (string, error) {
	return sign(c, Grant{Identity: identity, Room: room, Join: true, Ours: true}, l.now(), JoinFor)
}

// Place is where an account's server is; inside: it is the operator's own, and may be anywhere.
func (l *LiveKit) Place(c channels.Connection) (url string, inside bool, err error) {
	if l.own != nil && c.TenantID != "" {
		return l.own.URL(""), true, nil
	}
	url, err = httpOf(c)
	return url, c.TenantID == "", err
}

func sign(c channels.Connection, g Grant, now time.Time, lasts time.Duration) (string, error) {
	key, secret := c.Credentials.Reveal(APIKey), c.Credentials.Reveal(APISecret)
	if key == "" || secret == "" {
		return "", fmt.Errorf("livekit: an API key and its secret are needed")
	}
	out := claims{RegisteredClaims: jwt.RegisteredClaims{Issuer: key, Subject: g.Identity, IssuedAt: jwt.NewNumericDate(now),
		NotBefore: jwt.NewNumericDate(now.Add(-leeway)), ExpiresAt: jwt.NewNumericDate(now.Add(lasts))},
		Video: video{Room: g.Room, RoomJoin: g.Join, RoomCreate: g.Create, RoomAdmin: g.Admin,
			RoomList: g.List}}
	if g.Ours {
		out.Kind = "agent"
	}
	if g.Join {
		may := true
		out.Video.CanPublish, out.Video.CanSubscribe, out.Video.CanPublishData = &may, &may, &may
	}
	if g.Agent != nil {
		out.RoomConfig = &roomConfig{[]agentConfig{{g.Agent.Name, g.Agent.Metadata}}}
	}
	return jwt.NewWithClaims(jwt.SigningMethodHS256, out).SignedString([]byte(secret))
}

// Create makes a room, and has an agent come into it; one that is there stays as it is, with those who are
// in it. Both are one request, so that it may be made again when nobody knows what became of it. A room in
// which nobody is goes after emptyFor.
func (l *LiveKit) Create(ctx context.Context, c channels.Connection, room string, agent *Dispatch, metadata string,
	emptyFor time.Duration) channels.Outcome {
	body := map[string]any{"name": room, "metadata": metadata, "empty_timeout": int(emptyFor.Seconds())}
	if agent != nil {
		body["agents"] = []map[string]string{{"agent_name": agent.Name, "metadata": agent.Metadata}}
	}
	answer, none, ok := l.ask(ctx, c, Grant{Create: true}, "RoomService/CreateRoom", body)
	if !ok {
		return none
	}
	return outcomeOf(answer)
}
