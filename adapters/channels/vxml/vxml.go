// Package vxml is the channel of VoiceXML interpreters: each turn of a call is a document, and what the
// caller says to it the request for the next one.
//
// It owns what the requests say (the names are ours, since the first document brings them), and the
// documents. It asks nobody, keeps nothing, and never logs.
package vxml

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"net/url"
	"regexp"
	"strconv"
	"strings"
	"time"

	"github.com/parley-platform/parley/adapters/channels/wire"
	"github.com/parley-platform/parley/domain/channels"
)

// The credentials of a connection: the token that requests show, and the grammar by which the
// interpreter understands free speech.
const (
	Token   = "token"
	Grammar = "grammar"
)

const (
	patience = 4 * time.Second // an interpreter waits for 5 to 15
	choices  = 9               // that one key can choose
)

// VXML reads requests of interpreters. It holds no account.
type VXML struct{ wire.Waiting }

// New asks nobody, so there is nothing that could be elsewhere.
func New(string) (*VXML, error) {
	most := channels.Limits{Text: 4_000, Unit: channels.Characters, Choices: choices, Label: 200, Keys: true}
	return &VXML{wire.Waiting{Kind: "vxml", Most: most}}, nil
}

// Check says what a connection lacks.
func (*VXML) Check(c channels.Connection) error {
	if c.Credentials[Token] == "" {
		return errors.New("vxml: the token is needed that the interpreter shows")
	}
	return nil
}

// Verify compares the token, of the header or of the query.
func (*VXML) Verify(c channels.Connection, r channels.Request) error {
	shown := wire.Authorization(r)
	if shown == "" {
		shown = wire.Query(r).Get("token")
	}
	return wire.Token(c, Token, shown)
}

// said is a request.
type said struct {
	values   url.Values
	call     string // empty: nobody has said yet which call it is
	turn     int    // from 0
	language string
}

var (
	plain     = regexp.MustCompile(`^[A-Za-z0-9@._:+=~-]{1,256}$`)
	languages = regexp.MustCompile(`^[A-Za-z]{2,3}(-[A-Za-z0-9]{2,8})*$`)
)

func read(r channels.Request) (s said, err error) {
	s.values = wire.Query(r)
	form, err := url.ParseQuery(string(r.Body))
	if err != nil {
		return s, errors.New("reading a request of an interpreter: the body is no form")
	}
	for name, values := range form {
		s.values[name] = values
	}
	if s.call = s.values.Get("sessionId"); s.call != "" && !plain.MatchString(s.call) {
		sum := sha256.Sum256([]byte(s.call))
		s.call = hex.EncodeToString(sum[:])
	}
	if s.turn, err = strconv.Atoi(s.values.Get("turn")); err != nil || s.turn < 0 || s.turn > 1<<20 {
		s.turn = 0
	}
	if s.language = s.values.Get("language"); !languages.MatchString(s.language) {
		s.language = ""
	}
	return s, nil
}

// Parse reads what a caller says. Who names no call gets the document that does.
func (*VXML) Parse(_ channels.Connection, r channels.Request) (out channels.Received, err error) {
	s, err := read(r)
	if err != nil || s.call == "" {
		out.Answer = answer(entry(s, next(r)))
		return out, err
	}
	from := strings.TrimPrefix(s.values.Get("from"), "tel:")
	if from == "" {
		from = s.call
	}
	e := channels.Entry{ExternalID: s.call + ":" + strconv.Itoa(s.turn), Thread: s.call, From: from, ReplyTo: s.call, Language: s.language}
	words := strings.TrimSpace(s.values.Get("utterance"))
	switch event := s.values.Get("event"); {
	case event == "hangup": // of whatever turn
		e.Says, e.ExternalID = channels.Leaves, s.call+":hangup"
	case event != "", words == "" && s.turn > 0:
		e.Says = channels.Waits
	case words == "":
		e.Says = channels.Begins
	case channels.IsToken(words):
		e.Choice = words
	default:
		e.Text = words
	}
	out.Entries = []channels.Entry{e}
	return out, nil
}

// Patience is less than an interpreter's.
func (*VXML) Patience() time.Duration { return patience }

// Answer is the document of the next turn.
func (*VXML) Answer(c channels.Connection, r channels.Request, reply channels.Reply) channels.Answer {
	s, err := read(r)
	if err != nil || s.call == "" {
		return answer(entry(s, next(r)))
	}
	return answer(document(s, next(r), c.Credentials.Reveal(Grammar), reply))
}

func answer(document string) channels.Answer {
	return channels.Answer{ContentType: "application/voicexml+xml; charset=utf-8", Body: []byte(document)}
}

// next is where the next request goes: here, with the token if the query had it.
func next(r channels.Request) string {
	to, _, _ := strings.Cut(r.URL, "?")
	if shown := wire.Query(r).Get("token"); shown != "" {
		to += "?" + url.Values{"token": {shown}}.Encode()
	}
	return to
}
