package analytics

import (
	"fmt"
	"reflect"
	"strings"
	"time"

	"github.com/parley-platform/parley/domain/event"
)

// Category is the kind of an analytics event (docs/decisions/2026-11-22-analytics.md).
type Category string

// The categories, by the names of the API.
const (
	Session    Category = "session"
	Message    Category = "message"
	LLM        Category = "llm"
	Tool       Category = "tool"
	Agent      Category = "agent"
	Gather     Category = "gather"
	Flow       Category = "flow"
	Channel    Category = "channel"
	Deployment Category = "deployment"
	Search     Category = "search"
	Voice      Category = "voice"
	Audit      Category = "audit"
	Evaluation Category = "evaluation"
	Feedback   Category = "feedback"
	System     Category = "system"
)

// At is what a mapping may know of an event besides its payload.
type At struct {
	Stream   string
	StreamID string // the stream's name without its category's prefix
	Version  int64
	ID       string
	Tenant   string
	Actor    string
	Time     time.Time
}

// Entry is how an event appears. Its category and type are registered with On; its
// time, tenant and id are the event's own. Empty members are none.
type Entry struct {
	Traits
	// Remember says that the traits hold for the whole stream: its later events have
	// them without repeating them.
	Remember bool
	// Omit leaves the event out of all figures, as those of test sessions are to be; its
	// traits are remembered all the same.
	Omit bool
	// OfCall leaves it out in sessions of the channel voice, whose calls tell the same.
	OfCall bool

	Model     string // of a language model
	Duration  *time.Duration
	Lifetime  bool   // the duration is that of the stream: from the moment of its first event that said Remember to that of this one
	Error     string // not empty: the event counts as an error
	TokensIn  int64
	TokensOut int64
	Cost      *int64         // pico-dollars; null where no price is known
	Metadata  map[string]any // becomes JSON; never a secret or a personal field
}

// Traits place an event.
type Traits struct {
	Project   string // empty: the event is of the whole tenant, and shown in each of its projects
	SessionID string
	AgentName string
	Channel   string // kind slug, such as voice
}

// over gives what t leaves open from the traits remembered of its stream.
func (t Traits) over(remembered Traits) Traits {
	for _, f := range []struct {
		mine  *string
		other string
	}{{&t.Project, remembered.Project}, {&t.SessionID, remembered.SessionID}, {&t.AgentName, remembered.AgentName},
		{&t.Channel, remembered.Channel}} {
		if *f.mine == "" {
			*f.mine = f.other
		}
	}
	return t
}

// Milliseconds is a duration that an event states.
func Milliseconds(ms int64) *time.Duration {
	d := time.Duration(ms) * time.Millisecond
	return &d
}

// mapping is one registration.
type mapping struct {
	category  Category
	eventType string // empty: the event's own name, see eventType
	describe  func(At, event.Payload) Entry
	ignored   string // why the event does not appear at all
}

var mappings = map[reflect.Type]mapping{}

// registered makes registrations readable as declarations: var _ = On(...).
type registered struct{}

// On declares how events E appear. eventType may be empty: then it is the event's name
// behind its category's, as in call_answered. An event type has one category.
func On[E event.Payload](category Category, eventType string, describe func(At, E) Entry) registered {
	return enter(reflect.TypeFor[E](), mapping{category: category, eventType: eventType, describe: func(at At, p event.Payload) Entry {
		return describe(at, p.(E))
	}})
}

// Ignore declares that events E do not appear, and why.
func Ignore[E event.Payload](why string) registered {
	if why == "" {
		panic(fmt.Sprintf("analytics: say why %s is ignored", reflect.TypeFor[E]()))
	}
	return enter(reflect.TypeFor[E](), mapping{ignored: why})
}

func enter(t reflect.Type, m mapping) registered {
	if _, twice := mappings[t]; twice {
		panic(fmt.Sprintf("analytics: %s is registered twice", t))
	}
	mappings[t] = m
	return registered{}
}

// mappingOf is the registration of an event, or how an event without one appears:
// administration as audit, anything else as system, with the traits that its members
// projectId, sessionId, agentName and channel state.
func mappingOf(k *event.Kind) mapping {
	m, ok := mappings[k.Go]
	if !ok {
		m = mapping{category: System, describe: func(_ At, p event.Payload) Entry { return Entry{Traits: stated(p), Remember: true} }}
		if k.Category.Partitions == event.Quiet { // a stream of administration is about many things
			m = mapping{category: Audit, describe: func(at At, p event.Payload) Entry { return audited(at, stated(p).Project) }}
		}
	}
	if m.eventType == "" {
		m.eventType = eventType(k)
	}
	return m
}

// audited is an act of administration: who did it, and to which stream.
func audited(at At, project string) Entry {
	return Entry{Traits: Traits{Project: project}, Metadata: map[string]any{"actor": at.Actor, "stream": at.Stream}}
}

// eventType is the name under which an event appears unless it is registered with one.
func eventType(k *event.Kind) string {
	return strings.ReplaceAll(k.Category.Prefix+"_"+k.Name, "-", "_")
}

// stated reads traits from the members of a payload that are named after them.
func stated(p event.Payload) Traits {
	v := reflect.ValueOf(p)
	if v.Kind() != reflect.Struct {
		return Traits{}
	}
	var out Traits
	for _, f := range reflect.VisibleFields(v.Type()) {
		name, _, _ := strings.Cut(f.Tag.Get("json"), ",")
		to := map[string]*string{"projectId": &out.Project, "sessionId": &out.SessionID, "agentName": &out.AgentName,
			"channel": &out.Channel}[name]
		if to == nil || f.Type.Kind() != reflect.String || f.Tag.Get("personal") != "" {
			continue
		}
		if field, err := v.FieldByIndexErr(f.Index); err == nil {
			*to = field.String()
		}
	}
	return out
}
