package acts

import (
	"context"
	"encoding/json"
	"fmt"
	"time"

	"github.com/parley-platform/parley/domain/deliveries"
	"github.com/parley-platform/parley/eventstore"
)

// Notify tells the receiver that somebody named of what happened: it puts a notice into
// the delivery stream of its subject, behind those before it. It sends nothing: the
// sender does (docs/api-rules.md "Notifications").
type Notify struct {
	Store   *eventstore.Store
	SealURL SealURL
}

// Notice is one body on its way to one URL.
type Notice struct {
	Subject string // the stream that it tells of; its notices arrive in order
	ID      string // of the event that it tells of: the same id twice is one notice
	// URL, what is sealed of it, and the sealed headers are as the request has them.
	URL, URLSealed, HeadersSealed string
	AskedBy                       string // who asked to be told, where they may withdraw that
	Body                          any    // becomes JSON
	At                            time.Time
	GoesOn                        bool // what it tells of does, where somebody in it was erased before
}

// Do puts the notice in, once.
func (n Notify) Do(ctx context.Context, by Caller, notice Notice) error {
	body, err := json.Marshal(notice.Body)
	if err != nil {
		return fmt.Errorf("encoding a notice: %w", err)
	}
	url, sealed, err := n.SealURL.stored(by.Tenant, notice.URL, notice.URLSealed)
	if err != nil {
		return err
	}
	enqueue := deliveries.Enqueue{NoticeID: notice.ID, TenantID: by.Tenant, ProjectID: by.Project, URL: url, URLSealed: sealed,
		HeadersSealed: notice.HeadersSealed, AskedBy: notice.AskedBy, Body: body, QueuedAt: notice.At, GoesOn: notice.GoesOn}
	by.Stateless = true
	_, err = Execute(ctx, Log{Store: n.Store}, by, deliveries.Deliveries, deliveries.Deliveries.Stream(notice.Subject), enqueue.Decide)
	return err
}

// SealURL gives what others may read of a URL that a caller gave, and the whole of it
// sealed for the tenant if that is not all.
type SealURL func(tenantID, raw string) (bare, sealed string, err error)

// stored is the URL of a request as a notice takes it over. Requests from before URLs
// were sealed hold all of theirs in the open: it is not copied once more.
func (seal SealURL) stored(tenantID, url, sealed string) (bare, whole string, err error) {
	if sealed != "" {
		return url, sealed, nil
	}
	if bare, whole, err = seal(tenantID, url); err != nil {
		return "", "", fmt.Errorf("sealing the URL of a notice: %w", err)
	}
	return bare, whole, nil
}
