package main

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"slices"
	"strings"
	"time"

	"github.com/parley-platform/parley/cmd/parley/api"
	"github.com/parley-platform/parley/cmd/parley/show"
	"github.com/parley-platform/parley/domain/fault"
	"github.com/parley-platform/parley/handlers/apply"
	"github.com/parley-platform/parley/handlers/apply/manifest"
)

// applyTimeout is the time that an apply may take.
const applyTimeout = 5 * time.Minute

// applying is what an apply needs, and what helps where it is refused.
var applying = api.Need{Token: true, Issue: "parley token --operator --keyset FILE", Next: map[int]string{
	http.StatusUnauthorized: "Issue a new token with: parley token --operator --keyset FILE (the keyset of that node), or " +
		"--client ID, and set PARLEY_TOKEN",
	http.StatusForbidden:             "The token and its client need the permission admin:apply",
	http.StatusNotFound:              "A client's token applies to its own tenant only; an operator's token (parley token --operator) to all",
	http.StatusConflict:              "If somebody else changed the same thing in between: applying again is safe",
	http.StatusRequestEntityTooLarge: "Apply it in several sets",
	http.StatusServiceUnavailable:    "Try again in a moment; applying again is safe",
	http.StatusInternalServerError:   "The log of the node says why; applying again is safe",
}}

// wireManifest is a manifest as the API takes it.
type wireManifest struct {
	Kind     string          `json:"kind"`
	Metadata json.RawMessage `json:"metadata,omitempty"`
	Spec     json.RawMessage `json:"spec,omitempty"`
	File     string          `json:"file,omitempty"`
	Line     int             `json:"line,omitempty"`
}

// applied is what the API answers.
type applied struct {
	DryRun  bool     `json:"dryRun"`
	Results []result `json:"results"`
}

// result is what became of one manifest, or of what prune found.
type result struct {
	Kind      string            `json:"kind"`
	ID        string            `json:"id"`
	Name      string            `json:"name"`
	Tenant    string            `json:"tenant"`
	Outcome   apply.Outcome     `json:"outcome"`
	Generated map[string]string `json:"generated,omitempty"`
	Events    []struct {
		Type string          `json:"type"`
		Data json.RawMessage `json:"data"`
	} `json:"events,omitempty"`
}

// objects prints a line for each, for programs.
func (a applied) objects(out *show.Out) error {
	for _, r := range a.Results {
		if err := out.Object(r); err != nil {
			return err
		}
	}
	return nil
}

// wanted is what a node is asked to do.
type wanted struct {
	manifests     []manifest.Manifest
	dryRun, prune bool
}

// applySet sends the set.
func applySet(ctx context.Context, client *api.Client, w wanted) (answer applied, err error) {
	wire := make([]wireManifest, len(w.manifests))
	for i, m := range w.manifests {
		wire[i] = wireManifest{m.Kind, m.Metadata, m.Spec, m.File, m.Line}
	}
	call := api.Post("/api/v1/admin/apply", map[string]any{"manifests": wire, "dryRun": w.dryRun, "prune": w.prune})
	call.Timeout = applyTimeout
	_, err = client.Do(ctx, call, &answer)
	var refusal *api.Refusal
	if errors.As(err, &refusal) && refusal.Fault.Code == fault.Validation && len(refusal.Fault.Details) > 0 {
		return applied{}, faulty(located(refusal.Fault.Details, w.manifests))
	}
	return answer, err
}

// located finds the lines of the fields, which only this side knows.
func located(details []fault.Detail, manifests []manifest.Manifest) manifest.Faults {
	var faults manifest.Faults
	for _, d := range details {
		f := manifest.Fault{Field: d.Field, Problem: d.Problem}
		if i, field, ok := apply.SplitField(d.Field); ok && i < len(manifests) {
			f.File, f.Line, f.Field = manifests[i].File, manifests[i].LineOf(field), field
		}
		faults = append(faults, f)
	}
	slices.SortStableFunc(faults, func(x, y manifest.Fault) int {
		return cmp.Or(strings.Compare(x.File, y.File), x.Line-y.Line)
	})
	return faults
}

// print shows a line for each manifest and each removal, and what it must not be
// silent about.
func (a applied) print(out io.Writer, prune bool) {
	counts := map[apply.Outcome]int{}
	for _, r := range a.Results {
		counts[r.Outcome]++
		name := r.ID
		if name == "" || r.ID == r.Name {
			name = r.Name
		} else {
			name += " (" + r.Name + ")"
		}
		fmt.Fprintf(out, "%-9s  %s %s", r.Outcome, r.Kind, name)
		if r.Kind != "Tenant" {
			fmt.Fprintf(out, " in %s", r.Tenant)
		}
		fmt.Fprintln(out)
		for _, e := range r.Events {
			if a.DryRun {
				fmt.Fprintf(out, "           would append %s %s\n", e.Type, e.Data)
			}
		}
		for field, secret := range r.Generated {
			fmt.Fprintf(out, "           %s was made; keep it, it is not told again: %s\n", field, secret)
		}
	}
	verb := "applied"
	if a.DryRun {
		verb = "nothing was changed (dry run); it would be"
	}
	fmt.Fprintf(out, "%s: %d created, %d changed, %d unchanged", verb, counts[apply.Created], counts[apply.Changed], counts[apply.Unchanged])
	if prune {
		fmt.Fprintf(out, ", %d removed", counts[apply.Removed])
	}
	fmt.Fprintln(out)
}
