// Package timeline shows one call from its request to its end: what was heard, said and decided, how
// loud both sides were meanwhile, as members and as a picture, and its recording.
//
// It owns how a call is shown. It reads the call's stream, changes nothing, and shows of keys that were
// pressed only how many they were: they may be the number of a card.
package timeline

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"strings"
	"time"

	"github.com/danielgtaylor/huma/v2"
	"github.com/danielgtaylor/huma/v2/adapters/humamux"

	"github.com/parley-platform/parley/domain/access"
	"github.com/parley-platform/parley/domain/calls"
	"github.com/parley-platform/parley/domain/fault"
	"github.com/parley-platform/parley/eventstore"
	"github.com/parley-platform/parley/handlers/rest"
	"github.com/parley-platform/parley/projections/voice"
)

// API is what the operations need.
type API struct {
	rest.Commands
	Calls interface {
		Of(ctx context.Context, tenant, project, conversationID string) (voice.Call, bool, error)
	}
	Recordings interface {
		Open(ctx context.Context, name string) (io.ReadSeekCloser, error) // fault.NotFound: it is gone
	}
}

const path = "/api/v1/projects/{projectId}/interactions/{conversationId}"

// mostShown is how many entries a timeline has, the first ones.
const mostShown = 2_000

// Declare adds the operations.
func Declare(api *rest.API, x API) {
	operation := func(id, at, summary, more string, refusals ...fault.Code) rest.Operation {
		return rest.Operation{ID: id, Method: http.MethodGet, Path: path + at, Extension: true, Tags: []string{"Interactions"},
			Summary: summary, Description: more, Requirement: access.Needs(access.PermSessionRead),
			Resolve: rest.ProjectFrom("projectId"), Refusals: append(refusals, fault.NotFound)}
	}
	produces := func(at, media, what string) {
		answer := api.Description().Paths[path+at].Get.Responses["200"]
		answer.Description = what
		answer.Content = map[string]*huma.MediaType{media: {Schema: &huma.Schema{Type: huma.TypeString, Format: "binary"}}}
	}
	rest.Declare(api, operation("get-interaction", "", "One call with its timeline", fmt.Sprintf("What happened in it, "+
		"oldest first, at most %d "+
		"entries; of keys that were pressed only how many. Figures and levels of its sound are there when it is over, and where it had some.",
		mostShown)), x.get)
	rest.Declare(api, operation("draw-interaction", "/timeline.svg", "The timeline of a call as a picture",
		"The levels of both sides over time, with what was heard, said and decided beside them."), x.draw)
	produces("/timeline.svg", "image/svg+xml", "A picture without scripts and without anything from elsewhere.")
	rest.Declare(api, operation("play-interaction", "/recording", "The recording of a call",
		"A WAV file of two channels, the person's first. It takes Range. 404 where nobody "+
			"asked for a recording, and while it is not stored yet.", fault.Unavailable),
		x.play)
	produces("/recording", "audio/wav", "16-bit PCM at 8 kHz.")
}

type callIn struct {
	ProjectID      string `path:"projectId" doc:"A project's id or alias."`
	ConversationID string `path:"conversationId" maxLength:"128" doc:"The call's id."`
}

// entry is one thing that happened.
type entry struct {
	At     string `json:"at" format:"date-time"`
	Kind   string `json:"kind" example:"heard" doc:"The event's name on the log."`
	Who    string `json:"who,omitempty" enum:"person,agent,carrier,detection" doc:"Whose doing it is."`
	Text   string `json:"text,omitempty" doc:"What was heard, said, or found out. [erased] when the person was erased."`
	Detail string `json:"detail,omitempty" doc:"More of it, for people."`

	when time.Time
}

type levels struct {
	EveryMs int64 `json:"everyMs" doc:"Of each step."`
	Heard   []int `json:"heard" doc:"The person: decibels over -90 dBFS."`
	Said    []int `json:"said" doc:"The agent, the same."`
}

type sounded struct {
	ReceivedPackets int      `json:"receivedPackets"`
	LostFrames      int      `json:"lostFrames"`
	LatePackets     int      `json:"latePackets"`
	JitterMs        float64  `json:"jitterMs"`
	RFactor         float64  `json:"rFactor" doc:"By the E-model; 0: nothing was received."`
	Turns           int      `json:"turns"`
	BargeIns        int      `json:"bargeIns"`
	DigitTurns      int      `json:"digitTurns"`
	UnreadTurns     int      `json:"unreadTurns" doc:"Turns of speech that nobody recognised."`
	LatencyMs       *int64   `json:"latencyMs" doc:"From the end of speech to the first sound of the answer."`
	Confidence      *float64 `json:"confidence"`
	SilencePercent  float64  `json:"silencePercent"`
	Levels          *levels  `json:"levels,omitempty"`
}

type tapeOut struct {
	DurationMs int64  `json:"durationMs"`
	SizeBytes  int64  `json:"sizeBytes"`
	CutOff     bool   `json:"cutOff" doc:"It ends before the call did."`
	SHA256     string `json:"sha256"`
}

type interactionOut struct {
	Body struct {
		Success        bool     `json:"success"`
		ConversationID string   `json:"conversationId"`
		Status         string   `json:"status"`
		Timeline       []entry  `json:"timeline"`
		LeftOut        int      `json:"leftOut" doc:"Entries behind these."`
		Sound          *sounded `json:"sound,omitempty"`
		Recording      *tapeOut `json:"recording,omitempty"`
	}
}

// story is a call as its stream tells it.
type story struct {
	call    voice.Call
	state   calls.State
	entries []entry
	quality *calls.Sounded
}

// find is the row of a call that whoever asks may see.
func (x API) find(ctx context.Context, in *callIn) (found voice.Call, err error) {
	unknown := fault.New(fault.NotFound, "there is no such call")
	if !access.ValidID(in.ConversationID) {
		return found, unknown
	}
	found, ok, err := x.Calls.Of(ctx, rest.PrincipalOf(ctx).TenantID, rest.ProjectOf(ctx).ID, in.ConversationID)
	if err != nil {
		return found, fmt.Errorf("finding a call: %w", err)
	}
	if !ok {
		return found, unknown
	}
	return found, nil
}

func (x API) read(ctx context.Context, in *callIn) (s story, err error) {
	if s.call, err = x.find(ctx, in); err != nil {
		return s, err
	}
	told, err := eventstore.History(ctx, x.Store, calls.Calls, calls.Calls.Stream(s.call.ConversationID))
	if err != nil {
		return s, fmt.Errorf("reading a call: %w", err)
	}
	s.state = told.State
	for _, e := range told.Events {
		if q, is := e.Payload.(calls.QualityMeasured); is {
			s.quality = &q.Sounded
		}
		if one, shown := entryOf(e.Payload); shown {
			one.At = rest.ISOTime(&one.when)
			s.entries = append(s.entries, one)
		}
	}
	return s, nil
}

func (x API) get(ctx context.Context, in *callIn) (*interactionOut, error) {
	s, err := x.read(ctx, in)
	if err != nil {
		return nil, err
	}
	out := &interactionOut{}
	out.Body.Success, out.Body.ConversationID, out.Body.Status = true, s.call.ConversationID, string(s.call.Status)
	out.Body.Timeline = s.entries[:min(len(s.entries), mostShown)]
	out.Body.LeftOut = len(s.entries) - len(out.Body.Timeline)
	if r := s.state.Recording; r.Blob != "" && !s.state.Forgotten {
		out.Body.Recording = &tapeOut{DurationMs: r.Ms, SizeBytes: r.SizeBytes, CutOff: r.CutOff, SHA256: r.SHA256}
	}
	if q := s.quality; q != nil {
		out.Body.Sound = &sounded{ReceivedPackets: q.Received, LostFrames: q.Lost, LatePackets: q.Late, JitterMs: q.JitterMs,
			RFactor: q.RFactor, Turns: q.Turns, BargeIns: q.BargeIns, DigitTurns: q.DigitTurns, UnreadTurns: q.Unread,
			LatencyMs: q.LatencyMs, SilencePercent: q.SilencePercent}
		if q.Confidence > 0 {
			out.Body.Sound.Confidence = &q.Confidence
		}
		if l := q.Levels; l != nil {
			out.Body.Sound.Levels = &levels{EveryMs: l.EveryMs, Heard: whole(l.Heard), Said: whole(l.Said)}
		}
	}
	return out, nil
}

func whole(in []byte) []int {
	out := make([]int, len(in))
	for i, v := range in {
		out[i] = int(v)
	}
	return out
}

func (x API) draw(ctx context.Context, in *callIn) (*huma.StreamResponse, error) {
	s, err := x.read(ctx, in)
	if err != nil {
		return nil, err
	}
	picture := draw(s)
	return &huma.StreamResponse{Body: func(hc huma.Context) {
		r, w := humamux.Unwrap(hc)
		h := w.Header()
		h.Set("Content-Type", "image/svg+xml")
		h.Set("Content-Security-Policy", "default-src 'none'; style-src 'unsafe-inline'")
		h.Set("Cache-Control", "private, no-store")
		http.ServeContent(w, r, "", time.Time{}, strings.NewReader(picture))
	}}, nil
}

func (x API) play(ctx context.Context, in *callIn) (*huma.StreamResponse, error) {
	call, err := x.find(ctx, in)
	if err != nil {
		return nil, err
	}
	now, err := eventstore.Read(ctx, x.Store, calls.Calls, calls.Calls.Stream(call.ConversationID))
	if err != nil {
		return nil, fmt.Errorf("reading a call: %w", err)
	}
	recording := now.State.Recording
	if recording.Blob == "" || now.State.Forgotten {
		return nil, fault.New(fault.NotFound, "there is no recording of the call")
	}
	return &huma.StreamResponse{Body: func(hc huma.Context) {
		r, w := humamux.Unwrap(hc)
		ctx, cancel := context.WithCancel(r.Context())
		defer cancel()
		long := rest.LongAnswerOf(r.Context())
		defer long.EndsWithNode(cancel)()
		long.MayTakeLong()
		content, err := x.Recordings.Open(ctx, recording.Blob)
		if err != nil {
			if !fault.Is(err, fault.NotFound) {
				err = fault.New(fault.Unavailable, "the recording cannot be read at the moment").Because(
					fmt.Errorf("the recording of call %s: %w", call.ConversationID, err))
			}
			long.Refuse(r.Context(), err)
			return
		}
		defer func() { _ = content.Close() }()
		h := w.Header()
		h.Set("Content-Type", "audio/wav")
		h.Set("Content-Disposition", `attachment; filename="call-`+call.ConversationID+`.wav"`)
		h.Set("Cache-Control", "private, no-store")
		http.ServeContent(w, r, "", recording.At, content)
	}}, nil
}
