package livekit_test

import (
	"context"
	"net/http"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/coder/websocket"
	"github.com/stretchr/testify/require"

	"github.com/parley-platform/parley/adapters/livekit"
	"github.com/parley-platform/parley/adapters/livekit/livekittest"
	"github.com/parley-platform/parley/adapters/voice"
	"github.com/parley-platform/parley/domain/calls"
)

const (
	patience = 2 * time.Minute
	room     = "t_acme__p_a-1__s_s-9"
)

var pacer = voice.NewPacer(voice.PacerOptions{})

// hum speaks each character of a text as 20 ms of sound.
type hum struct{}

func (hum) Speak(_ context.Context, text, _ string) ([]int16, error) {
	return slices.Repeat([]int16{8_000, -8_000, 6_000, -6_000}, len(text)*voice.FrameSamples/4), nil
}

func line() *voice.Line { return voice.NewLine(voice.Options{Speaker: hum{}}) }

func serve(t *testing.T) *livekittest.Server {
	t.Helper()
	s, err := livekittest.New("APIfixture", "a secret of these tests")
	require.NoError(t, err)
	t.Cleanup(s.Close)
	return s
}

// access is that of somebody to the room, by a server on this machine.
func access(s *livekittest.Server, identity, kind string) livekit.Access {
	return livekit.Access{URL: s.URL, Inside: true, Token: func() (string, error) {
		return (&livekittest.Server{Key: "APIfixture", Secret: "a secret of these tests"}).Token(identity, room, kind)
	}}
}

func rooms(t *testing.T, cfg livekit.Config) *livekit.Rooms {
	t.Helper()
	if cfg.Within == 0 {
		cfg.Within = patience
	}
	r, err := livekit.New(cfg)
	require.NoError(t, err)
	return r
}

// joins is somebody in the room.
func joins(t *testing.T, r *livekit.Rooms, s *livekittest.Server, identity, kind string) *livekit.Leg {
	t.Helper()
	leg, err := r.Join(t.Context(), access(s, identity, kind), line(), pacer)
	require.NoError(t, err)
	t.Cleanup(func() { _ = leg.HangUp(context.Background()) })
	return leg
}

func agent(t *testing.T, r *livekit.Rooms, s *livekittest.Server) *livekit.Leg {
	t.Helper()
	return joins(t, r, s, "parley-agent", "agent")
}

func person(t *testing.T, s *livekittest.Server, identity string) *livekittest.Person {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	defer cancel()
	p, err := s.Comes(ctx, identity, room)
	require.NoError(t, err)
	t.Cleanup(p.Leave)
	return p
}

// until gives the fact that the test waits for; what is told before is passed over.
func until(t *testing.T, leg *livekit.Leg, kind calls.FactKind) calls.Fact {
	t.Helper()
	late := time.After(patience)
	for {
		select {
		case f, open := <-leg.Facts():
			require.True(t, open, "the leg has ended, and nothing was told of %s", kind)
			if f.Kind == kind {
				return f
			}
		case <-late:
			require.Fail(t, "nothing was told of "+string(kind))
		}
	}
}

// last is the fact with which a leg ends.
func last(t *testing.T, leg *livekit.Leg) (f calls.Fact) {
	t.Helper()
	late := time.After(patience)
	for {
		select {
		case next, open := <-leg.Facts():
			if !open {
				return f
			}
			f = next
		case <-late:
			require.Fail(t, "the leg does not end")
		}
	}
}

// talks has an agent say something for as long as the test runs: whoever comes to listen later hears it too.
func talks(t *testing.T, leg *livekit.Leg) {
	t.Helper()
	go func() {
		for t.Context().Err() == nil && leg.Say(t.Context(), strings.Repeat("a", 25), "") == nil {
		}
	}()
}

func hears(t *testing.T, p *livekittest.Person) {
	t.Helper()
	before := p.Heard()
	require.Eventually(t, func() bool { return p.Heard() > before+10 }, patience, 10*time.Millisecond, "the person does not hear the agent")
}

// Given an agent and a person in a room, then each hears the other, what is said is known by its id, and is cut off
// at a word.
func TestAnAgentAndAPersonHearEachOther(t *testing.T) {
	s := serve(t)
	r := rooms(t, livekit.Config{})
	ann := person(t, s, "s_ann")
	bot := agent(t, r, s)
	require.ElementsMatch(t, []string{"s_ann", "parley-agent"}, s.Who(room))
	go ann.Says(t.Context())
	until(t, bot, calls.FactSpeechBegan)
	until(t, bot, calls.FactSpeechEnded)
	require.Eventually(t, func() bool { return bot.Quality().Received > 20 }, patience, 10*time.Millisecond)

	require.NoError(t, bot.SayAs(t.Context(), "one", "abc", ""))
	f := until(t, bot, calls.FactPlayed)
	require.Equal(t, []any{"one", 60, false}, []any{f.ID, f.Ms, f.Interrupted})
	spoken := make(chan struct{}, 10_000)
	bot.Tap(func(_, said []int16) {
		if said[0] != 0 {
			spoken <- struct{}{}
		}
	})
	said := make(chan error, 1)
	go func() { said <- bot.SayAs(t.Context(), "two", strings.Repeat("a", 10_000), "") }()
	for range 4 {
		<-spoken
	}
	bot.Hush()
	f = until(t, bot, calls.FactPlayed)
	require.Equal(t, []any{"two", true}, []any{f.ID, f.Interrupted})
	require.NoError(t, <-said)
	require.Eventually(t, func() bool { return ann.Heard() > 0 }, patience, 10*time.Millisecond)
}

// Given people in a room who write, or press the keys of a telephone, then each text and key is heard once, and nothing of what agents
// write, or is written for programs; a way that breaks changes nothing of that.
func TestWhatPeopleWriteIsHeard(t *testing.T) {
	s := serve(t)
	ann, ben := person(t, s, "s_ann"), person(t, s, "s_ben")
	bot := agent(t, rooms(t, livekit.Config{Again: patience}), s)
	token, err := s.Token("their-agent", room, "agent")
	require.NoError(t, err)
	theirs, err := livekittest.Enter(t.Context(), s.URL, token)
	require.NoError(t, err)
	t.Cleanup(theirs.Leave)
	require.NoError(t, theirs.Writes("I am no person"))
	require.NoError(t, theirs.Presses("9"))
	require.NoError(t, ann.Sends("parley.text", []byte("of another topic")))
	for _, key := range []string{"4", "#", "#"} {
		require.NoError(t, ann.Presses(key))
	}
	for _, want := range []string{"4", "#", "#"} {
		require.Equal(t, want, until(t, bot, calls.FactDigit).Digit)
	}
	long := strings.Repeat("ä", 20_000)
	for _, text := range []string{"", "Hello", "Hello", long} { // who says it twice means it
		require.NoError(t, ann.Writes(text))
	}
	for _, want := range []string{"Hello", "Hello", long} {
		require.Equal(t, want, until(t, bot, calls.FactWritten).Text)
	}
	require.NoError(t, ben.Sends("lk.chat", []byte("as it is")))
	require.Equal(t, "as it is", until(t, bot, calls.FactWritten).Text)
	s.Cut(room, true)
	require.Eventually(t, func() bool { return len(s.Joined()) == 5 }, patience, 10*time.Millisecond, "it comes again")
	heard := make(chan struct{})
	go func() {
		for ben.Writes("still here") == nil {
			select {
			case <-time.After(20 * time.Millisecond): // what is sent while it is away it does not hear
			case <-heard:
				return
			}
		}
	}()
	require.Equal(t, "still here", until(t, bot, calls.FactWritten).Text)
	close(heard)
}

// telephone is a leg elsewhere.
type telephone struct{ line *voice.Line }

func (p telephone) Line() *voice.Line { return p.line }

// Given a room whose agent brings somebody else onto the line, then they and the people in the room hear each other; sound that is
// there already is played.
func TestSomebodyElseIsJoinedToARoom(t *testing.T) {
	s := serve(t)
	ann := person(t, s, "s_ann")
	bot := agent(t, rooms(t, livekit.Config{}), s)
	require.ErrorIs(t, bot.Join(nil), voice.ErrNoLine)
	desk := telephone{line()}
	t.Cleanup(pacer.Add(func(at time.Time) { desk.line.Tick(at) }))
	heard := make(chan struct{}, 1)
	desk.line.Tap(func(_, said []int16) {
		if slices.Max(said) > 1_000 {
			select {
			case heard <- struct{}{}:
			default:
			}
		}
	})
	require.NoError(t, bot.Join(desk))
	go ann.Says(t.Context())
	select {
	case <-heard:
	case <-time.After(patience):
		require.Fail(t, "the room is not heard")
	}
	require.NoError(t, bot.Play(t.Context(), "tune", slices.Repeat([]int16{9_000, -9_000}, 10*voice.FrameSamples)))
	require.Equal(t, "tune", until(t, bot, calls.FactPlayed).ID)
	require.Eventually(t, func() bool { return ann.Heard() > 0 }, patience, 10*time.Millisecond)
}

// Given a server that greets several times, then we are in the room once: we publish once, and no second ping begins.
func TestAServerThatGreetsAgain(t *testing.T) {
	s := serve(t)
	s.Greets = 3
	agent(t, rooms(t, livekit.Config{}), s)
	require.Equal(t, 1, s.Published(room, true))
}

// Given two people with microphones, when one has left, then the other is heard still.
func TestTwoPeopleAreHeard(t *testing.T) {
	s := serve(t)
	ann, ben := person(t, s, "s_ann"), person(t, s, "s_ben")
	bot := agent(t, rooms(t, livekit.Config{}), s)
	talks(t, bot)
	hears(t, ann)
	hears(t, ben)
	go ann.Says(t.Context())
	until(t, bot, calls.FactSpeechEnded)
	before := bot.Quality().Received
	ann.Leave()
	require.Eventually(t, func() bool { return len(s.Who(room)) == 2 }, patience, 10*time.Millisecond)
	go ben.Says(t.Context())
	until(t, bot, calls.FactSpeechBegan)
	require.Eventually(t, func() bool { return bot.Quality().Received > before }, patience, 10*time.Millisecond, "who has left counts still")
}

// Given a person who leaves, then the room is the agent's alone for a moment, and the call is over.
func TestTheLastPersonLeaves(t *testing.T) {
	s := serve(t)
	ann := person(t, s, "s_ann")
	bot := agent(t, rooms(t, livekit.Config{Alone: time.Millisecond}), s)
	ann.Leave()
	require.Equal(t, calls.FactHungUp, last(t, bot).Kind)
	require.Eventually(t, func() bool { return len(s.Who(room)) == 0 }, patience, 10*time.Millisecond, "it has left, too")
}

// A room in which nobody is when we come, and nobody comes, is over.
func TestARoomInWhichNobodyIs(t *testing.T) {
	s := serve(t)
	bot := agent(t, rooms(t, livekit.Config{Alone: time.Millisecond}), s)
	require.Equal(t, calls.FactHungUp, last(t, bot).Kind)
}

// What the server says when it sends somebody away.
func TestTheServerSendsUsAway(t *testing.T) {
	for name, c := range map[string]struct {
		reason, action int
		want           calls.FactKind
	}{
		"the room was deleted": {5, 0, calls.FactHungUp},
		"the room is closed":   {10, 0, calls.FactHungUp},
		"we were removed":      {4, 0, calls.FactHungUp},
		"another came as us":   {2, 0, calls.FactLost},
		"for another reason":   {6, 0, calls.FactLost},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := serve(t)
			person(t, s, "s_ann")
			bot := agent(t, rooms(t, livekit.Config{}), s)
			s.Say(room, true, c.reason, c.action)
			require.Equal(t, c.want, last(t, bot).Kind)
		})
	}
}

// Given a socket that is cut, or a server that wants us to come again, then the agent comes back, is heard and hears:
// the call goes on.
func TestTheWayToTheRoomBreaks(t *testing.T) {
	for name, breaks := range map[string]func(*livekittest.Server){
		"the socket is cut":     func(s *livekittest.Server) { s.Cut(room, true) },
		"it asks us to":         func(s *livekittest.Server) { s.Say(room, true, 0, 2) },
		"the server is stopped": func(s *livekittest.Server) { s.Say(room, true, 3, 0) },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := serve(t)
			ann := person(t, s, "s_ann")
			bot := agent(t, rooms(t, livekit.Config{Again: patience}), s)
			breaks(s)
			require.Eventually(t, func() bool { return len(s.Joined()) == 3 }, patience, 10*time.Millisecond, "it comes again")
			go ann.Says(t.Context())
			until(t, bot, calls.FactSpeechBegan)
			talks(t, bot)
			hears(t, ann)
		})
	}
}

// Given a way that broke, when the room cannot be joined again, then the call is lost: at once where the server refuses
// it, else when it was tried for long enough.
func TestThereIsNoWayBack(t *testing.T) {
	for name, c := range map[string]struct {
		status int
		again  time.Duration
		says   string
	}{
		"it refuses":            {http.StatusUnauthorized, patience, "does not let us in"},
		"it has no such room":   {http.StatusNotFound, patience, "no such room"},
		"it is broken for ever": {http.StatusInternalServerError, time.Second, "could not be made again"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := serve(t)
			var away atomic.Bool
			s.Meets = func(w http.ResponseWriter, _ *http.Request) bool {
				if away.Load() {
					w.WriteHeader(c.status)
				}
				return away.Load()
			}
			person(t, s, "s_ann")
			bot := agent(t, rooms(t, livekit.Config{Again: c.again}), s)
			away.Store(true)
			s.Cut(room, true)
			f := last(t, bot)
			require.Equal(t, calls.FactLost, f.Kind)
			require.Contains(t, f.Error, c.says)
		})
	}
}

// A room that cannot be joined, and why; the line is closed, and nobody is in the room.
func TestRoomsThatCannotBeJoined(t *testing.T) {
	answers := func(status int) func(http.ResponseWriter, *http.Request) bool {
		return func(w http.ResponseWriter, _ *http.Request) bool {
			w.WriteHeader(status)
			return true
		}
	}
	accepts := func(says ...[]byte) func(http.ResponseWriter, *http.Request) bool {
		return func(w http.ResponseWriter, r *http.Request) bool {
			conn, err := websocket.Accept(w, r, nil)
			if err != nil {
				return true
			}
			for _, m := range says {
				_ = conn.Write(r.Context(), websocket.MessageBinary, m)
			}
			for err == nil { // and says nothing more
				_, _, err = conn.Read(r.Context())
			}
			return true
		}
	}
	type change = func(*livekittest.Server, *livekit.Access)
	meets := func(by func(http.ResponseWriter, *http.Request) bool) change {
		return func(s *livekittest.Server, _ *livekit.Access) { s.Meets = by }
	}
	at := func(url string) change { return func(_ *livekittest.Server, a *livekit.Access) { a.URL = url } }
	const soon = 10 * time.Second // of a server that never does what is waited for
	nonsense := []byte("\x1a\x0a\x0a\x05offer\x12\x01x")
	for name, c := range map[string]struct {
		change change
		within time.Duration
		is     error
		says   string
	}{
		"the token is refused":  {func(s *livekittest.Server, _ *livekit.Access) { s.Key = "APIother" }, patience, livekit.ErrRefused, "401"},
		"it may not":            {meets(answers(403)), patience, livekit.ErrRefused, "403"},
		"there is no such room": {meets(answers(404)), patience, livekit.ErrNoRoom, "404"},
		"it leads elsewhere":    {meets(answers(302)), patience, livekit.ErrNoRoom, "302"},
		"it is broken":          {meets(answers(500)), patience, nil, "500"},
		"it opens no socket":    {meets(answers(200)), patience, livekit.ErrNoRoom, "200"},
		"it says nothing":       {meets(accepts()), soon, livekit.ErrNoSound, "no sound flows"},
		"it speaks another way": {meets(accepts([]byte("hello"))), patience, nil, "torn"},
		"it offers nonsense":    {meets(accepts(nonsense)), patience, nil, "cannot be taken"},
		"it answers no offer":   {func(s *livekittest.Server, _ *livekit.Access) { s.Deaf = true }, soon, livekit.ErrNoSound, "no sound"},
		"we may not be heard":   {func(s *livekittest.Server, _ *livekit.Access) { s.Mute = true }, patience, nil, "does not let us speak (2)"},
		"nobody is there":       {func(s *livekittest.Server, _ *livekit.Access) { s.Close() }, patience, nil, "cannot be reached"},
		"it is inside":          {func(_ *livekittest.Server, a *livekit.Access) { a.Inside = false }, patience, nil, "cannot be reached"},
		"it has no address":     {at("rooms"), patience, nil, "must be absolute"},
		"it is none of the web": {at("ftp://rooms"), patience, nil, "must be wss"},
		"there is no token": {func(_ *livekittest.Server, a *livekit.Access) {
			a.Token = func() (string, error) { return "", context.Canceled }
		},
			patience, context.Canceled, ""},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s, by := serve(t), line()
			at := access(s, "parley-agent", "agent")
			c.change(s, &at)
			leg, err := rooms(t, livekit.Config{Within: c.within}).Join(t.Context(), at, by, pacer)
			require.Nil(t, leg)
			require.ErrorContains(t, err, c.says)
			if c.is != nil {
				require.ErrorIs(t, err, c.is)
			}
			require.NotContains(t, err.Error(), "127.0.0.1")
			_, open := <-by.Facts()
			require.False(t, open, "the line is closed")
			require.Eventually(t, func() bool { return len(s.Who(room)) == 0 }, patience, 10*time.Millisecond)
		})
	}
}

// Where an agent of others is in the room, or comes while we wait for one, it has the room.
func TestAnotherAgentComesFirst(t *testing.T) {
	s := serve(t)
	r := rooms(t, livekit.Config{})
	joins(t, r, s, "their-agent", "agent")
	_, err := r.Join(t.Context(), access(s, "parley-agent", "agent"), line(), pacer)
	require.ErrorIs(t, err, livekit.ErrOther)

	s = serve(t)
	at := access(s, "parley-agent", "agent")
	at.Yields = patience
	go func() {
		for len(s.Who(room)) == 0 {
			select {
			case <-time.After(time.Millisecond):
			case <-t.Context().Done():
				return
			}
		}
		if token, err := s.Token("their-agent", room, "agent"); err == nil {
			_, _ = livekittest.Enter(t.Context(), s.URL, token)
		}
	}()
	_, err = r.Join(t.Context(), at, line(), pacer)
	require.ErrorIs(t, err, livekit.ErrOther)

	s = serve(t)
	at = access(s, "parley-agent", "agent")
	at.Yields = time.Millisecond
	leg, err := r.Join(t.Context(), at, line(), pacer)
	require.NoError(t, err, "nobody came")
	require.NoError(t, leg.HangUp(t.Context()))
}
