package webhooks

import (
	"encoding/json"
	"time"
)

// Attempt is one sending of one notice, as the stream wants it now.
type Attempt struct {
	NoticeID      string // also the delivery id that the receiver sees on every attempt
	Number        int    // from 1
	TenantID      string
	ProjectID     string
	URL           string
	URLSealed     string // empty: URL is all of it
	HeadersSealed string // empty: no headers of the caller
	Body          json.RawMessage
	Deadline      time.Time // no attempt starts after it; GiveUp says so
}

// Wanted is the attempt that should be made now, if any: that of the head, when
// it was never tried or when its timer has said that it is due.
func Wanted(s State) (Attempt, bool) {
	n := s.head()
	if n == nil || n.Waiting {
		return Attempt{}, false
	}
	return Attempt{
		NoticeID: n.ID, Number: n.Attempt, TenantID: n.TenantID, ProjectID: n.ProjectID,
		URL: n.URL, URLSealed: n.URLSealed, HeadersSealed: n.HeadersSealed, Body: n.Body, Deadline: n.Deadline,
	}, true
}
