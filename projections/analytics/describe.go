package analytics

import (
	"encoding/json"
	"fmt"
	"reflect"
	"strings"
	"sync"
	"time"

	"github.com/parley-platform/parley/domain/event"
	"github.com/parley-platform/parley/eventstore"
)

// row is one event as analytics_events keeps it.
type row struct {
	Entry
	stream    string
	begins    bool // the stream: nothing is known of it
	tenant    string
	id        string
	ts        time.Time
	moment    time.Time // when it happened, as the event itself says; zero: it does not
	category  Category
	eventType string
	metadata  string // JSON
}

// longest is how many characters of a name or an error are kept: rollups have names in
// their keys.
const longest = 256

// describe is the row of an accepted event, before what is remembered of its stream;
// false when its type is ignored. An event that a mapping fails on appears without what
// the mapping knows, and trouble says why.
func describe(c *event.Category, r *eventstore.Record, p event.Payload) (x row, ok bool, trouble, err error) {
	k, err := c.KindOf(p)
	if err != nil {
		return row{}, false, nil, err
	}
	m := mappingOf(k)
	if m.ignored != "" {
		return row{}, false, nil, nil
	}
	at := At{Stream: r.Stream, StreamID: c.StreamID(r.Stream), Version: r.Version, ID: r.ID, Tenant: r.Tenant, Actor: r.Actor, Time: r.Time}
	x = row{stream: r.Stream, begins: r.Version == 1, tenant: r.Tenant, id: r.ID,
		ts: r.Time.UTC().Truncate(time.Microsecond), moment: happened(p),
		category: m.category, eventType: m.eventType}
	x.Entry, trouble = spared(m, at, p)
	if x.metadata, err = metadataOf(x.Metadata); err != nil {
		x.metadata, trouble = "{}", fmt.Errorf("the metadata of %s %s: %w", r.Type, r.ID, err)
	}
	for _, s := range []*string{&x.Project, &x.SessionID, &x.AgentName, &x.Channel, &x.Model, &x.Error} {
		*s = keepable(*s)
	}
	return x, true, trouble, nil
}

// happened is the moment that an event states of itself: that of the log is when it was
// told, which may be later. Lifetimes are between such moments, as in the read models.
func happened(p event.Payload) time.Time {
	v := reflect.ValueOf(p)
	for _, index := range momentsOf(v.Type()) {
		if field, err := v.FieldByIndexErr(index); err == nil {
			at, _ := field.Interface().(time.Time)
			return at.UTC().Truncate(time.Microsecond)
		}
	}
	return time.Time{}
}

// moments are, by type of event, where the members named "at" are: looking at all members
// of each event anew takes longer than all the rest of describing it.
var moments sync.Map

func momentsOf(t reflect.Type) (out [][]int) {
	if known, ok := moments.Load(t); ok {
		return known.([][]int)
	}
	if t.Kind() == reflect.Struct {
		for _, f := range reflect.VisibleFields(t) {
			if name, _, _ := strings.Cut(f.Tag.Get("json"), ","); name == "at" {
				out = append(out, f.Index)
			}
		}
	}
	moments.Store(t, out)
	return out
}

// spared runs a mapping and survives it.
func spared(m mapping, at At, p event.Payload) (e Entry, trouble error) {
	defer func() {
		if r := recover(); r != nil {
			e, trouble = Entry{}, fmt.Errorf("describing %T of %s version %d: %v", p, at.Stream, at.Version, r)
		}
	}()
	return m.describe(at, p), nil
}

func metadataOf(m map[string]any) (string, error) {
	if len(m) == 0 {
		return "{}", nil
	}
	data, err := json.Marshal(m)
	return string(data), err
}

// keepable is a text as Postgres can keep it, and not too long for a key.
func keepable(s string) string {
	s = strings.ReplaceAll(strings.ToValidUTF8(s, "\uFFFD"), "\x00", "\uFFFD")
	if len(s) <= longest {
		return s
	}
	if runes := []rune(s); len(runes) > longest {
		return string(runes[:longest])
	}
	return s
}
