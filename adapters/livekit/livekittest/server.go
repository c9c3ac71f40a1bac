// Package livekittest is a server of LiveKit in tests: rooms whose participants hear each other and send each
// other data, by LiveKit's signalling and connections made with pion. LiveKit's own clients join it too, and
// so judge it. It never is in the binary.
package livekittest

import (
	"encoding/base64"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/coder/websocket"
	"github.com/golang-jwt/jwt/v5"
	"github.com/google/uuid"
	"github.com/pion/webrtc/v4"
)

// Event is what webhooks tell.
type Event struct {
	Name, Room, SID, Identity string
	Agent                     bool
}

// Server has rooms. Its fields are set before anybody joins, but for what says otherwise.
type Server struct {
	*httptest.Server
	Key, Secret string
	Tells       func(Event)                                       // is told what webhooks tell; nil: nobody is
	Asked       func(r *http.Request, body []byte)                // of the server API; nil: nobody is
	Meets       func(w http.ResponseWriter, r *http.Request) bool // may answer who wants to join in its place; nil: it never does
	Deaf        bool                                              // nobody is answered who wants to be heard
	Mute        bool                                              // nobody may publish
	Greets      int                                               // so often everybody is greeted; 0: once

	api *webrtc.API

	mu    sync.Mutex
	rooms map[string]*room
	ever  []string // the identities of all who joined, in their order
}

type room struct {
	name    string
	members []*member
}

// New starts one on this machine.
func New(key, secret string) (*Server, error) {
	var s webrtc.SettingEngine
	s.SetIncludeLoopbackCandidate(true)
	var m webrtc.MediaEngine
	for _, c := range []webrtc.RTPCodecParameters{
		{RTPCodecCapability: opusCodec, PayloadType: 111},
		{RTPCodecCapability: pcmuCodec},
	} {
		if err := m.RegisterCodec(c, webrtc.RTPCodecTypeAudio); err != nil {
			return nil, err
		}
	}
	out := &Server{Key: key, Secret: secret, rooms: map[string]*room{},
		api: webrtc.NewAPI(webrtc.WithSettingEngine(s), webrtc.WithMediaEngine(&m))}
	mux := http.NewServeMux()
	mux.HandleFunc("/rtc", out.join)
	mux.HandleFunc("/rtc/validate", func(http.ResponseWriter, *http.Request) {})
	mux.HandleFunc("POST /twirp/", out.twirp)
	out.Server = httptest.NewServer(mux)
	return out, nil
}

var (
	opusCodec = webrtc.RTPCodecCapability{MimeType: webrtc.MimeTypeOpus, ClockRate: 48_000, Channels: 2,
		SDPFmtpLine: "minptime=10;useinbandfec=1"}
	pcmuCodec = webrtc.RTPCodecCapability{MimeType: webrtc.MimeTypePCMU, ClockRate: 8_000, Channels: 1}
)

// claims are of a token.
type claims struct {
	jwt.RegisteredClaims
	Kind  string `json:"kind"`
	Name  string `json:"name"`
	Video struct {
		Room      string `json:"room"`
		RoomJoin  bool   `json:"roomJoin"`
		RoomAdmin bool   `json:"roomAdmin"`
	} `json:"video"`
}

// leeway is that of the server itself.
const leeway = time.Minute

// claims are those of a token; wrong says what is the matter with it.
func (s *Server) claims(r *http.Request) (c claims, wrong error) {
	token, is := strings.CutPrefix(r.Header.Get("Authorization"), "Bearer ")
	if !is {
		token = r.FormValue("access_token")
	}
	_, wrong = jwt.NewParser(jwt.WithValidMethods([]string{"HS256"}), jwt.WithIssuer(s.Key), jwt.WithExpirationRequired(),
		jwt.WithLeeway(leeway)).ParseWithClaims(token, &c, func(*jwt.Token) (any, error) { return []byte(s.Secret), nil })
	return c, wrong
}

// Token lets somebody join a room; kind is empty of people.
func (s *Server) Token(identity, room, kind string) (string, error) {
	c := jwt.MapClaims{"iss": s.Key, "sub": identity, "exp": time.Now().Add(time.Hour).Unix(),
		"video": map[string]any{"room": room, "roomJoin": true}}
	if kind != "" {
		c["kind"] = kind
	}
	return jwt.NewWithClaims(jwt.SigningMethodHS256, c).SignedString([]byte(s.Secret))
}

func (s *Server) join(w http.ResponseWriter, r *http.Request) {
	if s.Meets != nil && s.Meets(w, r) {
		return
	}
	c, wrong := s.claims(r)
	if wrong == nil && (!c.Video.RoomJoin || c.Video.Room == "" || c.Subject == "") {
		wrong = errors.New("it lets nobody into a room")
	}
	if wrong != nil {
		http.Error(w, "invalid token: "+wrong.Error(), http.StatusUnauthorized)
		return
	}
	conn, err := websocket.Accept(w, r, &websocket.AcceptOptions{InsecureSkipVerify: true})
	if err != nil {
		return
	}
	conn.SetReadLimit(1 << 20)
	m := &member{server: s, socket: conn, sid: "PA_" + uuid.NewString()[:12], identity: c.Subject, name: c.Name,
		agent: c.Kind == "agent", auto: r.FormValue("auto_subscribe") != "0"}
	if err := m.open(); err != nil {
		_ = conn.CloseNow()
		return
	}
	s.enter(c.Video.Room, m)
	m.serve(r.Context())
	s.left(m)
}

// enter lets somebody in; who was there by the same identity is sent away.
func (s *Server) enter(name string, m *member) {
	s.mu.Lock()
	r := s.rooms[name]
	if r == nil {
		r = &room{name: name}
		s.rooms[name] = r
	}
	m.room = r
	var before *member
	for _, other := range r.members {
		if other.identity == m.identity {
			before = other
		}
	}
	others := slices.Clone(r.members)
	r.members = append(r.members, m)
	s.ever = append(s.ever, m.identity)
	s.mu.Unlock()
	if before != nil {
		before.send(leaveMessage(2, 0))
		s.left(before)
		others = slices.DeleteFunc(others, func(o *member) bool { return o == before })
	}
	m.greet(others)
	s.others(m, m.info())
	s.tell("participant_joined", m)
	for _, o := range others {
		for _, t := range o.published() {
			m.offered(t)
		}
	}
}

// left takes somebody out of the room, once.
func (s *Server) left(m *member) {
	s.mu.Lock()
	at := slices.Index(m.room.members, m)
	if at >= 0 {
		m.room.members = slices.Delete(slices.Clone(m.room.members), at, at+1)
	}
	s.mu.Unlock()
	if at < 0 {
		return
	}
	m.close()
	s.others(m, m.info())
	s.tell("participant_left", m)
}

func (s *Server) tell(name string, m *member) {
	if s.Tells != nil {
		s.Tells(Event{Name: name, Room: m.room.name, SID: m.sid, Identity: m.identity, Agent: m.agent})
	}
}

// others tells all but one of a change.
func (s *Server) others(m *member, info pb) {
	for _, o := range s.members(m.room.name) {
		if o != m {
			o.send(updateMessage(info))
		}
	}
}

func (s *Server) members(name string) []*member {
	s.mu.Lock()
	defer s.mu.Unlock()
	if r := s.rooms[name]; r != nil {
		return slices.Clone(r.members)
	}
	return nil
}

// Who is who is in a room now, by their identities.
func (s *Server) Who(room string) (all []string) {
	for _, m := range s.members(room) {
		all = append(all, m.identity)
	}
	return all
}

// Published is how many tracks agents have asked to publish in a room, or people.
func (s *Server) Published(room string, agents bool) (n int) {
	for _, m := range s.members(room) {
		if m.agent == agents {
			m.mu.Lock()
			n += len(m.tracks)
			m.mu.Unlock()
		}
	}
	return n
}

// Joined are the identities of all who ever joined, in their order.
func (s *Server) Joined() []string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Clone(s.ever)
}

// Cut breaks the sockets of all in a room that agents have joined as, or people.
func (s *Server) Cut(room string, agents bool) {
	for _, m := range s.members(room) {
		if m.agent == agents {
			_ = m.socket.CloseNow()
		}
	}
}

// Say has the agents in a room, or the people, told to leave.
func (s *Server) Say(room string, agents bool, reason, action int) {
	for _, m := range s.members(room) {
		if m.agent == agents {
			m.send(leaveMessage(reason, action))
		}
	}
}

// Delete ends a room for everybody.
func (s *Server) Delete(room string) {
	for _, m := range s.members(room) {
		m.send(leaveMessage(5, 0))
	}
}

// twirp is the server API, as far as it does something here: data that is sent into a room.
func (s *Server) twirp(w http.ResponseWriter, r *http.Request) {
	body, _ := io.ReadAll(r.Body)
	method := strings.TrimPrefix(r.URL.Path, "/twirp/livekit.")
	if _, wrong := s.claims(r); wrong != nil {
		w.WriteHeader(http.StatusUnauthorized)
		_, _ = io.WriteString(w, `{"code":"unauthenticated","msg":"permissions denied"}`)
		return
	}
	if s.Asked != nil {
		s.Asked(r, body)
	}
	var asked struct{ Room, Data, Topic string }
	if method == "RoomService/SendData" && json.Unmarshal(body, &asked) == nil {
		data, _ := base64.StdEncoding.DecodeString(asked.Data)
		for _, m := range s.members(asked.Room) {
			m.data(data, asked.Topic)
		}
	}
	_, _ = io.WriteString(w, "{}")
}
