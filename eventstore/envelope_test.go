package eventstore

import (
	"encoding/binary"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/segmentio/kafka-go"
	"github.com/stretchr/testify/require"
)

func fullRecord() *Record {
	return &Record{ID: id("event"), Source: "/parley/n1", Type: "parley.calls.answered.v2", Stream: "call-7", Time: time.Date(2026, 3, 1, 9,
		30, 0, 120_000_000, time.UTC),
		Tenant: "acme", Actor: "user:ann", Version: 4, Commit: id("commit"), CommitIndex: 0, CommitSize: 2, Parent: id("parent"),
		RequestID: "r1", RequestHash: "h1", CorrelationID: "tr-1", CausationID: "c1", Traceparent: "00-ab-cd-01", Data: []byte(`{"by":"ann"}`)}
}

func TestARecordSurvivesTheLog(t *testing.T) {
	minimal := &Record{ID: id("e"), Source: "/parley/n1", Type: "parley.t.t.v1", Stream: "s", Time: time.Unix(0, 0).UTC(), Tenant: "acme",
		Version: 1, Commit: id("c"), CommitSize: 1, Data: []byte(`{}`)}
	for name, r := range map[string]*Record{"full": fullRecord(), "minimal": minimal} {
		got, err := ParseRecord([]byte(r.Stream), r.Data, r.Headers())
		require.NoError(t, err, name)
		require.Equal(t, r, got, name)
	}
}

func TestTheEnvelopeIsACloudEventInKafkasBinaryMode(t *testing.T) {
	var lines []string
	for _, h := range fullRecord().Headers() {
		lines = append(lines, h.Key+": "+string(h.Value))
	}
	require.Equal(t, `ce_specversion: 1.0
ce_id: `+id("event")+`
ce_source: /parley/n1
ce_type: parley.calls.answered.v2
ce_subject: call-7
ce_time: 2026-03-01T09:30:00.12Z
content-type: application/json
ce_dataschema: urn:parley:calls.answered.v2
ce_tenant: acme
ce_actor: user:ann
ce_version: 4
ce_commit: `+id("commit")+`
ce_commitindex: 0
ce_commitsize: 2
ce_parent: `+id("parent")+`
ce_requestid: r1
ce_requesthash: h1
ce_correlationid: tr-1
ce_causationid: c1
traceparent: 00-ab-cd-01`, strings.Join(lines, "\n"))
}

func TestAResendHasTheSameBytes(t *testing.T) {
	r := fullRecord()
	local := *r
	local.Time = r.Time.In(time.FixedZone("elsewhere", 7200))
	local.Topic, local.Partition, local.Offset = "parley.calls", 3, 99 // where it was read is not part of it
	require.Equal(t, r.Headers(), r.Headers())
	require.Equal(t, r.Headers(), local.Headers())
}

func TestUnknownHeadersAreIgnored(t *testing.T) {
	r := fullRecord()
	got, err := ParseRecord([]byte(r.Stream), r.Data, append(r.Headers(), kafka.Header{Key: "ce_later", Value: []byte{0, 0xff}}))
	require.NoError(t, err)
	require.Equal(t, r, got)
}

func TestParseRecordRefuses(t *testing.T) {
	set := func(key, value string) func(*Record, *[]kafka.Header) {
		return func(_ *Record, h *[]kafka.Header) {
			*h = slices.DeleteFunc(*h, func(x kafka.Header) bool { return x.Key == key })
			if value != "" {
				*h = append(*h, kafka.Header{Key: key, Value: []byte(value)})
			}
		}
	}
	data := func(v string) func(*Record, *[]kafka.Header) {
		return func(r *Record, _ *[]kafka.Header) { r.Data = []byte(v) }
	}
	for name, c := range map[string]struct {
		change func(*Record, *[]kafka.Header)
		names  string
	}{
		"no specversion":               {set("ce_specversion", ""), "ce_specversion"},
		"another specversion":          {set("ce_specversion", "0.3"), "ce_specversion"},
		"no subject":                   {set("ce_subject", ""), "ce_subject"},
		"a subject unlike the key":     {set("ce_subject", "call-8"), "ce_subject"},
		"no tenant":                    {set("ce_tenant", ""), "ce_tenant"},
		"no type":                      {set("ce_type", ""), "ce_type"},
		"no id":                        {set("ce_id", ""), "ce_id"},
		"an id that is no UUID":        {set("ce_id", "7"), "ce_id"},
		"no commit":                    {set("ce_commit", ""), "ce_commit"},
		"a commit that is no UUID":     {set("ce_commit", "7"), "ce_commit"},
		"a commit in capitals":         {set("ce_commit", strings.ToUpper(id("commit"))), "ce_commit"},
		"a commit in braces":           {set("ce_commit", "{"+id("commit")+"}"), "ce_commit"},
		"a parent that is no UUID":     {set("ce_parent", "7"), "ce_parent"},
		"a parent as a URN":            {set("ce_parent", "urn:uuid:"+id("parent")), "ce_parent"},
		"no version":                   {set("ce_version", ""), "version 0"},
		"version zero":                 {set("ce_version", "0"), "version 0"},
		"a negative version":           {set("ce_version", "-1"), "version -1"},
		"a version in words":           {set("ce_version", "four"), "ce_version"},
		"a version too large":          {set("ce_version", "9223372036854775808"), "ce_version"},
		"no commit size":               {set("ce_commitsize", ""), "of 0"},
		"more than any commit has":     {set("ce_commitsize", strconv.Itoa(MaxCommitRecords+1)), "where the most is"},
		"more than a commit may weigh": {data(`"` + strings.Repeat("x", MaxCommitBytes) + `"`), "a whole commit has at most"},
		"commit size zero":             {set("ce_commitsize", "0"), "of 0"},
		"an index beyond the size":     {set("ce_commitindex", "2"), "index 2 of 2"},
		"a negative index":             {set("ce_commitindex", "-1"), "index -1"},
		"an index in words":            {set("ce_commitindex", "x"), "ce_commitindex"},
		"a time in words":              {set("ce_time", "noon"), "ce_time"},
		"a tenant with a zero":         {set("ce_tenant", "ac\x00me"), "ce_tenant"},
		"an actor in Latin-1":          {set("ce_actor", "user:Ren\xe9"), "ce_actor"},
		"an endless request id":        {set("ce_requestid", strings.Repeat("x", MaxAttribute+1)), "ce_requestid"},
		"an empty value":               {data(""), "empty value"},
		"a value that is no JSON":      {data("{"), "not JSON"},
	} {
		t.Run(name, func(t *testing.T) {
			r := fullRecord()
			headers := r.Headers()
			c.change(r, &headers)
			got, err := ParseRecord([]byte("call-7"), r.Data, headers)
			require.ErrorIs(t, err, ErrMalformed)
			require.ErrorContains(t, err, c.names)
			require.Nil(t, got)
		})
	}
}

func TestHeadsAreTheSameFromMemoryAndFromTheDatabase(t *testing.T) {
	// Postgres gives a uuid back in one form; a record in any other is malformed, so
	// that a projector with a warm cache judges as one that has just started.
	for _, form := range []string{strings.ToUpper(id("a")), "urn:uuid:" + id("a"), strings.ReplaceAll(id("a"), "-", ""), "{" + id("a") + "}"} {
		u, err := uuid.Parse(form)
		require.NoError(t, err)
		require.Equal(t, id("a"), u.String())
		require.False(t, canonical(form), form)
	}
	require.True(t, canonical(id("a")))
}

func FuzzParseRecord(f *testing.F) {
	f.Add("ce_version", []byte("1"), []byte(`{}`))
	f.Add("ce_commitsize", []byte("99999999999"), []byte(`1`))
	f.Fuzz(func(t *testing.T, key string, value, data []byte) {
		r := fullRecord()
		got, err := ParseRecord([]byte(r.Stream), data, append(r.Headers(), kafka.Header{Key: key, Value: value}))
		if err != nil {
			return
		}
		again, err := ParseRecord([]byte(got.Stream), got.Data, got.Headers())
		if got.Time.Year() > 9999 || got.Time.Year() < 0 {
			return
		}
		require.NoError(t, err)
		require.Equal(t, fmt.Sprint(got), fmt.Sprint(again))
	})
}

// What counts for the bounds of a commit is no less than what the log takes, whatever
// the envelope holds, and no less than what the bound on records was made from.
func TestTheSizeOfARecordCoversItsBytesOnTheLog(t *testing.T) {
	wire := func(r *Record) int {
		varint := func(n int) int { return len(binary.AppendVarint(nil, int64(n))) }
		body := 1 + binary.MaxVarintLen64 + binary.MaxVarintLen32 + varint(len(r.Stream)) + len(r.Stream) + varint(len(r.Data)) + len(r.Data) +
			varint(len(r.Headers()))
		for _, h := range r.Headers() {
			body += varint(len(h.Key)) + len(h.Key) + varint(len(h.Value)) + len(h.Value)
		}
		return varint(body) + body
	}
	long := strings.Repeat("x", MaxAttribute)
	small := &Record{ID: id("e"), Type: "parley.a.b.v1", Stream: "s", Tenant: "t", Version: 1, Commit: id("c"), CommitSize: 1,
		Data: []byte("1")}
	large := &Record{ID: id("e"), Source: long, Type: "parley.a." + strings.Repeat("b", 900) + ".v99999", Stream: long,
		Time: time.Date(2026, 12, 31, 23, 59, 59, 999_999_999, time.UTC), Tenant: long, Actor: long,
		Version: math.MaxInt64, Commit: id("c"), CommitIndex: MaxCommitRecords - 1, CommitSize: MaxCommitRecords, Parent: id("p"),
		RequestID: long, RequestHash: long,
		CorrelationID: long, CausationID: long, Traceparent: long, Data: make([]byte, MaxCommitBytes)}
	described := *large
	described.Type = "parley.a." + strings.Repeat("b", longestSchema-len("urn:parley:a..v1")) + ".v1"
	require.Len(t, DataSchema(described.Type), longestSchema)
	require.Empty(t, DataSchema(described.Type+"0"), "there is no room for a longer one")
	for _, r := range []*Record{small, large, &described, fullRecord()} {
		require.LessOrEqual(t, wire(r), r.size())
	}
	require.NoError(t, small.check("1.0", "s"))
	require.GreaterOrEqual(t, small.size(), smallestRecord)
	require.Greater(t, (MaxCommitRecords+1)*smallestRecord, MaxCommitBytes, "so many would not fit")
}
