package voice

import (
	"context"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/parley-platform/parley/domain/access"
	"github.com/parley-platform/parley/domain/calls"
	"github.com/parley-platform/parley/domain/channels"
	"github.com/parley-platform/parley/domain/fault"
	"github.com/parley-platform/parley/handlers/acts/brought"
	"github.com/parley-platform/parley/handlers/rest"
	"github.com/parley-platform/parley/handlers/sockets"
)

// StreamFrame is a message of the provider on a call's stream.
type StreamFrame struct {
	Event    string // start, media, dtmf, stop; others say nothing to us
	StreamID string
	CallID   string // the provider's; of start
	Account  string // of start
	Token    string // of start
	Digit    string // of dtmf
	Sound    []byte // of media: mu-law at 8 kHz
	Mark     string // of mark
}

// StreamWords are the messages that the provider is sent on a call's stream.
type StreamWords struct {
	Plays  func(stream string, sound []byte) any
	Marks  func(stream, name string) any // is said back when all before it was played
	Clears func(stream string) any       // what is not played yet is forgotten
}

// Sound is what is made of a call's sound, mu-law at 8 kHz, both ways. When it is closed, its facts end behind
// the last that was heard.
type Sound interface {
	Hear(sound []byte)
	Facts() <-chan calls.Fact
	SayAs(ctx context.Context, id, text, language string) error
	Play(ctx context.Context, id string, samples []int16) error
	Join(other any) error
	Hush()
	Tap(tap func(heard, said []int16))
	Quality() calls.Quality
	Close()
}

// Line is a call's stream, as who carries calls takes it.
type Line interface {
	Facts() <-chan calls.Fact
	Say(ctx context.Context, text, language string) error
	HangUp(ctx context.Context) error
}

// StreamAPI is what the socket needs by which the sound of a call comes.
type StreamAPI struct {
	Calls       brought.Calls
	Connections openConnections
	Door        doorman
	Read        func(message []byte) (StreamFrame, error)
	Words       StreamWords
	// Sound begins the sound of an account's call; send has each frame that is to be played, when it is.
	Sound func(tenant string, send func(frame []byte)) Sound
	// Carry carries the call until it is over. It refuses one that somebody carries, or that is over.
	Carry     func(ctx context.Context, callID, streamID string, line Line) error
	Sockets   *sockets.Sockets
	PublicURL func() string
}

const (
	startWithin  = 10 * time.Second // of the opening
	factsOnTheir = 1_024            // way; whoever sends more has no reader
	playedWithin = 2 * time.Second  // behind the moment at which it should have been
)

// DeclareStream adds the socket by which the sound of a call comes.
func DeclareStream(api *rest.API, x StreamAPI) {
	sockets.Declare(api, x.Sockets, sockets.Operation{
		Operation: rest.Operation{ID: "voice-stream", Path: streamPath + "{callId}", Tags: []string{tagVoice},
			Summary: "The sound of a telephone call",
			Description: "Opened by Twilio, as voice-connect has told it; X-Twilio-Signature covers the address. The sound is mu-law at 8 " +
				"kHz, both ways, in real time; what the agent says is cut off when the person begins to speak.",
			Requirement: access.Public, Refusals: []fault.Code{fault.Unauthorized, fault.NotFound}},
		Says: "Messages are those of Twilio's Media Streams: connected, start (within 10 seconds, with the token of voice-connect, which opens " +
			"a call once, in `customParameters`), media, dtmf, mark and stop; it is sent media, mark and clear. " +
			"Digits are a message of the session, up to a #, or a pause of 2 " +
			"seconds. Stop ends the call; an agent that ends the conversation closes the socket. A start that is refused closes it with 1008.",
	}, x.open)
}

type streamIn struct {
	CallID string `path:"callId" maxLength:"64" doc:"The call's id."`

	rest.AsSent
}

func (x StreamAPI) open(ctx context.Context, in *streamIn) (sockets.Serve, error) {
	r := in.Sent()
	r.URL, r.At = socketOf(x.PublicURL())+r.URL, x.Calls.Now()
	unknown := fault.New(fault.NotFound, "there is no such call")
	if !access.ValidID(in.CallID) {
		return nil, unknown
	}
	s, err := x.Calls.Read(ctx, in.CallID)
	if err != nil {
		return nil, err
	}
	if !s.Came() || s.Room() {
		_ = x.Door.Verify(decoy, r)
		return nil, unknown
	}
	c, err := x.Connections.WithID(ctx, s.Arrival.TenantID, s.Arrival.ConnectionID)
	if err != nil {
		return nil, err
	}
	if err := x.Door.Verify(c, r); err != nil {
		return nil, err
	}
	return func(ctx context.Context, socket *sockets.Socket) { x.serve(ctx, socket, s, c) }, nil
}

// serve waits for the start of a stream, and has its call carried until one of the two is over.
func (x StreamAPI) serve(ctx context.Context, socket *sockets.Socket, s calls.State, c channels.Connection) {
	late := time.AfterFunc(startWithin, func() { socket.Close(sockets.Refused, "no start in time") })
	defer late.Stop()
	start, ok := x.start(socket)
	if !ok || !late.Stop() {
		return
	}
	call := s.Request.CallID
	if start.CallID != s.Arrival.ProviderID || start.Account != c.Credentials.Reveal("accountSid") {
		socket.Close(sockets.Refused, "the stream is of another call")
		return
	}
	if err := x.Calls.Opens(call, start.Token); err != nil {
		socket.Close(sockets.Refused, "the token is wrong, or too old")
		return
	}
	l := &line{socket: socket, facts: make(chan calls.Fact, factsOnTheir), still: make(chan struct{}),
		marks:  func(name string) error { return socket.SendJSON(x.Words.Marks(start.StreamID, name)) },
		clears: func() error { return socket.SendJSON(x.Words.Clears(start.StreamID)) }}
	l.sound = x.Sound(s.Arrival.TenantID, func(frame []byte) { _ = socket.SendJSON(x.Words.Plays(start.StreamID, frame)) })
	defer l.sound.Close()
	socket.Beside(l.hear)
	carried := make(chan error, 1)
	go func() {
		err := x.Carry(ctx, call, start.StreamID, l)
		if err != nil {
			socket.Close(sockets.Refused, "the call cannot be taken: "+string(fault.CodeOf(err)))
		}
		carried <- err
	}()
	sound := x.listen(socket, l)
	if err := <-carried; err != nil {
		rest.Logger(ctx).Info("a stream was refused", "call", call, "error", err)
		return
	}
	rest.Logger(ctx).Info("a stream has ended", "call", call, "frames", sound)
}

// start is the first message that says which stream it is. What comes before says nothing; what is
// unreadable ends it.
func (x StreamAPI) start(socket *sockets.Socket) (f StreamFrame, ok bool) {
	for {
		frame, err := socket.Read()
		if err != nil {
			return f, false
		}
		f, err = x.Read(frame.Data)
		switch {
		case err != nil || frame.Binary:
			socket.Close(sockets.Refused, "no message of a stream")
			return f, false
		case f.Event == "start":
			return f, true
		case f.Event == "stop":
			return f, false
		}
	}
}

// listen takes what the provider says until the stream is over, and counts the frames of sound. What
// cannot be read, or is new, is passed over.
func (x StreamAPI) listen(socket *sockets.Socket, l *line) (sound int) {
	for {
		frame, err := socket.Read()
		if err != nil {
			l.over(calls.Fact{Kind: calls.FactLost, At: time.Now(), Error: "the stream broke"})
			return sound
		}
		f, err := x.Read(frame.Data)
		if err != nil || frame.Binary {
			continue
		}
		switch f.Event {
		case "media":
			sound++
			l.sound.Hear(f.Sound)
		case "mark":
			l.reached(f.Mark)
		case "dtmf":
			l.pressed(f.Digit)
		case "stop":
			l.over(calls.Fact{Kind: calls.FactHungUp, At: time.Now()})
			return sound
		}
	}
}

// line is a call's stream. What is pressed on it is told key by key: who carries the call makes messages
// of keys, of this line as of any other.
type line struct {
	socket *sockets.Socket
	sound  Sound
	marks  func(name string) error // is said back when all before it was played
	clears func() error            // what is not played yet is forgotten

	mu     sync.Mutex
	facts  chan calls.Fact
	ended  bool
	still  chan struct{} // closed when all that is heard was told
	marked int           // marks that were sent
	mark   chan struct{} // closed when the newest was reached; nil: none is waited for
}

// Facts are what the person does, in its order.
func (l *line) Facts() <-chan calls.Fact { return l.facts }

// hear passes on what is heard. What was cut off here is cut off at the provider too.
func (l *line) hear() {
	defer close(l.still)
	for f := range l.sound.Facts() {
		if f.Kind == calls.FactPlayed && f.Interrupted {
			_ = l.clears()
		}
		l.mu.Lock()
		l.tell(f)
		l.mu.Unlock()
	}
}

// Hush cuts off what is said, here and, by the fact of it, at the provider.
func (l *line) Hush() { l.sound.Hush() }

// Tap has all frames told, heard and said.
func (l *line) Tap(tap func(heard, said []int16)) { l.sound.Tap(tap) }

// Quality is how well the person was heard so far.
func (l *line) Quality() calls.Quality { return l.sound.Quality() }

// Say is SayAs with no id.
func (l *line) Say(ctx context.Context, text, language string) error {
	return l.SayAs(ctx, "", text, language)
}

// SayAs says a text, and waits until the provider has played it: a call that is hung up before has lost the
// end of its last sentence.
func (l *line) SayAs(ctx context.Context, id, text, language string) error {
	if err := l.sound.SayAs(ctx, id, text, language); err != nil {
		return err
	}
	return l.playedOut(ctx)
}

// Play is SayAs of what is sound already.
func (l *line) Play(ctx context.Context, id string, samples []int16) error {
	if err := l.sound.Play(ctx, id, samples); err != nil {
		return err
	}
	return l.playedOut(ctx)
}

// Join lets the person and the other side of another leg hear each other.
func (l *line) Join(other any) error { return l.sound.Join(other) }

// playedOut waits until the provider has played what it was sent, or says nothing of it for too long.
func (l *line) playedOut(ctx context.Context) error {
	l.mu.Lock()
	l.marked++
	reached := make(chan struct{})
	l.mark = reached
	err := l.marks(strconv.Itoa(l.marked))
	l.mu.Unlock()
	if err != nil {
		return err
	}
	select {
	case <-reached:
	case <-time.After(playedWithin):
	case <-ctx.Done():
	}
	return ctx.Err()
}

// reached takes a mark that the provider says back.
func (l *line) reached(name string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.mark != nil && name == strconv.Itoa(l.marked) {
		close(l.mark)
		l.mark = nil
	}
}

// HangUp ends the stream, behind which the provider has nothing more to do with the call.
func (l *line) HangUp(context.Context) error {
	l.socket.Close(sockets.Done, "the call is over")
	return nil
}

// pressed takes a key.
func (l *line) pressed(key string) {
	if len(key) != 1 || !strings.Contains(calls.Keys, key) {
		return
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	l.tell(calls.Fact{Kind: calls.FactDigit, At: time.Now(), Digit: key})
}

// tell adds a fact. It holds mu.
func (l *line) tell(f calls.Fact) {
	if l.ended {
		return
	}
	select {
	case l.facts <- f:
	default:
		l.socket.Close(sockets.TooSlow, "too much was pressed")
	}
}

// over ends the line, behind the last that is heard on it.
func (l *line) over(last calls.Fact) {
	l.sound.Close()
	<-l.still
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.mark != nil {
		close(l.mark)
		l.mark = nil
	}
	l.tell(last)
	l.ended = true
	close(l.facts)
}
