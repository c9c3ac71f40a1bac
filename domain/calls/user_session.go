package calls

import "encoding/json"

// UserSession is what the agent of a call finds under context.session.UserSession
// (docs/api-rules.md "Dial-out"). Members are absent while nothing is known.
type UserSession struct {
	Metadata json.RawMessage `json:"metadata,omitempty"` // of the dial-out request
	AMD      []Result        `json:"amd,omitempty"`      // the results so far, in order
	AMDInfo  *AMDInfo        `json:"amdInfo,omitempty"`
}

// AMDInfo is what the detection found out.
type AMDInfo struct {
	Events            []AMDEvent `json:"amdEvents"`
	Greeting          string     `json:"amdGreeting,omitempty"` // of a machine: its words, or the hint that gave it away
	Reason            string     `json:"amdReason,omitempty"`   // of a machine
	RingDurationMs    *int64     `json:"amdRingDurationInMs,omitempty"`
	ConnectDurationMs *int64     `json:"amdConnectDurationInMs,omitempty"`
}

// AMDEvent is one result with what led to it.
type AMDEvent struct {
	Type      Result `json:"type"`
	Reason    string `json:"reason,omitempty"`
	Greeting  string `json:"greeting,omitempty"`
	Hint      string `json:"hint,omitempty"`
	Language  string `json:"language,omitempty"`
	Frequency int    `json:"frequency,omitempty"`
	Variance  int    `json:"variance,omitempty"`
	Error     string `json:"error,omitempty"`
	At        string `json:"at"` // ISO 8601 UTC
}

// UserSession of the call as it stands. The two durations run from the first ringing
// and from dialling to the verdict, or to the first result while there is no verdict.
func (s State) UserSession() UserSession {
	u := UserSession{Metadata: cloneJSON(s.Request.Metadata)}
	if len(s.Detections) == 0 {
		return u
	}
	u.AMDInfo = &AMDInfo{}
	for _, d := range s.Detections {
		u.AMD = append(u.AMD, d.Result)
		u.AMDInfo.Events = append(u.AMDInfo.Events, AMDEvent{Type: d.Result, Reason: d.Reason, Greeting: d.Greeting, Hint: d.Hint,
			Language: d.Language, Frequency: d.Frequency, Variance: d.Variance, Error: d.Error, At: iso(d.At)})
	}
	if machine, ok := s.heard(AmdMachineDetected); ok {
		u.AMDInfo.Reason, u.AMDInfo.Greeting = machine.Reason, machine.Greeting
		if machine.Greeting == "" {
			u.AMDInfo.Greeting = machine.Hint
		}
	}
	deciding, ok := s.heard(verdicts...)
	if !ok {
		deciding = s.Detections[0]
	}
	ring, connect := since(s.RingingAt, deciding.At), since(s.DialedAt, deciding.At)
	if !s.RingingAt.IsZero() {
		u.AMDInfo.RingDurationMs = &ring
	}
	u.AMDInfo.ConnectDurationMs = &connect
	return u
}

// Customer is who is called, as far as who asked for the dial-out said it in its
// metadata: the names that customerinfo of call details has.
type Customer struct {
	FirstName string `json:"firstName,omitempty" personal:"callee"`
	LastName  string `json:"lastName,omitempty" personal:"callee"`
	Email     string `json:"email,omitempty" personal:"callee"`
}

// maxCustomerText is the longest text that is taken, in bytes; what is longer is not a
// name.
const maxCustomerText = 512

// CustomerOf finds the customer in an object: CustomerFirstName or firstName, and so
// on, at its top or in its member contact. What is no text is passed over.
func CustomerOf(metadata json.RawMessage) Customer {
	var top map[string]json.RawMessage
	if json.Unmarshal(metadata, &top) != nil {
		return Customer{}
	}
	var contact map[string]json.RawMessage
	_ = json.Unmarshal(top["contact"], &contact) // one that is no object has no members
	find := func(names ...string) string {
		for _, members := range []map[string]json.RawMessage{top, contact} {
			for _, name := range names {
				var text string
				if json.Unmarshal(members[name], &text) == nil && text != "" && len(text) <= maxCustomerText {
					return text
				}
			}
		}
		return ""
	}
	return Customer{FirstName: find("CustomerFirstName", "firstName"), LastName: find("CustomerLastName", "lastName"),
		Email: find("CustomerEmail", "email")}
}
