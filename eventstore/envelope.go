package eventstore

import (
	"encoding/json"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/google/uuid"
	"github.com/segmentio/kafka-go"
)

// Record is one event as it stands on the log: a CloudEvent in Kafka's binary
// mode, its attributes in headers named ce_<attribute> and its JSON in the value.
type Record struct {
	ID            string    // ce_id, a UUID
	Source        string    // ce_source, /parley/<node id>: the node that wrote it
	Type          string    // ce_type, parley.<context>.<event>.v<N>
	Stream        string    // ce_subject and the record's key
	Time          time.Time // ce_time, UTC
	Tenant        string    // ce_tenant, the account
	Actor         string    // ce_actor, who caused it: user:.., key:.., reactor:..
	Version       int64     // ce_version, position in the stream, from 1
	Commit        string    // ce_commit, a fresh UUID per decision
	CommitIndex   int       // ce_commitindex, 0..CommitSize-1
	CommitSize    int       // ce_commitsize
	Parent        string    // ce_parent on the first record: the commit the decision saw at the head
	RequestID     string    // ce_requestid on the first record, empty without idempotency
	RequestHash   string    // ce_requesthash, of the request's body
	CorrelationID string    // ce_correlationid, the request that started it all (tr-..)
	CausationID   string    // ce_causationid, the event or request that caused this one
	Traceparent   string    // traceparent, W3C trace context
	KeyID         string    // ce_keyid, the data key of the stream; OwnKeys: none, but members are sealed; empty: none are
	Data          []byte    // the JSON value, never empty; as it stands on the log until Open opened it
	Sealed        []byte    // as it stands on the log, where Data was opened; else nil

	// Where it was read; not part of the envelope.
	Topic     string
	Partition int
	Offset    int64
}

const contentType = "application/json"

// OwnKeys stands for the key of a stream that has none, in an event whose personal members
// are sealed all the same: each with the key of a person who stands in it.
const OwnKeys = "own"

// Stored is the value as it stands on the log, and in the stream index.
func (r *Record) Stored() []byte {
	if r.Sealed != nil {
		return r.Sealed
	}
	return r.Data
}

// Headers is the envelope in the order in which it is written. It depends on the
// record alone, so a resend has the same bytes.
func (r *Record) Headers() []kafka.Header {
	h := make([]kafka.Header, 0, 21)
	put := func(key, value string) { h = append(h, kafka.Header{Key: key, Value: []byte(value)}) }
	opt := func(key, value string) {
		if value != "" {
			put(key, value)
		}
	}
	put("ce_specversion", "1.0")
	put("ce_id", r.ID)
	put("ce_source", r.Source)
	put("ce_type", r.Type)
	put("ce_subject", r.Stream)
	put("ce_time", r.Time.UTC().Format(time.RFC3339Nano))
	put("content-type", contentType)
	opt("ce_dataschema", DataSchema(r.Type))
	put("ce_tenant", r.Tenant)
	opt("ce_actor", r.Actor)
	put("ce_version", strconv.FormatInt(r.Version, 10))
	put("ce_commit", r.Commit)
	put("ce_commitindex", strconv.Itoa(r.CommitIndex))
	put("ce_commitsize", strconv.Itoa(r.CommitSize))
	opt("ce_parent", r.Parent)
	opt("ce_requestid", r.RequestID)
	opt("ce_requesthash", r.RequestHash)
	opt("ce_correlationid", r.CorrelationID)
	opt("ce_causationid", r.CausationID)
	opt("traceparent", r.Traceparent)
	opt("ce_keyid", r.KeyID)
	return h
}

// longestSchema is how long a ce_dataschema may be: what recordOverhead has room for, which
// is a part of the accept rule and stays as it is.
const longestSchema = 80

// DataSchema names the JSON schema of an event's value: its $id in docs/schemas/events. A
// type whose name is too long has none; none of Parley's is.
func DataSchema(eventType string) string {
	if schema := "urn:parley:" + strings.TrimPrefix(eventType, "parley."); len(schema) <= longestSchema {
		return schema
	}
	return ""
}

// recordOverhead is more than a record takes on the log beside what size counts: the
// names of its headers, numbers, time, content type and all lengths.
const recordOverhead = 450

// smallestRecord is less than any record counts for: one letter where one must be.
const smallestRecord = recordOverhead + 2*36 + len("parley.a.b.v1") + len("s")*2 + len("t") + len("1")

// size is a little more than the bytes that the record takes in a batch. It depends on
// the envelope and the value alone, so writers and readers count the same.
func (r *Record) size() int {
	return recordOverhead + len(r.Stored()) + 2*len(r.Stream) + len(r.ID) + len(r.Source) + len(r.Type) + len(r.Tenant) + len(r.Actor) +
		len(r.Commit) + len(r.Parent) +
		len(r.RequestID) + len(r.RequestHash) + len(r.CorrelationID) + len(r.CausationID) + len(r.Traceparent)
}

// ErrMalformed is wrapped by every complaint of ParseRecord.
var ErrMalformed = errors.New("malformed record")

// ParseRecord reads the envelope from a record's key, headers and value. Unknown
// headers are ignored, so that later versions can add some. A complaint says what
// is wrong; the caller skips, counts and alarms.
func ParseRecord(key, value []byte, headers []kafka.Header) (*Record, error) {
	r := &Record{Data: value}
	var spec string
	var err error
	num := func(name string, v []byte) int64 {
		n, e := strconv.ParseInt(string(v), 10, 64)
		if e != nil && err == nil {
			err = fmt.Errorf("%w: %s %q is not a number", ErrMalformed, name, v)
		}
		return n
	}
	for _, h := range headers {
		v := string(h.Value)
		switch h.Key {
		case "ce_specversion":
			spec = v
		case "ce_id":
			r.ID = v
		case "ce_source":
			r.Source = v
		case "ce_type":
			r.Type = v
		case "ce_subject":
			r.Stream = v
		case "ce_time":
			t, e := time.Parse(time.RFC3339Nano, v)
			if e != nil && err == nil {
				err = fmt.Errorf("%w: ce_time %q", ErrMalformed, v)
			}
			r.Time = t.UTC()
		case "ce_tenant":
			r.Tenant = v
		case "ce_actor":
			r.Actor = v
		case "ce_version":
			r.Version = num(h.Key, h.Value)
		case "ce_commit":
			r.Commit = v
		case "ce_commitindex":
			r.CommitIndex = int(num(h.Key, h.Value))
		case "ce_commitsize":
			r.CommitSize = int(num(h.Key, h.Value))
		case "ce_parent":
			r.Parent = v
		case "ce_requestid":
			r.RequestID = v
		case "ce_requesthash":
			r.RequestHash = v
		case "ce_correlationid":
			r.CorrelationID = v
		case "ce_causationid":
			r.CausationID = v
		case "traceparent":
			r.Traceparent = v
		case "ce_keyid":
			r.KeyID = v
		}
	}
	if err != nil {
		return nil, err
	}
	if err := r.check(spec, string(key)); err != nil {
		return nil, err
	}
	return r, nil
}

// isEventType says whether a ce_type is parley.<context>.<event>.v<N>, in small letters,
// digits and hyphens. A type of another form is a stranger's, while one of this form that a
// binary does not know is a newer version's. Every record is asked, so no expression is.
func isEventType(s string) bool {
	s, ok := strings.CutPrefix(s, "parley.")
	context, s, first := strings.Cut(s, ".")
	name, version, second := strings.Cut(s, ".")
	return ok && first && second && isSlug(context) && isSlug(name) && isVersion(version)
}

func isSlug(s string) bool {
	for i := range len(s) {
		if c := s[i]; (c < 'a' || c > 'z') && (i == 0 || c != '-' && (c < '0' || c > '9')) {
			return false
		}
	}
	return s != ""
}

// isVersion is v and up to six digits, of which the first is not 0.
func isVersion(s string) bool {
	if len(s) < 2 || len(s) > 7 || s[0] != 'v' || s[1] == '0' {
		return false
	}
	for _, c := range []byte(s[1:]) {
		if c < '0' || c > '9' {
			return false
		}
	}
	return true
}

// check refuses what the accept rule could not judge.
func (r *Record) check(spec, key string) error {
	bad := func(format string, args ...any) error {
		return fmt.Errorf("%w: "+format, append([]any{ErrMalformed}, args...)...)
	}
	switch {
	case spec != "1.0":
		return bad("ce_specversion %q", spec)
	case r.Stream == "" || r.Stream != key:
		return bad("ce_subject %q with key %q", r.Stream, key)
	case r.Tenant == "":
		return bad("no ce_tenant")
	case !isEventType(r.Type):
		return bad("ce_type %.80q is not parley.<context>.<event>.v<N>", r.Type)
	case r.Version < 1 || r.CommitSize < 1 || r.CommitIndex < 0 || r.CommitIndex >= r.CommitSize:
		return bad("version %d, commit index %d of %d", r.Version, r.CommitIndex, r.CommitSize)
	case r.CommitSize > MaxCommitRecords:
		return bad("a commit of %d records, where the most is %d", r.CommitSize, MaxCommitRecords)
	case len(r.Data) == 0:
		return bad("empty value")
	case r.size() > MaxCommitBytes:
		return bad("it takes %d bytes, where a whole commit has at most %d", r.size(), MaxCommitBytes)
	}
	if name := r.illegible(); name != "" {
		return bad("%s is not text, or longer than %d bytes", name, MaxAttribute)
	}
	if !json.Valid(r.Data) {
		return bad("the value is not JSON")
	}
	switch {
	case !canonical(r.ID):
		return bad("ce_id %q is not a UUID", r.ID)
	case !canonical(r.Commit):
		return bad("ce_commit %q is not a UUID", r.Commit)
	case r.Parent != "" && !canonical(r.Parent):
		return bad("ce_parent %q is not a UUID", r.Parent)
	}
	return nil
}

// MaxAttribute is the most bytes of one attribute of a record.
const MaxAttribute = 1024

// illegible names an attribute that a read model could not store: Postgres takes
// neither broken UTF-8 nor a zero character, and no long keys in an index.
func (r *Record) illegible() string {
	for _, a := range [...]struct{ name, value string }{
		{"ce_subject", r.Stream}, {"ce_source", r.Source}, {"ce_type", r.Type}, {"ce_tenant", r.Tenant}, {"ce_actor", r.Actor},
		{"ce_requestid", r.RequestID}, {"ce_requesthash", r.RequestHash}, {"ce_correlationid", r.CorrelationID},
		{"ce_causationid", r.CausationID}, {"traceparent", r.Traceparent}, {"ce_keyid", r.KeyID},
	} {
		if len(a.value) > MaxAttribute || !utf8.ValidString(a.value) || strings.IndexByte(a.value, 0) >= 0 {
			return a.name
		}
	}
	return ""
}

// canonical reports whether an id is a UUID in the one form in which a database
// gives it back: heads are compared as text.
func canonical(id string) bool {
	u, err := uuid.Parse(id)
	return err == nil && u.String() == id
}
