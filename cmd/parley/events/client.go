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
	ListPath   = "/api/v1/events"
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

// Page is one page of a list of events.
type Page struct {
	Events     []json.RawMessage `json:"events"`
	NextCursor string            `json:"nextCursor"`
}

// list follows the cursors.
func list(ctx context.Context, client *api.Client, q url.Values, lines *eventLines) error {
	for {
		size := pageOfEvents
		if lines.left > 0 {
			size = min(size, lines.left)
		}
		q.Set("limit", strconv.Itoa(size))
		var page Page
		if _, err := client.Do(ctx, api.Get(ListPath, q), &page); err != nil {
			return err
		}
		for _, e := range page.Events {
			if err := lines.write(e); err != nil {
				return err
			}
		}
		if err := lines.flush(); err != nil || page.NextCursor == "" {
			return err
		}
		q.Set("cursor", page.NextCursor)
	}
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
