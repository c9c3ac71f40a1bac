package deliveries

import (
	"encoding/json"
	"regexp"
	"slices"
	"time"

	"github.com/parley-platform/parley/domain/callerurl"
	"github.com/parley-platform/parley/domain/event"
	"github.com/parley-platform/parley/domain/fault"
)

// Enqueue puts a notice behind those that the stream already has. The same
// notice a second time is nothing.
type Enqueue struct {
	NoticeID      string // letters, digits, . _ : -, up to 128; unique, receivers recognise repeats by it
	TenantID      string
	ProjectID     string // whose webhook secret signs it
	URL           string // checked by the caller against the guard; checked again when dialled
	URLSealed     string // the whole URL, sealed for the tenant; empty when URL is all of it
	HeadersSealed string // the caller's headers, sealed for the tenant; empty for none
	AskedBy       string // who asked to be told, where they may withdraw that; empty: nobody does
	Body          json.RawMessage
	QueuedAt      time.Time     // the time of the event that the notice tells of
	Limit         time.Duration // until the deadline, from QueuedAt; 0 is DefaultLimit
	GoesOn        bool          // the subject does when it was erased: what is later than that is told
}

var noticeID = regexp.MustCompile(`^[A-Za-z0-9._:-]{1,128}$`)

// Decide refuses a notice that could never be sent; one about somebody who was erased is
// nothing.
func (c Enqueue) Decide(s State) ([]event.Payload, error) {
	if err := c.check(); err != nil {
		return nil, err
	}
	if s.knows(c.NoticeID) || s.erased(c) {
		return nil, nil
	}
	// As encoding/json writes it into the event, so that every attempt signs and
	// sends the same bytes, before and after a reload.
	body, err := json.Marshal(c.Body)
	if err != nil {
		return nil, fault.Field("body", "is not JSON")
	}
	limit := c.Limit
	if limit == 0 {
		limit = DefaultLimit
	}
	return []event.Payload{Enqueued{
		NoticeID: c.NoticeID, TenantID: c.TenantID, ProjectID: c.ProjectID,
		URL: c.URL, URLSealed: c.URLSealed, HeadersSealed: c.HeadersSealed, Body: body, AskedBy: c.AskedBy,
		QueuedAt: stamp(c.QueuedAt), Deadline: stamp(c.QueuedAt.Add(limit)),
	}}, nil
}

// erased is whether a notice is of somebody who was erased.
func (s State) erased(c Enqueue) bool {
	if !c.GoesOn {
		return s.Shut
	}
	return s.Shut && s.ShutAt.IsZero() || !s.ShutAt.IsZero() && !stamp(c.QueuedAt).After(s.ShutAt)
}

func (c Enqueue) check() error {
	var wrong fault.Fields
	if !noticeID.MatchString(c.NoticeID) {
		wrong.Add("noticeId", "must be 1 to 128 letters, digits or . _ : -")
	}
	for _, f := range []struct{ name, value string }{{"tenantId", c.TenantID}, {"projectId", c.ProjectID}, {"url", c.URL}} {
		if f.value == "" {
			wrong.Add(f.name, "is required")
		}
	}
	if problem := callerurl.Unsealed(c.URL); problem != "" {
		wrong.Add("url", "%s", problem)
	}
	switch {
	case len(c.Body) > MaxBody:
		wrong.Add("body", "must be at most %d bytes", MaxBody)
	case !json.Valid(c.Body):
		wrong.Add("body", "is not JSON")
	}
	if c.QueuedAt.IsZero() {
		wrong.Add("queuedAt", "is required")
	}
	if c.Limit < 0 {
		wrong.Add("limit", "must not be negative")
	}
	return wrong.Err()
}

// Enqueued is a notice that is to be delivered after those before it.
type Enqueued struct {
	NoticeID      string          `json:"noticeId"`
	TenantID      string          `json:"tenantId"`
	ProjectID     string          `json:"projectId"`
	URL           string          `json:"url"`                                    // scheme, host and path
	URLSealed     string          `json:"urlSealed,omitempty" personal:"subject"` // the whole of it, where a query holds more
	HeadersSealed string          `json:"headersSealed,omitempty" personal:"subject"`
	Body          json.RawMessage `json:"body" personal:"subject"`
	QueuedAt      time.Time       `json:"queuedAt"`
	Deadline      time.Time       `json:"deadline"`
	AskedBy       string          `json:"askedBy,omitempty"` // who may withdraw it
}

// Apply appends the notice. It is one of somebody who is to be forgotten again.
func (e Enqueued) Apply(s *State) {
	s.Shut = false
	n := Notice{ID: e.NoticeID, TenantID: e.TenantID, ProjectID: e.ProjectID, URL: e.URL, URLSealed: e.URLSealed,
		HeadersSealed: e.HeadersSealed, AskedBy: e.AskedBy, Body: slices.Clone(e.Body), Deadline: e.Deadline}
	n.Attempt.Ask()
	n.Attempt.Number += s.Tried[e.NoticeID] // an attempt that still runs from before it was withdrawn is another one
	s.Queue = append(s.Queue, n)
}

var _ = event.Register[Enqueued](Deliveries, "enqueued", 1)
