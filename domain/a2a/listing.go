package a2a

import (
	"encoding/json"
	"slices"
	"time"
)

// Listing asks for tasks.
type Listing struct {
	ContextID string
	State     State     // Unknown: any
	Since     time.Time // tasks that have their state from then on; zero: any
	Size      int       // 0: nobody says
	Page      string
	History   *int
	Artifacts bool
}

// ReadListing reads the parameters of ListTasks.
func (v Version) ReadListing(params json.RawMessage) (out Listing, fault *Error) {
	r := v.reader("", params, &fault)
	out.ContextID, out.Page, out.History = r.id("contextId", false), r.text("pageToken"), r.count("historyLength")
	out.Artifacts, out.State = r.yes("includeArtifacts", false), Unknown
	if n := r.count("pageSize"); n != nil {
		out.Size = *n
	}
	if name := r.text("status"); name != "" && name != states[Unknown] {
		if out.State = v.StateOf(name); out.State == Unknown {
			r.wrong("status", "is no state of a task")
		}
	}
	if at := r.text("statusTimestampAfter"); at != "" {
		var bad error
		if out.Since, bad = time.Parse(time.RFC3339Nano, at); bad != nil {
			r.wrong("statusTimestampAfter", "must be a time such as 2026-11-25T12:00:00Z")
		}
	}
	return out, fault
}

// Wants is whether a task is asked for.
func (l Listing) Wants(t Task) bool {
	return (l.State == Unknown || t.Status.State == l.State) && !t.Status.At.Before(l.Since)
}

// Newest puts those first of which there is the newest news, as the protocol has it.
func Newest(tasks []Task) {
	slices.SortStableFunc(tasks, func(a, b Task) int { return b.Status.At.Compare(a.Status.At) })
}
