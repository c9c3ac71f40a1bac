package audit

import (
	"bytes"
	"cmp"
	"context"
	"net/http"
	"time"

	"github.com/danielgtaylor/huma/v2"
	"github.com/danielgtaylor/huma/v2/adapters/humamux"
	"github.com/prometheus/client_golang/prometheus"

	"github.com/parley-platform/parley/domain/access"
	"github.com/parley-platform/parley/domain/fault"
	"github.com/parley-platform/parley/handlers/rest"
	"github.com/parley-platform/parley/handlers/rest/eventstream"
	"github.com/parley-platform/parley/projections/audit"
)

// Streams read the same index as the list, from a position of their own, and wait
// for the bell when they have read everything. Nothing is kept for a reader: a slow
// one is merely further behind, and one that takes nothing for four thirds of a
// heartbeat is cut off and goes on later with Last-Event-ID, on any node.
const (
	streamHeartbeat  = 15 * time.Second
	streamsPerTenant = 20
	streamsPerNode   = 1000
	streamEvents     = 100               // read at once
	streamBytes      = 256 << 10         // of their data, or one larger event
	reconnectAfter   = "retry: 2000\n\n" // milliseconds
)

// streamIn is the input of the stream.
type streamIn struct {
	EventFilter
	LastEventID string `header:"Last-Event-ID" doc:"The id of the last event that was received: the stream goes on behind it. Wins over since, which only filters then."`
	LastEvent   string `query:"lastEventId" doc:"The same, for callers that cannot set headers. The header wins."`
}

// orDefault has the usual bounds where none are set.
func (e EventsAPI) orDefault() EventsAPI {
	e.Heartbeat = cmp.Or(e.Heartbeat, streamHeartbeat)
	e.PerTenant, e.PerNode = cmp.Or(e.PerTenant, streamsPerTenant), cmp.Or(e.PerNode, streamsPerNode)
	return e
}

func (e EventsAPI) declareStream(api *rest.API) {
	e = e.orDefault()
	open := &eventstream.Places{Of: "event streams", PerTenant: e.PerTenant, PerNode: e.PerNode}
	if measure := api.Measure(); measure != nil {
		measure.MustRegister(prometheus.NewGaugeFunc(prometheus.GaugeOpts{Name: "parley_event_streams",
			Help: "Readers of GET /api/v1/events/stream on this node."}, open.Count))
	}
	rest.Declare(api, rest.Operation{
		ID: "stream-events", Method: "GET", Path: "/api/v1/events/stream", Extension: true, Tags: []string{"Audit"},
		Summary: "Follow what happens in the account, as Server-Sent Events",
		Description: "Each event has `id` (a position to go on from), `event` (its type) and `data` (the event as the list shows it, on one " +
			"line). " +
			"With Last-Event-ID the stream goes on exactly there: nothing is missed and nothing comes twice, on any node, after restarts, and " +
			"after the read models were built anew. " +
			"Without it the stream begins with what happens from now on, or with what happened since `since`. " +
			"Events of one stream come in the order of their versions. A comment comes every 15 seconds; an id without data is a position to " +
			"remember. " +
			"The stream ends when the credential does, when the node stops, and when nothing is taken for 20 seconds; connect again with " +
			"Last-Event-ID.",
		Requirement: access.Needs(access.PermAuditRead), Refusals: []fault.Code{fault.Gone, fault.RateLimit},
	}, func(ctx context.Context, in *streamIn) (*huma.StreamResponse, error) {
		s, err := e.newStream(ctx, in)
		if err != nil {
			return nil, err
		}
		return &huma.StreamResponse{Body: func(hc huma.Context) {
			x := rest.LongAnswerOf(ctx)
			leave, err := open.Enter(rest.PrincipalOf(ctx).TenantID)
			if err != nil {
				x.Refuse(ctx, err)
				return
			}
			defer leave()
			r, w := humamux.Unwrap(hc)
			s.serve(x, r, w)
		}}, nil
	})
	answer := api.Description().Paths["/api/v1/events/stream"].Get.Responses["200"]
	answer.Description = "A stream that ends only for the reasons above"
	answer.Content = map[string]*huma.MediaType{eventstream.Format: {Schema: &huma.Schema{Type: huma.TypeString}}}
}

// eventStream is one reader's stream.
type eventStream struct {
	api    EventsAPI
	stands func(context.Context) (access.Principal, error) // who the reader is now
	query  audit.Query
	sealer sealer
}

// newStream finds where the stream begins.
func (e EventsAPI) newStream(ctx context.Context, in *streamIn) (*eventStream, error) {
	tenant := rest.PrincipalOf(ctx).TenantID
	q, err := in.query(tenant, "")
	if err != nil {
		return nil, err
	}
	q.Limit, q.MaxBytes = streamEvents, streamBytes
	s := &eventStream{api: e, query: q, sealer: sealer{mac: e.MAC, log: e.Audit.LogID(), kind: "event",
		of: []string{tenant}}}
	last, field := in.LastEventID, "Last-Event-ID"
	if last == "" {
		last, field = in.LastEvent, "lastEventId"
	}
	switch {
	case last != "":
		s.query.From, err = e.resume(ctx, s.sealer, field, last)
	case q.Since.IsZero():
		s.query.From, err = e.Audit.Newest(ctx, tenant)
	default:
		s.query.From = audit.Positions{}
	}
	return s, err
}

// resume is the position of a token, if this log has been there.
func (e EventsAPI) resume(ctx context.Context, s sealer, field, token string) (audit.Positions, error) {
	at, err := s.openOf(field, token)
	if err != nil {
		return nil, err
	}
	reached, err := e.Audit.Reached(ctx, at)
	if err == nil && !reached {
		err = fault.New(fault.Gone, "%s: the log ends before this position: its end was lost; begin again without it", field)
	}
	return at, err
}

// serve writes events until the reader goes, the credential ends or the node stops.
func (s *eventStream) serve(x rest.LongAnswer, r *http.Request, w http.ResponseWriter) {
	ctx, cancel := context.WithCancel(r.Context())
	defer cancel()
	defer x.EndsWithNode(cancel)()
	x.MayTakeLong()
	s.stands = x.Standing(r)
	out := eventstream.Open(w, s.api.Heartbeat*4/3)
	defer out.Release()
	news := s.api.Audit.Follow(s.query.Tenant)
	defer news.Stop()
	beat := time.NewTicker(s.api.Heartbeat)
	defer beat.Stop()
	err := out.Send([]byte(reconnectAfter + "id: " + s.sealer.seal(s.query.From) + "\n\n"))
	for err == nil && ctx.Err() == nil {
		more := s.more(ctx, x, out, &err)
		if err != nil {
			return
		}
		if !more {
			select {
			case <-ctx.Done():
				return
			case <-news.C():
			case <-beat.C:
				err = s.heartbeat(ctx, out)
			}
			continue
		}
		select {
		case <-beat.C:
			err = s.heartbeat(ctx, out)
		default:
		}
	}
}

// more reads and writes one page. While the read models catch up, or are out of
// reach, there is nothing, and the next heartbeat looks again.
func (s *eventStream) more(ctx context.Context, x rest.LongAnswer, out *eventstream.Writer, failed *error) bool {
	x.Look()
	page, err := s.api.Audit.Read(ctx, s.query)
	if err != nil || x.Holds(ctx) != nil {
		return false
	}
	if len(page.Events) > 0 { // what comes after a credential's end is not for who had it
		who, err := eventstream.Standing(ctx, out, s.stands)
		if *failed = err; err != nil || s.api.personal(ctx, who, page.Events) != nil {
			return false
		}
	}
	at := s.query.From.Clone()
	var b bytes.Buffer
	for _, r := range page.Events {
		at[audit.Partition{Topic: r.Topic, Number: r.Partition}] = r.Offset + 1
		data, err := EventJSON(r)
		if err != nil {
			*failed = err
			return false
		}
		b.Write(eventstream.Of(s.sealer.seal(at), r.Type, data))
	}
	s.query.From = page.Next
	if b.Len() > 0 {
		*failed = out.Send(b.Bytes())
	}
	return page.More
}

// heartbeat shows that the stream lives and how far it came, if the credential still
// holds.
func (s *eventStream) heartbeat(ctx context.Context, out *eventstream.Writer) error {
	if _, err := eventstream.Standing(ctx, out, s.stands); err != nil {
		return err
	}
	return out.Send([]byte(": still here\nid: " + s.sealer.seal(s.query.From) + "\n\n"))
}
