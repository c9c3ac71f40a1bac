package traces

import (
	"cmp"
	"context"
	"encoding/json"
	"net/http"
	"strconv"
	"time"

	"github.com/danielgtaylor/huma/v2"
	"github.com/danielgtaylor/huma/v2/adapters/humamux"
	"github.com/prometheus/client_golang/prometheus"

	"github.com/parley-platform/parley/domain/access"
	"github.com/parley-platform/parley/domain/fault"
	"github.com/parley-platform/parley/domain/plainjson"
	"github.com/parley-platform/parley/domain/sessions"
	"github.com/parley-platform/parley/eventstore"
	"github.com/parley-platform/parley/handlers/rest"
	"github.com/parley-platform/parley/handlers/rest/eventstream"
	"github.com/parley-platform/parley/handlers/rest/runtime"
	"github.com/parley-platform/parley/projections/engine"
)

// StreamAPI is what the stream of a session needs.
type StreamAPI struct {
	API
	Follow    func(stream string) (*engine.Follower, error)
	Index     streamIndex
	Keys      eventstore.Keys
	Heartbeat time.Duration // 0: 15 s
	PerTenant int           // that are open on a node; 0: 100
}

// streamIndex reads streams from where somebody is.
type streamIndex interface {
	After(ctx context.Context, stream string, version int64, most int) ([]*eventstore.Record, error)
	Heads(ctx context.Context, streams []string) (map[string]eventstore.Head, error)
}

const streamPage = 100 // events that are read at once

// DeclareStream adds the stream of a session.
func DeclareStream(api *rest.API, x StreamAPI) {
	x.Heartbeat, x.PerTenant = cmp.Or(x.Heartbeat, 15*time.Second), cmp.Or(x.PerTenant, 100)
	open := &eventstream.Places{Of: "session streams", PerTenant: x.PerTenant}
	if measure := api.Measure(); measure != nil {
		measure.MustRegister(prometheus.NewGaugeFunc(prometheus.GaugeOpts{Name: "parley_session_streams",
			Help: "Readers of GET /api/projects/{projectId}/sessions/{id}/stream on this node."}, open.Count))
	}
	path := sessionPath + "/stream"
	rest.Declare(api, rest.Operation{
		ID: "stream-session", Method: http.MethodGet, Path: path, Extension: true, Tags: []string{tag},
		Summary: "Follow what happens in a session, as Server-Sent Events",
		Description: "From its beginning, or behind Last-Event-ID: nothing is missed and nothing comes twice, on any node. Each event has `id` " +
			"(its position in the session's stream), `event` (its type) and `data` on one line: id, type, version, time, actor and data, as " +
			"list-events shows them. What is personal is `[sealed]` without the permission personal:read. A comment comes every 15 seconds. " +
			"The stream goes on behind the session's end, and ends when the credential does or the node stops.",
		Requirement: access.Needs(access.PermSessionRead), Resolve: x.Chat.SessionOfPath(), Refusals: []fault.Code{fault.Gone, fault.RateLimit},
	}, func(ctx context.Context, in *streamIn) (*huma.StreamResponse, error) {
		s, err := x.stream(ctx, in)
		if err != nil {
			return nil, err
		}
		return &huma.StreamResponse{Body: func(hc huma.Context) {
			answer := rest.LongAnswerOf(ctx)
			leave, err := open.Enter(rest.PrincipalOf(ctx).TenantID)
			if err != nil {
				answer.Refuse(ctx, err)
				return
			}
			defer leave()
			r, w := humamux.Unwrap(hc)
			s.serve(ctx, answer, r, w)
		}}, nil
	})
	answer := api.Description().Paths[path].Get.Responses["200"]
	answer.Description = "A stream that ends only for the reasons above"
	answer.Content = map[string]*huma.MediaType{eventstream.Format: {Schema: &huma.Schema{Type: huma.TypeString}}}
}

type streamIn struct {
	runtime.SessionPath
	LastEventID string `header:"Last-Event-ID" doc:"The id of the last event that was received: the stream goes on behind it."`
}

// sessionStream is one reader's stream.
type sessionStream struct {
	StreamAPI
	stands func(context.Context) (access.Principal, error) // who the reader is now
	stream string
	at     int64 // version of the last event that was sent
}

func (x StreamAPI) stream(ctx context.Context, in *streamIn) (*sessionStream, error) {
	s := &sessionStream{StreamAPI: x, stream: sessions.Sessions.Stream(runtime.SessionOf(ctx).SessionID)}
	if in.LastEventID == "" {
		return s, nil
	}
	var err error
	if s.at, err = strconv.ParseInt(in.LastEventID, 10, 64); err != nil || s.at < 0 {
		return nil, fault.Field("Last-Event-ID", "must be the id of an event of this stream")
	}
	heads, err := x.Index.Heads(ctx, []string{s.stream})
	if err == nil && heads[s.stream].Version < s.at {
		err = fault.New(fault.Gone, "Last-Event-ID: the session has no such event; begin again without it")
	}
	return s, err
}

// serve writes events until the reader goes, the credential ends or the node stops.
func (s *sessionStream) serve(ctx context.Context, answer rest.LongAnswer, r *http.Request, w http.ResponseWriter) {
	news, err := s.Follow(s.stream)
	if err != nil {
		answer.Refuse(ctx, err)
		return
	}
	defer news.Stop()
	ctx, cancel := context.WithCancel(r.Context())
	defer cancel()
	defer answer.EndsWithNode(cancel)()
	answer.MayTakeLong()
	s.stands = answer.Standing(r)
	w.Header().Set("Cache-Control", "no-cache, no-transform")
	out := eventstream.Open(w, s.Heartbeat*4/3)
	defer out.Release()
	beat := time.NewTicker(s.Heartbeat)
	defer beat.Stop()
	err = out.Send([]byte("retry: 2000\nid: " + strconv.FormatInt(s.at, 10) + "\n\n"))
	for more := true; err == nil && ctx.Err() == nil; {
		if more {
			more, err = s.more(ctx, answer, out)
			continue
		}
		select {
		case <-ctx.Done():
		case <-news.C():
			more = true
		case <-beat.C:
			if _, err = eventstream.Standing(ctx, out, s.stands); err == nil {
				err, more = out.Remark("still here"), true // also what could not be read at the last news
			}
		}
	}
}

// more sends one page, and says whether there may be another. While the read models catch up
// there is nothing; the next heartbeat looks again.
func (s *sessionStream) more(ctx context.Context, answer rest.LongAnswer, out *eventstream.Writer) (bool, error) {
	answer.Look()
	records, err := s.Index.After(ctx, s.stream, s.at, streamPage)
	if err != nil || len(records) == 0 || answer.Holds(ctx) != nil {
		return false, nil
	}
	who, err := eventstream.Standing(ctx, out, s.stands) // what comes after a credential's end is not for who had it
	if err != nil {
		return false, err
	}
	if !who.HasPermission(access.PermPersonalRead) {
		eventstore.Shut(sessions.Sessions.Category, records...)
	} else if eventstore.Open(ctx, s.Keys, sessions.Sessions.Category, records...) != nil {
		return false, nil
	}
	for _, r := range records {
		data, err := plainjson.Of(streamedEvent{r.ID, r.Type, r.Version, r.Time.UTC().Format(time.RFC3339Nano), r.Actor, r.Data})
		if err == nil {
			err = out.Send(eventstream.Of(strconv.FormatInt(r.Version, 10), r.Type, data))
		}
		if err != nil {
			return false, err
		}
		s.at = r.Version
	}
	return len(records) == streamPage, nil
}

// streamedEvent is the data of one event.
type streamedEvent struct {
	ID      string          `json:"id"`
	Type    string          `json:"type"`
	Version int64           `json:"version"`
	Time    string          `json:"time"`
	Actor   string          `json:"actor"`
	Data    json.RawMessage `json:"data"`
}
