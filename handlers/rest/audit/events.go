package audit

import (
	"context"
	"strings"
	"time"

	"github.com/parley-platform/parley/domain/access"
	"github.com/parley-platform/parley/domain/fault"
	"github.com/parley-platform/parley/eventstore"
	"github.com/parley-platform/parley/handlers/rest"
	"github.com/parley-platform/parley/handlers/rest/jsontext"
	"github.com/parley-platform/parley/projections/audit"
)

// EventsAPI is what the audit operations need.
type EventsAPI struct {
	Keys  eventstore.Keys // opens what is personal; nil: nothing is sealed
	Audit auditReads
	MAC   func(purpose string, parts ...string) []byte // of the key that all nodes share

	Heartbeat time.Duration // between signs of life of a stream, when its credential is looked at again; 0: 15 s
	PerTenant int           // streams that one tenant may have on this node; 0: 20
	PerNode   int           // streams of all tenants on this node; 0: 1,000
}

// auditReads knows the accepted events of each tenant.
type auditReads interface {
	LogID() string
	Read(ctx context.Context, q audit.Query) (audit.Page, error)
	Newest(ctx context.Context, tenant string) (audit.Positions, error)
	Reached(ctx context.Context, at audit.Positions) (bool, error)
	Follow(tenant string) *audit.Follower
}

const (
	pageBytes = 8 << 20     // of the data of a page's events
	searching = time.Second // how long one request looks for the first event that fits
)

// eventsIn is the input of the list.
type eventsIn struct {
	EventFilter
	Until  string `query:"until" maxLength:"64" doc:"Only events before this time, RFC 3339." example:"2026-11-22T00:00:00Z"`
	Order  string `query:"order" enum:"asc,desc" default:"asc" doc:"asc: the oldest first, the newest last. desc: the newest first, as of the first page."`
	Limit  int    `query:"limit" default:"50" minimum:"1" maximum:"200" doc:"Events to return at most. A page has fewer when their data is larger than 8 MiB together, or few of those looked at fit."`
	Cursor string `query:"cursor" doc:"nextCursor of the page before, with the same filters and order."`
}

// auditEvent is one event as the list and the stream show it.
type auditEvent struct {
	ID            string         `json:"id" format:"uuid" doc:"ce_id on the log."`
	Type          string         `json:"type" example:"parley.calls.answered.v1"`
	Stream        string         `json:"stream" example:"call-018f3c9a-52f6-7a1e-8d0b-9f3e2b7c41d8" doc:"The aggregate that changed."`
	Version       int64          `json:"version" doc:"Position in its stream, from 1."`
	Time          string         `json:"time" format:"date-time" doc:"When it was decided: the clock of the node that did. The order of a stream is its versions, not its times."`
	TenantID      string         `json:"tenantId"`
	Actor         string         `json:"actor" example:"user:ada@acme-console" doc:"Who caused it: user:<sub>@<client>, key:<key id>, reactor:<name>, timer:<name>."`
	CorrelationID string         `json:"correlationId" doc:"The X-Request-Id of the request that it all began with."`
	CausationID   string         `json:"causationId" doc:"The event or request that this one came of."`
	Data          jsontext.Shown `json:"data" doc:"As it stands on the log, in the version that type names; secrets are sealed. What is personal is [sealed] without the permission personal:read, and [erased] when it was."`
	Position      eventPosition  `json:"position" doc:"Where it stands on the log."`
}

type eventPosition struct {
	Topic     string `json:"topic" example:"parley.calls"`
	Partition int    `json:"partition"`
	Offset    int64  `json:"offset"`
}

func auditEventOf(r *eventstore.Record) auditEvent {
	return auditEvent{ID: r.ID, Type: r.Type, Stream: r.Stream, Version: r.Version, Time: r.Time.UTC().Format(time.RFC3339Nano),
		TenantID: r.Tenant,
		Actor:    r.Actor, CorrelationID: r.CorrelationID, CausationID: r.CausationID, Data: jsontext.Shown(shallow(r.Data)),
		Position: eventPosition{Topic: r.Topic, Partition: r.Partition, Offset: r.Offset}}
}

// EventJSON is an accepted event in the form of GET /api/v1/events, on one line.
func EventJSON(r *eventstore.Record) ([]byte, error) {
	var b strings.Builder
	if err := rest.MarshalPlainly(&b, auditEventOf(r)); err != nil {
		return nil, err
	}
	return []byte(strings.TrimSuffix(b.String(), "\n")), nil
}

type listEventsOut struct {
	Body struct {
		Success    bool         `json:"success"`
		Events     []auditEvent `json:"events"`
		NextCursor string       `json:"nextCursor,omitempty" doc:"For the next page; absent when there is nothing more now."`
	}
}

// DeclareEvents adds the audit (extension; docs/architecture.md "Who may do what":
// tenants read their events here, the topics are the server's).
func DeclareEvents(api *rest.API, e EventsAPI) {
	rest.Declare(api, rest.Operation{
		ID: "list-events", Method: "GET", Path: "/api/v1/events", Extension: true, Tags: []string{"Audit"},
		Summary: "List what happened in the account: every event that counts, oldest first",
		Description: "Events of one stream are in the order of their versions, events of one partition in that of their offsets; between " +
			"partitions the order is by time. " +
			"Pages go by offsets: whatever is written meanwhile, following nextCursor misses nothing and gives nothing twice. " +
			"A page with a nextCursor may hold fewer events than limit, even none.",
		Requirement: access.Needs(access.PermAuditRead), Refusals: []fault.Code{fault.Gone},
	}, e.list)
	e.declareStream(api)
}

func (e EventsAPI) list(ctx context.Context, in *eventsIn) (*listEventsOut, error) {
	tenant := rest.PrincipalOf(ctx).TenantID
	q, err := in.query(tenant, in.Until)
	if err != nil {
		return nil, err
	}
	q.Descending, q.Limit, q.MaxBytes = in.Order == "desc", in.Limit, pageBytes
	cursor := sealer{mac: e.MAC, log: e.Audit.LogID(), kind: "cursor", of: append(in.key(tenant), in.Until, in.Order)}
	if q.From, err = e.from(ctx, cursor, in.Cursor, q.Descending); err != nil {
		return nil, err
	}
	page, err := e.search(ctx, q)
	if err != nil {
		return nil, err
	}
	if err := e.personal(ctx, rest.PrincipalOf(ctx), page.Events); err != nil {
		return nil, err
	}
	out := &listEventsOut{}
	out.Body.Success, out.Body.Events = true, make([]auditEvent, 0, len(page.Events))
	for _, r := range page.Events {
		out.Body.Events = append(out.Body.Events, auditEventOf(r))
	}
	if page.More {
		out.Body.NextCursor = cursor.seal(page.Next)
	}
	return out, nil
}

// from is where a page begins: at its cursor, or nowhere in particular. Backward nothing can
// be missed, so nobody asks whether the log has been there.
func (e EventsAPI) from(ctx context.Context, cursor sealer, token string, descending bool) (audit.Positions, error) {
	switch {
	case token == "":
		return nil, nil
	case descending:
		return cursor.openOf("cursor", token)
	}
	return e.resume(ctx, cursor, "cursor", token)
}

// search reads on while nothing fits, for a second: then the caller gets an empty page
// and goes on from its cursor.
func (e EventsAPI) search(ctx context.Context, q audit.Query) (audit.Page, error) {
	for deadline := time.Now().Add(searching); ; {
		page, err := e.Audit.Read(ctx, q)
		if err != nil || len(page.Events) > 0 || !page.More || time.Now().After(deadline) {
			return page, err
		}
		q.From = page.Next
	}
}

// timeOf reads a time of the query; empty is none.
func timeOf(field, text string) (time.Time, error) {
	if text == "" {
		return time.Time{}, nil
	}
	t, err := time.Parse(time.RFC3339Nano, text)
	if err != nil {
		return t, fault.Field(field, "must be a time as of RFC 3339, such as 2026-11-21T09:00:00Z (in a URL, + is written %%2B)")
	}
	return t, nil
}
