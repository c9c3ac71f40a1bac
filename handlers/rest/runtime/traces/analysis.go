package traces

import (
	"context"
	"fmt"
	"slices"

	"github.com/parley-platform/parley/handlers/rest"
	"github.com/parley-platform/parley/handlers/rest/runtime"
)

type analysisIn struct {
	runtime.SessionPath
	Severity string `query:"severity" enum:"info,warning,error" doc:"Only of this severity (extension)."`
	TracesPage
}

// Finding is something conspicuous in a session.
type Finding struct {
	Kind      string `json:"kind" enum:"turn_failed,repeated_failure,unknown_outcome,delegate_failed,loop,condition_error,limit,guardrail,constraint,history_trimmed,slow_step,budget,repeated_retry,unanswered"`
	Severity  string `json:"severity" enum:"info,warning,error"`
	Message   string `json:"message"`
	SpanID    string `json:"spanId" doc:"Where it is seen first."`
	AgentName string `json:"agentName,omitempty"`
	Count     int    `json:"count" doc:"How often."`
	Timestamp string `json:"timestamp" format:"date-time" doc:"Of the first."`
}

type findingsOut struct {
	Body struct {
		Success    bool            `json:"success"`
		Findings   []Finding       `json:"findings" doc:"Errors first, then warnings; among these the oldest first."`
		Pagination rest.Pagination `json:"pagination"`
	}
}

func (x API) analysis(ctx context.Context, in *analysisIn) (*findingsOut, error) {
	told, err := x.story(ctx, runtime.SessionOf(ctx).SessionID)
	if err != nil {
		return nil, err
	}
	found := slices.DeleteFunc(told.analyze(), func(f finding) bool { return in.Severity != "" && in.Severity != f.severity })
	out := &findingsOut{}
	out.Body.Success, out.Body.Pagination = true, in.of(len(found))
	out.Body.Findings = rest.Shown(page(found, in.TracesPage), func(f finding) Finding {
		return Finding{Kind: f.kind, Severity: f.severity, Message: f.message(), SpanID: f.first.span.id, AgentName: f.agent, Count: f.count,
			Timestamp: rest.ISOTime(&f.first.at)}
	})
	return out, nil
}

// The severities, the worst first.
const (
	severe  = "error"
	warning = "warning"
	notable = "info"
)

var severities = []string{severe, warning, notable}

// finding is what a rule has found, however often.
type finding struct {
	kind, severity string
	agent          string
	text           string // without how often
	first          happened
	count          int
	place          int // of the first, among what happened
}

func (f finding) message() string {
	if f.count == 1 {
		return f.text
	}
	return fmt.Sprintf("%s (%d times)", f.text, f.count)
}

// findings are those so far: one for each reason.
type findings struct {
	all []*finding
	by  map[string]*finding
}

// add notes what was found at a place of what happened.
func (f *findings) add(at int, h happened, kind, severity, text string) {
	key := kind + "\x00" + h.agent + "\x00" + text
	if f.by[key] == nil {
		f.by[key] = &finding{kind: kind, severity: severity, agent: h.agent, text: text, first: h, place: at}
		f.all = append(f.all, f.by[key])
	}
	f.by[key].count++
}

// analyze goes by all rules.
func (s story) analyze() []finding {
	f := &findings{by: map[string]*finding{}}
	for _, rule := range rules {
		rule(s, f)
	}
	slices.SortStableFunc(f.all, func(a, b *finding) int {
		if by := slices.Index(severities, a.severity) - slices.Index(severities, b.severity); by != 0 {
			return by
		}
		return a.place - b.place
	})
	out := []finding{}
	for _, x := range f.all {
		out = append(out, *x)
	}
	return out
}
