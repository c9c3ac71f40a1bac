package traces

import (
	"context"
	"encoding/csv"
	"encoding/json"
	"io"
	"net/http"
	"strings"
	"time"

	"github.com/danielgtaylor/huma/v2"
	"github.com/danielgtaylor/huma/v2/adapters/humamux"

	"github.com/parley-platform/parley/domain/access"
	"github.com/parley-platform/parley/domain/fault"
	"github.com/parley-platform/parley/handlers/rest"
	models "github.com/parley-platform/parley/projections/runtime"
)

const (
	csvType      = "text/csv"
	exported     = 24 * time.Hour // unless said
	mostExported = 31 * 24 * time.Hour
	sessionsRead = 200 // at once
)

// declareExport adds the traces of many sessions as one file.
func (x API) declareExport(api *rest.API) {
	const path = sessionsPath + "/export"
	rest.Declare(api, rest.Operation{
		ID: "export-traces", Method: http.MethodGet, Path: path, Tags: []string{tag}, Summary: "Export traces of sessions as CSV",
		Description: "Of one session, or of all that were begun in at most 31 days (the last 24 hours unless said): the oldest session " +
			"first, its events as session-traces has them. The file is RFC 4180 with a heading; a text that a spreadsheet would take for a " +
			"formula has an apostrophe before it. One that breaks off is not whole: ask again.",
		Requirement: access.Needs(access.PermSessionRead), Resolve: rest.ProjectFrom("projectId"), Refusals: []fault.Code{fault.NotFound},
	}, x.export)
	answer := api.Description().Paths[path].Get.Responses["200"]
	answer.Description = "A line for each event: " + strings.Join(exportHeading, ", ")
	answer.Content = map[string]*huma.MediaType{csvType: {Schema: &huma.Schema{Type: huma.TypeString}}}
}

type exportIn struct {
	ProjectID string `path:"projectId" doc:"A project's id or alias."`
	SessionID string `query:"sessionId" maxLength:"128" doc:"Of this session alone."`
	From      string `query:"from" doc:"A day or a moment: of sessions that were begun then or later; 24 hours ago, or before to where that is past, unless said." example:"2026-11-21"`
	To        string `query:"to" doc:"A moment: of sessions that were begun before; or a day, which is included; now unless said." example:"2026-11-22T00:00:00Z"`
}

// span is the time that is asked for.
func (in *exportIn) span(now time.Time) (from, to time.Time, err error) {
	if from, to, err = periodOf(in.From, in.To, now, exported); err != nil {
		return from, to, err
	}
	var f fault.Fields
	switch {
	case in.SessionID != "" && in.From+in.To != "":
		f.Add("sessionId", "goes without from and to")
	case in.SessionID != "":
	case to.Sub(from) > mostExported && now.Sub(from) > mostExported: // what is to come holds nothing
		f.Add("from", "must be at most 31 days before to")
	}
	return from, to, f.Err()
}

func (x API) export(ctx context.Context, in *exportIn) (*huma.StreamResponse, error) {
	from, to, err := in.span(x.Chat.Now())
	if err != nil {
		return nil, err
	}
	project := rest.ProjectOf(ctx)
	next := func(ctx context.Context, after models.Session) ([]models.Session, error) {
		return x.Begun.Begun(ctx, project.TenantID, project.ID, from, to, after, sessionsRead)
	}
	var first []models.Session
	if in.SessionID != "" {
		one, err := x.Chat.SessionInProject(ctx, in.SessionID)
		if err != nil {
			return nil, err
		}
		first = []models.Session{one}
		next = func(context.Context, models.Session) ([]models.Session, error) { return nil, nil }
	} else if first, err = next(ctx, models.Session{}); err != nil {
		return nil, err
	}
	return &huma.StreamResponse{Body: func(hc huma.Context) {
		r, w := humamux.Unwrap(hc)
		ctx, cancel := context.WithCancel(r.Context())
		defer cancel()
		long := rest.LongAnswerOf(r.Context())
		defer long.EndsWithNode(cancel)()
		long.MayTakeLong()
		h := w.Header()
		h.Set("Content-Type", csvType+"; charset=utf-8")
		h.Set("Content-Disposition", `attachment; filename="traces.csv"`)
		h.Set("Cache-Control", "private, no-store")
		if err := x.write(ctx, w, project.TenantID, first, next, long); err != nil {
			rest.Logger(ctx).Warn("an export of traces broke off", "error", err)
			panic(http.ErrAbortHandler) // so that nobody takes it for the whole
		}
	}}, nil
}

// write writes sessions, and those that come next. Each is read when its turn comes: one that
// is erased meanwhile is erased in the file.
func (x API) write(ctx context.Context, w io.Writer, tenant string, found []models.Session,
	next func(context.Context, models.Session) ([]models.Session, error), long rest.LongAnswer) error {
	out := csv.NewWriter(w)
	out.UseCRLF = true
	if err := out.Write(exportHeading); err != nil {
		return err
	}
	for len(found) > 0 {
		for _, s := range found {
			all, err := x.whole(ctx, tenant, s)
			if err != nil {
				return err
			}
			if err := ctx.Err(); err != nil {
				return err
			}
			for _, e := range all {
				if err := out.Write(line(s, e)); err != nil {
					return err
				}
			}
		}
		if len(found) < sessionsRead {
			break
		}
		long.Look()
		var err error
		if found, err = next(ctx, found[len(found)-1]); err != nil {
			return err
		}
		if err := long.Holds(ctx); err != nil { // else it might end before the last session
			return err
		}
	}
	out.Flush()
	return out.Error()
}

// whole is all that traces show of a session.
func (x API) whole(ctx context.Context, tenant string, s models.Session) ([]traced, error) {
	told, err := x.story(ctx, s.SessionID)
	if err != nil {
		return nil, err
	}
	var all []traced
	for _, h := range told.traces(func(happened) bool { return true }) {
		all = append(all, traced{h.at, h.agent, h.traced})
	}
	if !told.threaded() { // callers have the answer: nothing is delivered
		return all, nil
	}
	return x.withDeliveries(ctx, tenant, s.SessionID, all, &tracesIn{})
}

var exportHeading = []string{"sessionId", "channel", "timestamp", "type", "decisionKind", "agentName", "spanId", "parentSpanId", "detail",
	"data"}

// line is one event. What it is about in words is a cell of its own, so that it can be read
// without a program.
func line(s models.Session, t traced) []string {
	e := t.show()
	data, _ := json.Marshal(e.Data) // texts, numbers and lists of them always have a JSON form
	cells := []string{s.SessionID, s.Channel, e.Timestamp, e.Type, e.DecisionKind, t.agent, e.SpanID, e.ParentSpanID, detail(e.Data),
		string(data)}
	for i, c := range cells {
		cells[i] = plain(c)
	}
	return cells
}

// detail is what is told of an event in words.
func detail(data map[string]any) string {
	for _, member := range []string{"reason", "detail", "error"} {
		if text, ok := data[member].(string); ok && text != "" {
			return text
		}
	}
	return ""
}

// plain is a text that a spreadsheet does not compute.
func plain(cell string) string {
	if cell != "" && strings.ContainsRune("=+-@\t\r\n", rune(cell[0])) {
		return "'" + cell
	}
	return cell
}
