package main

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"time"

	"github.com/parley-platform/parley/domain/fault"
	"github.com/parley-platform/parley/handlers/apply"
	"github.com/parley-platform/parley/handlers/apply/manifest"
)

// applyClient calls POST /api/v1/admin/apply of a node.
type applyClient struct {
	url, token string
	http       *http.Client
}

// The times that an apply may take.
const (
	applyTimeout  = 5 * time.Minute
	applyAttempts = 8 // applying again is safe
	mostPause     = 5 * time.Second
	largestAnswer = 64 << 20 // bytes
)

func newApplyClient(url, token string) applyClient {
	return applyClient{strings.TrimRight(url, "/"), token, &http.Client{Timeout: applyTimeout}}
}

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
	DryRun  bool `json:"dryRun"`
	Results []struct {
		Kind, ID, Name, Tenant string
		Outcome                apply.Outcome
		Generated              map[string]string
		Events                 []struct {
			Type string
			Data json.RawMessage
		}
	} `json:"results"`
	Error struct {
		Code         fault.Code     `json:"code"`
		Message      string         `json:"message"`
		Details      []fault.Detail `json:"details"`
		RetryAfterMs int64          `json:"retryAfterMs"`
	} `json:"error"`
}

// wanted is what a node is asked to do.
type wanted struct {
	manifests     []manifest.Manifest
	dryRun, prune bool
}

// apply sends the set, again while the node says that it is worth trying.
func (c applyClient) apply(ctx context.Context, w wanted) (applied, error) {
	if u, err := url.Parse(c.url); err != nil || u.Host == "" || u.Scheme != "http" && u.Scheme != "https" {
		return applied{}, fmt.Errorf("--url: %q is not the address of a node, such as http://127.0.0.1:8080", c.url)
	}
	wire := make([]wireManifest, len(w.manifests))
	for i, m := range w.manifests {
		wire[i] = wireManifest{m.Kind, m.Metadata, m.Spec, m.File, m.Line}
	}
	body, err := json.Marshal(map[string]any{"manifests": wire, "dryRun": w.dryRun, "prune": w.prune})
	if err != nil {
		return applied{}, fmt.Errorf("encoding the manifests: %w", err)
	}
	for attempt := 1; ; attempt++ {
		status, answer, err := c.post(ctx, body)
		if err != nil {
			return applied{}, err
		}
		if status == http.StatusOK {
			return answer, nil
		}
		if answer.Error.RetryAfterMs == 0 || attempt == applyAttempts {
			return applied{}, c.refused(status, answer, w.manifests)
		}
		select {
		case <-ctx.Done():
			return applied{}, c.refused(status, answer, w.manifests)
		case <-time.After(min(time.Duration(answer.Error.RetryAfterMs)*time.Millisecond, mostPause)):
		}
	}
}

func (c applyClient) post(ctx context.Context, body []byte) (int, applied, error) {
	var answer applied
	r, err := http.NewRequestWithContext(ctx, http.MethodPost, c.url+"/api/v1/admin/apply", bytes.NewReader(body))
	if err != nil {
		return 0, answer, fmt.Errorf("--url: %w", err)
	}
	r.Header.Set("Content-Type", "application/json")
	r.Header.Set("Authorization", "Bearer "+strings.TrimSpace(c.token))
	res, err := c.http.Do(r)
	if err != nil {
		return 0, answer, fmt.Errorf("%w\nIs a node running there? Start one with: parley serve --dev, or say where it is with --url or "+
			"PARLEY_URL", err)
	}
	defer res.Body.Close()
	data, err := io.ReadAll(io.LimitReader(res.Body, largestAnswer))
	if err != nil {
		return 0, answer, fmt.Errorf("reading the answer: %w\nIt may have been applied all the same; applying again is safe", err)
	}
	if err := json.Unmarshal(data, &answer); err != nil {
		return 0, answer, fmt.Errorf("%s answered %s, and nothing that Parley says: is it the address of a node?", c.url, res.Status)
	}
	return res.StatusCode, answer, nil
}

// refused says what was wrong, where in the files, and what to do next.
func (c applyClient) refused(status int, a applied, manifests []manifest.Manifest) error {
	if a.Error.Code == fault.Validation && len(a.Error.Details) > 0 {
		return faulty(located(a.Error.Details, manifests))
	}
	next := map[int]string{
		http.StatusUnauthorized: "Issue a new token with: parley token --operator --keyset FILE (the keyset of that node), or " +
			"--client ID, and set PARLEY_TOKEN",
		http.StatusForbidden:             "The token and its client need the permission admin:apply",
		http.StatusNotFound:              "A client's token applies to its own tenant only; an operator's token (parley token --operator) to all",
		http.StatusConflict:              "If somebody else changed the same thing in between: applying again is safe",
		http.StatusRequestEntityTooLarge: "Apply it in several sets",
		http.StatusServiceUnavailable:    "Try again in a moment; applying again is safe",
		http.StatusInternalServerError:   "The log of the node says why; applying again is safe",
	}[status]
	message := fmt.Sprintf("%s (%s)", cmp.Or(a.Error.Message, "the node refused"), cmp.Or(string(a.Error.Code), http.StatusText(status)))
	if next != "" {
		message += "\n" + next
	}
	return fmt.Errorf("%s", message)
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
