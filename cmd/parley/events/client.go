package events

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strconv"

	"github.com/parley-platform/parley/cmd/parley/api"
)

// The operations that are asked.
const (
	listPath   = "/api/v1/events"
	StreamPath = "/api/v1/events/stream"
)

const pageOfEvents = 200

// Auditing is what reading the events of an account needs.
func Auditing() api.Need {
	const issue = api.Issuing + " --permissions audit:read"
	return api.Need{Token: true, Issue: issue, Next: map[int]string{
		http.StatusUnauthorized: "Issue a new token with: " + issue + ", and set PARLEY_TOKEN",
		http.StatusForbidden: "The token and its client need the permission audit:read (kind: Client, spec.permissions), and it " +
			"has to be a token: no API key has it",
	}}
}

// Pages gives all events that are asked for, a page at a time, until each has an error.
func Pages(ctx context.Context, client *api.Client, q url.Values, each func(events []json.RawMessage) error) error {
	if !q.Has("limit") {
		q.Set("limit", strconv.Itoa(pageOfEvents))
	}
	for {
		var page struct {
			Events     []json.RawMessage `json:"events"`
			NextCursor string            `json:"nextCursor"`
		}
		if _, err := client.Do(ctx, api.Get(listPath, q), &page); err != nil {
			return err
		}
		if err := each(page.Events); err != nil || page.NextCursor == "" {
			return err
		}
		q.Set("cursor", page.NextCursor)
	}
}

// list prints them.
func list(ctx context.Context, client *api.Client, q url.Values, lines *eventLines) error {
	if lines.left > 0 {
		q.Set("limit", strconv.Itoa(min(pageOfEvents, lines.left)))
	}
	return Pages(ctx, client, q, func(events []json.RawMessage) error {
		for _, e := range events {
			if err := lines.write(e); err != nil {
				return err
			}
		}
		return lines.flush()
	})
}

// follow shows the stream.
func follow(ctx context.Context, client *api.Client, q url.Values, lines *eventLines, notes io.Writer) error {
	return client.Follow(ctx, StreamPath, q, notes, func(data []byte) error {
		if err := lines.write(data); err != nil {
			return err
		}
		if err := lines.flush(); err != nil {
			return fmt.Errorf("the output failed: %w", err)
		}
		return nil
	})
}
