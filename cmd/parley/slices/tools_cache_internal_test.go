package slices

import (
	"encoding/json"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/parley-platform/parley/domain/dsl"
	"github.com/parley-platform/parley/domain/sessions"
	"github.com/parley-platform/parley/domain/turns"
	"github.com/parley-platform/parley/handlers/acts/driving"
)

// Given a tool with CACHE, then what it answered is good for that time, for the same project and
// environment, and for what is sent to the letter.
func TestResultsOfToolsAreKept(t *testing.T) {
	now := time.Date(2026, 11, 25, 9, 0, 0, 0, time.UTC)
	r := newToolResults(func() time.Time { return now }, noErasures)
	made := 0
	ask := func(edit func(*driving.Asking), sent any) string {
		of := driving.Asking{Tenant: "acme", Project: "shop", Environment: "dev",
			Wanted: turns.Wanted{Tool: &dsl.Tool{Kind: dsl.ToolHTTP, Cache: time.Minute}}}
		if edit != nil {
			edit(&of)
		}
		out := r.or(of, sent, func() sessions.CallEnded {
			made++
			if sent == "fails" {
				return notMade("HTTP_404")
			}
			return sessions.CallEnded{Outcome: sessions.CallOK, Result: json.RawMessage(strconv.Itoa(made)), Tries: 1}
		})
		return string(out.Result) + out.Code
	}
	require.Equal(t, "1", ask(nil, "a"))
	require.Equal(t, "1", ask(nil, "a"))
	require.Equal(t, "2", ask(nil, "b"))
	for i, edit := range []func(*driving.Asking){
		func(of *driving.Asking) { of.Tenant = "other" }, func(of *driving.Asking) { of.Project = "other" },
		func(of *driving.Asking) { of.Environment = "production" }, func(of *driving.Asking) { of.Tool.Kind = dsl.ToolCode },
		func(of *driving.Asking) { of.Tool.Cache = 0 }, func(of *driving.Asking) { of.Tool.Write = true },
	} {
		require.Equal(t, strconv.Itoa(3+i), ask(edit, "a"))
	}
	require.Equal(t, "1", ask(nil, "a"))
	require.Equal(t, "HTTP_404", ask(nil, "fails"))
	ask(nil, "fails")
	require.Equal(t, 10, made, "a failure is not kept")
	now = now.Add(time.Minute)
	require.Equal(t, "11", ask(nil, "a"), "its time is over")
}

// The results of all tenants have a bound together; what was not asked for longest goes.
func TestResultsOfToolsHaveABound(t *testing.T) {
	r := newToolResults(time.Now, noErasures)
	r.most = 3 * (1000 + 512)
	of := driving.Asking{Wanted: turns.Wanted{Tool: &dsl.Tool{Cache: time.Minute}}}
	var made []string
	ask := func(sent string) {
		r.or(of, sent, func() sessions.CallEnded {
			made = append(made, sent)
			return sessions.CallEnded{Outcome: sessions.CallOK, Result: json.RawMessage(`"` + strings.Repeat("x", 998) + `"`)}
		})
	}
	for _, sent := range []string{"a", "b", "c", "a", "d", "a", "b"} {
		ask(sent)
	}
	require.Equal(t, []string{"a", "b", "c", "d", "b"}, made)
	require.Equal(t, 3, len(r.byKey))
	require.Equal(t, 3*(1000+512), r.bytes)
}

func noErasures() uint64 { return 0 }

// Given results that are kept, when somebody is erased, then none of them is given any more, and what was asked for before that is not
// kept behind it.
func TestResultsOfToolsAreForgottenWithWhomeverIsErased(t *testing.T) {
	var erasures uint64
	r := newToolResults(time.Now, func() uint64 { return erasures })
	of, made := driving.Asking{Wanted: turns.Wanted{Tool: &dsl.Tool{Cache: time.Minute}}}, 0
	ask := func(sent string, meanwhile func()) {
		r.or(of, sent, func() sessions.CallEnded {
			made++
			meanwhile()
			return sessions.CallEnded{Outcome: sessions.CallOK, Result: json.RawMessage(`"hers"`)}
		})
	}
	nothing, erased := func() {}, func() { erasures++ }
	for _, step := range []struct {
		sent      string
		meanwhile func()
		made      int
	}{{"a", nothing, 1}, {"a", nothing, 1}, {"b", erased, 2}, {"b", nothing, 3}, {"b", nothing, 3}, {"a", nothing, 4}} {
		ask(step.sent, step.meanwhile)
		require.Equal(t, step.made, made, step.sent)
	}
	erased()
	ask("a", nothing)
	require.Equal(t, []int{5, len(`"hers"`) + 512}, []int{made, r.bytes})
}
