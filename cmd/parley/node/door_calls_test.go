//go:build !apache

package node_test

import (
	"bytes"
	"cmp"
	"context"
	"encoding/binary"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/coder/websocket"
	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	. "github.com/parley-platform/parley/adapters/telephony/siptest"
	"github.com/parley-platform/parley/adapters/voice"
	"github.com/parley-platform/parley/cmd/parley/node"
	"github.com/parley-platform/parley/domain/calls"
	"github.com/parley-platform/parley/domain/sessions"
	"github.com/parley-platform/parley/domain/voicemails"
	"github.com/parley-platform/parley/domain/wav"
	"github.com/parley-platform/parley/eventstore"
	"github.com/parley-platform/parley/handlers/reactors/voice/waiting"
)

// doorCall is somebody's call that comes by another door than a trunk: from a page, by Twilio's stream, or by a pipeline's socket.
type doorCall struct {
	session string
	call    string // empty: the one that the session knows as its own
	person  string // who calls, as the door says
	says    func(frame []byte) error
	hangsUp func()

	speaks atomic.Int64 // frames that they still speak
	leaves atomic.Int64 // frames that they speak when they have heard the beep
	beeps  atomic.Int64 // frames of the beep that they have heard
	waits  atomic.Int64 // how often they have heard that they wait
	loud   atomic.Int64 // frames that are loud
}

// beep is a frame of that behind which a message begins, and waits one of what who waits for people hears.
var beep, waits = secondOf(voicemails.Beep()), secondOf(waiting.Tone())

// secondOf is the second frame of a sound, as it is when it has come by mu-law.
func secondOf(sound []int16) []int16 {
	law := make([]byte, voice.FrameSamples)
	voice.MuLaw.Encode(law, sound[voice.FrameSamples:2*voice.FrameSamples])
	return heardBy(law)
}

func heardBy(law []byte) []int16 {
	out := make([]int16, len(law))
	voice.MuLaw.Decode(out, law)
	return out
}

// hears takes a frame.
func (d *doorCall) hears(frame []int16) {
	if slices.Equal(frame, beep) {
		if left := d.leaves.Swap(0); left > 0 { // at once: who says nothing for ten seconds leaves nothing
			d.speaks.Store(left)
		}
		d.beeps.Add(1)
	}
	if slices.Equal(frame, waits) {
		d.waits.Add(1)
	}
	if slices.Max(frame) > 6_000 {
		d.loud.Add(1)
	}
}

// microphone sends what they say, every 20 ms: syllables while they speak, else silence.
func (d *doorCall) microphone(t *testing.T) *doorCall {
	ctx, stop := context.WithCancel(context.Background())
	t.Cleanup(stop)
	loud, quiet := buzz()[:voice.FrameSamples], bytes.Repeat([]byte{0xff}, voice.FrameSamples)
	go func() {
		for n := 0; ctx.Err() == nil; n++ {
			frame := quiet
			if d.speaks.Add(-1) >= 0 && n%12 < 8 {
				frame = loud
			}
			if d.says(frame) != nil {
				return
			}
		}
	}()
	return d
}

// byPage is a call from a page.
func (w pageWorld) byPage(t *testing.T) *doorCall {
	got := w.grant(t, fields{"sessionId": "s-" + uuid.NewString()})
	p := newPage(t)
	require.NoError(t, p.Accept(t.Context(), brings(t, w.a, got.Token, p.Offer).must(t, 201).Text))
	d := &doorCall{session: got.SessionID, person: got.Identity, hangsUp: func() { _ = p.Close() }, says: func(frame []byte) error {
		return p.Say(t.Context(), frame)
	}}
	go func() {
		every := time.NewTicker(100 * time.Millisecond)
		defer every.Stop()
		for seen := 0; ; {
			select {
			case <-every.C:
			case <-p.Closed():
				return
			case <-t.Context().Done():
				return
			}
			all := p.Heard()
			for _, packet := range all[seen:] {
				d.hears(heardBy(packet.Payload))
			}
			seen = len(all)
		}
	}()
	return d.microphone(t)
}

// paced sends messages, 20 ms apart.
func paced(t *testing.T, conn *websocket.Conn, message func(frame []byte) (websocket.MessageType, []byte)) func([]byte) error {
	every := time.NewTicker(20 * time.Millisecond)
	t.Cleanup(every.Stop)
	return func(frame []byte) error {
		<-every.C
		kind, data := message(frame)
		return conn.Write(t.Context(), kind, data)
	}
}

func text(message fields) (websocket.MessageType, []byte) {
	data, _ := json.Marshal(message) // of plain members
	return websocket.MessageText, data
}

// byTwilio is a call by the stream of a telephone call.
func (w pageWorld) byTwilio(t *testing.T) *doorCall {
	p, call := newTwilioNumber(t, w.talkWorld), newCall()
	address, token := streamed(t, p.asks(t, w.a, voiceConnect, call, "ringing"))
	s, d := p.opens(t, w.a, address, call), &doorCall{person: "+15558675310"}
	sends := func(event string, more fields) (websocket.MessageType, []byte) {
		return text(fields{"event": event, "streamSid": "MZ1", "sequenceNumber": "1"}.and(more))
	}
	s.starts(t, token)
	d.says = paced(t, s.Conn, func(frame []byte) (websocket.MessageType, []byte) {
		return sends("media", fields{"media": fields{"track": "inbound", "payload": frame}})
	})
	d.hangsUp = func() { s.says(t, "stop", nil) }
	go func() {
		for {
			_, data, err := s.Read(t.Context())
			var m played
			if err != nil || json.Unmarshal(data, &m) != nil {
				return
			}
			switch m.Event {
			case "media":
				d.hears(heardBy(m.Media.Payload))
			case "mark":
				kind, back := sends("mark", fields{"mark": fields{"name": m.Mark.Name}})
				_ = s.Write(t.Context(), kind, back)
			}
		}
	}()
	d.session = w.interactionOf(t, call, is("status", "inProgress"))["sessionId"].(string)
	return d.microphone(t)
}

// byPipeline is a call by the socket of a pipeline that brings samples.
func (w pageWorld) byPipeline(t *testing.T) *doorCall {
	door := "shop-" + uuid.NewString()
	w.connect(t, fields{"channelType": "voice_pipeline", "externalIdentifier": door, "credentials": fields{"token": "hush-token"}})
	conn, _, err := websocket.Dial(t.Context(), "ws"+strings.TrimPrefix(w.a.URL(), "http")+"/api/v1/channels/voice_pipeline/socket/"+door+
		"?token=hush-token", &websocket.DialOptions{Subprotocols: []string{"pipeline.v1"}})
	require.NoError(t, err)
	t.Cleanup(func() { _ = conn.CloseNow() })
	p, d := pipe{conn}, &doorCall{person: "+15550007"}
	p.says(t, fields{"type": "start", "id": "1", "sessionId": "p-" + uuid.NewString(), "caller": d.person, "encoding": "pcm_s16le",
		"sampleRate": 8000})
	_, ready := p.hears(t, "ready")
	d.session = ready["sessionId"].(string)
	d.hangsUp = func() { p.says(t, fields{"type": "end"}) }
	d.says = paced(t, conn, func(frame []byte) (websocket.MessageType, []byte) {
		samples := make([]byte, 0, 2*len(frame))
		for _, v := range heardBy(frame) {
			samples = binary.LittleEndian.AppendUint16(samples, uint16(v))
		}
		return websocket.MessageBinary, samples
	})
	go func() {
		for {
			kind, data, err := conn.Read(t.Context())
			var m fields
			switch {
			case err != nil:
				return
			case kind == websocket.MessageBinary:
				d.hears(wav.Samples(data))
			case json.Unmarshal(data, &m) == nil && m["type"] == "mark":
				kind, back := text(m)
				_ = conn.Write(t.Context(), kind, back)
			}
		}
	}()
	return d.microphone(t)
}

// doors are the ways in which calls come that are not a trunk's.
func (w pageWorld) doors() map[string]func(*testing.T) *doorCall {
	return map[string]func(*testing.T) *doorCall{"from a page": w.byPage, "by Twilio": w.byTwilio, "by a pipeline": w.byPipeline}
}

// callOf is how a call stands.
func (w pageWorld) callOf(t *testing.T, d *doorCall) calls.State {
	t.Helper()
	s, err := eventstore.Read(t.Context(), w.a.Store(), sessions.Sessions, sessions.Sessions.Stream(d.session))
	require.NoError(t, err)
	call, err := eventstore.Read(t.Context(), w.a.Store(), calls.Calls, calls.Calls.Stream(cmp.Or(d.call, s.State.CallID)))
	require.NoError(t, err)
	return call.State
}

// Given callers from a page, by Twilio and by a pipeline, whose transfer waited in its queue for too long, when the queue takes voicemail,
// then each hears the beep, what they say behind it can be played, and it goes with them when they are erased.
func TestCallersByEveryDoorLeaveAVoicemail(t *testing.T) {
	t.Parallel()
	w := newPageWorld(t, func(*testing.T) func(*node.Config) { return erasesSoon })
	for name, door := range w.doors() {
		t.Run(name, func(t *testing.T) { w.leavesAVoicemail(t, door(t)) })
	}
}

func (w pageWorld) leavesAVoicemail(t *testing.T, d *doorCall) {
	t.Helper()
	d.leaves.Store(150)
	w.waitsInVain(t, d.session, d.person)
	until(t, "the beep", func() bool { return d.beeps.Load() > 0 })
	url, file := w.voicemailOf(t, d.session)
	require.Greater(t, slices.Max(wav.Samples(file[wav.HeaderBytes:])), int16(6_000), "it is what they said")
	left := w.callOf(t, d)
	require.Equal(t, []bool{true, true, true}, []bool{left.Answered(), left.MessageOver, left.MessageBlob != ""})
	d.hangsUp()
	if !strings.HasPrefix(d.person, "+") {
		return // nobody that can be erased by a name of their own
	}
	w.ask(t, "POST", erasuresPath, fields{"identities": []fields{{"kind": "telephone", "value": d.person}}}).must(t, 202)
	until(t, "the message to be gone", func() bool { return download(t, url).Status == 404 })
}

// Given callers from a page, by Twilio and by a pipeline, whose session goes to a person with a telephone, then that is called over the
// account's trunk, and each hears the other; when the caller hangs up, so is the person.
func TestCallersByEveryDoorTalkWithPeople(t *testing.T) {
	t.Parallel()
	w := newPageWorld(t, overSIP)
	telephone := w.personsTelephone(t, 3)
	for name, door := range w.doors() {
		t.Run(name, func(t *testing.T) { w.talksWithAPerson(t, door, false) })
	}
	telephone.Satisfied()
}

// Given a caller who talks with a person, when the session is handed back to its agent, then the person's telephone is hung up, and the
// agent goes on with the caller.
func TestACallIsHandedBackByAPerson(t *testing.T) {
	t.Parallel()
	w := newPageWorld(t, overSIP)
	telephone := w.personsTelephone(t, 1)
	w.talksWithAPerson(t, w.byTwilio, true)
	telephone.Satisfied()
}

// Given a caller who talks with a person, when their call goes to a queue in which nobody is free, then the person is hung up, and the
// caller hears that the call is still there, until somebody of the queue has it; where nobody comes in time, a message is taken.
func TestACallerWaitsForAQueueBehindAPerson(t *testing.T) {
	t.Parallel()
	w := newPageWorld(t, overSIP)
	telephone := w.personsTelephone(t, 2)
	desk := &transferDesk{tenant: w.tenant, c: w.cluster, auth: w.auth, hook: newReceiver(t, nil)}
	maria, tom := "a-"+uuid.NewString(), "a-"+uuid.NewString()
	w.agents(t, fields{"phoneNumber": "+15550000009"}, maria)
	w.presence(t, maria, "AVAILABLE", "")
	w.agents(t, fields{"phoneNumber": "+15550000010"}, tom)
	desk.queue(t, "q-day", fields{"waitTimeoutSeconds": 600}, tom)
	desk.queue(t, "q-night", fields{"waitTimeoutSeconds": 8, "onTimeout": "voicemail"})
	d := w.byTwilio(t)
	w.opened(t, d.session)
	require.Equal(t, "transferred", desk.assign(t, d.session, toAgent(maria)).Status)
	talks := func(who string) {
		until(t, who+" to talk", func() bool { s := w.callOf(t, d); return s.Person != nil && s.PersonCode == 200 && !s.PersonFree })
	}
	talks("Maria")

	require.Equal(t, "transferred", desk.assign(t, d.session, toQueue("q-day")).Status)
	until(t, "Maria to be let go", func() bool { return w.callOf(t, d).FreedPerson() != "" })
	before := d.waits.Load()
	until(t, "them to hear that they wait", func() bool { return d.waits.Load() > before+1 })

	w.presence(t, tom, "AVAILABLE", "")
	talks("Tom")
	before = d.loud.Load()
	d.speaks.Store(1 << 30)
	until(t, "what they say to come back from Tom's telephone", func() bool { return d.loud.Load() > before+25 })
	d.speaks.Store(0)

	d.leaves.Store(150)
	before = d.waits.Load()
	require.Equal(t, "transferred", desk.assign(t, d.session, toQueue("q-night")).Status)
	until(t, "them to hear that they wait again", func() bool { return d.waits.Load() > before })
	until(t, "the beep", func() bool { return d.beeps.Load() > 0 })
	w.voicemailOf(t, d.session)
	w.stands(t, "the agent to have it again", d.session, func(s sessions.State) bool { return s.Talk.People == nil })
	d.hangsUp()
	until(t, "the end", func() bool { return w.callOf(t, d).Ended() })
	telephone.Satisfied()
}

// Given a person whose telephone rings, when the caller hangs up, then the person is free again and has not answered: their transfer has
// failed, and call details tell of nobody who had the call.
func TestACallerDoesNotWaitForAPersonsTelephone(t *testing.T) {
	t.Parallel()
	w := newPageWorld(t, overSIP)
	telephone := w.telephoneThat(t, 1, Reply(180, "Ringing"), `<nop><action><exec command="touch rings"/></action></nop>`+"\n", Cancelled)
	desk := &transferDesk{tenant: w.tenant, c: w.cluster, auth: w.auth, hook: newReceiver(t, nil)}
	maria := "a-" + uuid.NewString()
	w.agents(t, fields{"phoneNumber": "+15550000009"}, maria)
	w.presence(t, maria, "AVAILABLE", "")
	d := w.byTwilio(t)
	w.opened(t, d.session)
	require.Equal(t, "transferred", desk.assign(t, d.session, toAgent(maria)).Status)
	until(t, "the telephone to ring", func() bool {
		_, err := os.Stat(filepath.Join(telephone.Dir, "rings"))
		return err == nil
	})

	d.hangsUp()
	desk.becomes(t, d.session, "failed", maria)
	require.Equal(t, "SESSION_ENDED", desk.row(t, d.session)["reason"])
	until(t, "Maria to be free", func() bool { return desk.load(t, maria) == 0 })
	until(t, "the end", func() bool { return w.callOf(t, d).Ended() })
	var page detailsPage
	until(t, "call details", func() bool {
		w.ask(t, "POST", detailsPath(w.id), fields{"startDate": time.Now().Add(-24 * time.Hour).UTC().Format(time.DateOnly),
			"endDate": time.Now().UTC().Format(time.DateOnly), "timeZoneOffset": 0}, "accountId", w.id, "iid", mainApp).must(t, 200).into(t, &page)
		return len(page.Data) == 1
	})
	require.Equal(t, []any{"User Hangup", "Abandoned"}, []any{page.Data[0]["disconnectingEvent"], page.Data[0]["finalStatus"]})
	require.Len(t, page.Data[0]["destinations"], 1)
	require.NotContains(t, page.Data[0]["destinations"].([]any)[0], "respondingAgent")
	telephone.Satisfied()
}

// personsTelephone is behind the trunk "desk", and gives back what it hears.
func (w pageWorld) personsTelephone(t *testing.T, calls int) *Peer {
	t.Helper()
	return w.telephoneThat(t, calls, Reply(180, "Ringing"), ReplySDP(200, "OK", Sound("[media_port]")), ACK, BYE, ReplyOK)
}

// telephoneThat is behind the trunk "desk".
func (w pageWorld) telephoneThat(t *testing.T, calls int, does ...string) *Peer {
	t.Helper()
	telephone := SIPp(t, Scenario(does...), calls, "-rtp_echo")
	w.apply(t, "Trunk", "", "desk", fields{"provider": "sip", "address": fmt.Sprintf("%s:%d", Host, telephone.Port), "optionsSeconds": 0})
	return telephone
}

func (w pageWorld) talksWithAPerson(t *testing.T, door func(*testing.T) *doorCall, handedBack bool) {
	t.Helper()
	desk := &transferDesk{tenant: w.tenant, c: w.cluster, auth: w.auth, hook: newReceiver(t, nil)}
	maria := "a-" + uuid.NewString()
	w.agents(t, fields{"phoneNumber": "+15550000009"}, maria)
	w.presence(t, maria, "AVAILABLE", "")
	d := door(t)
	w.opened(t, d.session)
	require.Equal(t, "transferred", desk.assign(t, d.session, toAgent(maria)).Status)
	var call calls.State
	defer func() {
		if t.Failed() {
			t.Logf("what came of the person: %d, of %+v", call.PersonCode, call.Person)
		}
	}()
	until(t, "the person to talk", func() bool {
		call = w.callOf(t, d)
		return call.PersonCode == 200
	})
	require.Equal(t, "desk", call.Person.Trunk)
	before := d.loud.Load()
	d.speaks.Store(1 << 30)
	until(t, "what they say to come back from the person's telephone", func() bool { return d.loud.Load() > before+25 })
	if handedBack {
		w.goesOnBehindAPerson(t, d)
	}
	d.hangsUp()
	desk.becomes(t, d.session, "ended", maria)
	until(t, "the end", func() bool { return w.callOf(t, d).Ended() })
}

// goesOnBehindAPerson has the session of a call handed back: the person is hung up, and its agent answers the caller again.
func (w pageWorld) goesOnBehindAPerson(t *testing.T, d *doorCall) {
	t.Helper()
	d.speaks.Store(0)
	w.peoples(t, d.session)
	w.ask(t, "POST", sessionsPath+"/"+d.session+"/handback", nil).must(t, 200)
	until(t, "the person to be let go", func() bool { return w.callOf(t, d).FreedPerson() != "" })
	said := len(w.callOf(t, d).Said)
	until(t, "the agent to answer", func() bool {
		if d.speaks.Load() < -100 { // they say something, wait two seconds, and say it again
			d.speaks.Store(50)
		}
		return len(w.callOf(t, d).Said) > said
	})
	require.False(t, w.callOf(t, d).Ended())
}
