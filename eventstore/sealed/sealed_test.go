package sealed_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/parley-platform/parley/eventstore/sealed"
)

// opened is an event of a stream about a customer in which colleagues and other people stand.
type opened struct {
	ID       string          `json:"id"`
	Target   string          `json:"target" personal:"callee"`
	Context  json.RawMessage `json:"context,omitempty" personal:"callee"`
	Tags     []string        `json:"tags,omitempty" personal:"callee"`
	Count    int             `json:"count"`
	Name     string          `json:"name,omitempty" personal:"agent" key:"own"`
	Email    string          `json:"email,omitempty" personal:"agent" key:"own"`
	Contacts []contact       `json:"contacts,omitempty" key:"own"`
	Nested   *nested         `json:"nested,omitempty"`
	base
}

type contact struct {
	Number string         `json:"number" personal:"contact"`
	Fields map[string]any `json:"fields,omitempty" personal:"contact"`
	Lang   string         `json:"lang,omitempty"`
}

type nested struct {
	ByName map[string]contact `json:"byName"`
	Inner  *nested            `json:"inner,omitempty"`
}

type base struct {
	Remark string `json:"remark,omitempty" personal:"callee"`
}

var whole = opened{ID: "7", Target: "+1555", Context: json.RawMessage(`{"vip": true, "quote": "\"~1.\\"}`), Tags: []string{"a", "b"},
	Count: 3,
	Name:  "Ann", Email: "ann@acme.test", Contacts: []contact{{Number: "1", Fields: map[string]any{"x": 1.5}, Lang: "en"}, {Number: "2"}},
	Nested: &nested{ByName: map[string]contact{"k": {Number: "3"}}, Inner: &nested{ByName: map[string]contact{"k": {Number: "4"}}}},
	base:   base{Remark: "late"}}

const event = "0190b8a0-0000-7000-8000-000000000001"

// Given an event, when it is sealed, then nothing of a person can be read and all else can;
// and when it is opened with the keys, then it is what it was.
func TestSealedAndOpenedIsTheSame(t *testing.T) {
	ring := &ring{}
	data := encoded(t, whole)
	closed := ring.seal(t, data)
	for _, word := range []string{`"+1555"`, `"vip"`, `"a"`, `"Ann"`, "acme.test", `"number":"1"`, `"x"`, `"late"`, `"number":"3"`,
		`"number":"4"`} {
		require.NotContains(t, string(closed), word)
	}
	for _, word := range []string{`"id":"7"`, `"count":3`, `"lang":"en"`, `"k":{`} {
		require.Contains(t, string(closed), word)
	}
	require.Equal(t, string(data), string(ring.open(t, closed)))
}

// Each person has a key: the one of the stream, one for each contact of a list, one for the
// colleague who is named by two members.
func TestEachPersonHasAKey(t *testing.T) {
	ring := &ring{}
	var closed struct {
		Target, Remark, Name, Email string
		Contacts                    []struct{ Number, Fields string }
	}
	require.NoError(t, json.Unmarshal(ring.seal(t, encoded(t, whole)), &closed))
	key := func(s string) string { return strings.Split(s, ".")[1] }
	require.Equal(t, ring.keys[0].ID.String(), key(closed.Target))
	require.Equal(t, key(closed.Target), key(closed.Remark))
	require.Equal(t, key(closed.Name), key(closed.Email))
	require.Equal(t, key(closed.Contacts[0].Number), key(closed.Contacts[0].Fields))
	distinct := map[string]bool{key(closed.Target): true, key(closed.Name): true, key(closed.Contacts[0].Number): true,
		key(closed.Contacts[1].Number): true}
	require.Len(t, distinct, 4)
}

// Given that somebody's key is gone, then that person's members are erased in the form that
// readers await, and everybody else's can be read.
func TestWhatIsErasedKeepsItsForm(t *testing.T) {
	ring := &ring{}
	closed := ring.seal(t, encoded(t, whole))
	ring.lose(0) // the stream's
	ring.lose(2) // the first contact's
	var read opened
	require.NoError(t, json.Unmarshal(ring.open(t, closed), &read))
	require.Equal(t, sealed.Erased, read.Target)
	require.Equal(t, sealed.Erased, read.Remark)
	require.Equal(t, "null", string(read.Context))
	require.Nil(t, read.Tags)
	require.Equal(t, []contact{{Number: sealed.Erased, Lang: "en"}, {Number: "2"}}, read.Contacts)
	require.Equal(t, "Ann", read.Name)
	require.Equal(t, sealed.Erased, read.Nested.Inner.ByName["k"].Number, "it has no key of its own")
}

func TestWhoMayNotSeeGetsTheSameForm(t *testing.T) {
	ring := &ring{}
	var read opened
	require.NoError(t, json.Unmarshal(sealed.Shut(ring.seal(t, encoded(t, whole)), reflect.TypeFor[opened]()), &read))
	require.Equal(t, []string{"7", sealed.Closed, sealed.Closed, sealed.Closed}, []string{read.ID, read.Target, read.Name,
		read.Contacts[0].Number})
	require.Equal(t, 3, read.Count)
}

// Given an event in which several stand, when it is for one of them, then what is of the
// others is shut and what is theirs opens.
func TestWhatIsOfOthersIsShut(t *testing.T) {
	ring := &ring{}
	closed, theirs := ring.seal(t, encoded(t, whole)), sealed.ID{}
	for id := range sealed.IDs(closed, reflect.TypeFor[opened]()) {
		theirs = id // of the event's first member: the stream's
		break
	}
	var read opened
	cut := sealed.ShutOthers(closed, reflect.TypeFor[opened](), func(id sealed.ID) bool { return id == theirs })
	require.NoError(t, json.Unmarshal(ring.open(t, cut), &read))
	require.Equal(t, []string{"+1555", "late", sealed.Closed, sealed.Closed, sealed.Closed}, []string{read.Target, read.Remark, read.Name,
		read.Email, read.Contacts[0].Number})
}

func TestAKeyIsNeverPrinted(t *testing.T) {
	key := sealed.NewKey(sealed.ID{1}, [sealed.SecretSize]byte{7, 7, 7})
	for _, form := range []string{"%v", "%+v", "%#v", "%s"} {
		require.Equal(t, sealed.ID{1}.String(), fmt.Sprintf(form, key), form)
	}
}

// What says nothing stays, and costs no key.
func TestNothingIsSealedOfNothing(t *testing.T) {
	for _, data := range []string{`{"id":"7","target":""}`, `{"target":null}`, `{}`, `{"unknown":"x"}`, `{"contacts":[]}`} {
		ring := &ring{}
		require.Equal(t, data, string(ring.seal(t, []byte(data))))
		require.Empty(t, ring.keys, data)
	}
	type plain struct{ Name string }
	ring := &ring{}
	out, err := sealed.Seal([]byte(`{"Name":"x"}`), reflect.TypeFor[plain](), event, ring)
	require.NoError(t, err)
	require.Nil(t, out)
}

// A member that was sealed for one event does not open in another, and who spells something
// like a sealed member gets it back as it is.
func TestOnlyWhatWasSealedHereOpens(t *testing.T) {
	ring := &ring{}
	closed := ring.seal(t, encoded(t, opened{ID: "7", Target: "+1555"}))
	require.Equal(t, string(closed), string(sealed.Open(closed, reflect.TypeFor[opened](), "another", ring.find)))

	id := ring.keys[0].ID.String()
	for _, text := range []string{`~1.`, `~1.short.AAAA`, `~1.` + id, `~1.` + id + `.AAAA`, `~1.` + id + `.!!`, `\"~1.` + id + `.AAAA\"`,
		`x~1.` + id + `.AAAA`} {
		require.Equal(t, `{"target":"`+text+`"}`, string(ring.open(t, []byte(`{"target":"`+text+`"}`))))
	}
}

// What is spelled like a sealed member where nothing personal stands names no key: nobody
// can make a reader look for one that there never was.
func TestOnlyPersonalMembersNameKeys(t *testing.T) {
	text := "~1." + sealed.ID{7}.String() + ".AAAA"
	data := []byte(`{"id":"` + text + `","unknown":{"target":"` + text + `"}}`)
	for range sealed.IDs(data, reflect.TypeFor[opened]()) {
		t.Fatal("a key is named")
	}
	require.Equal(t, string(data), string(sealed.Shut(data, reflect.TypeFor[opened]())))
}

func TestTheKeysOfAnEventAreTold(t *testing.T) {
	ring := &ring{}
	closed := ring.seal(t, encoded(t, whole))
	var told []sealed.ID
	for id := range sealed.IDs(closed, reflect.TypeFor[opened]()) {
		if !slices.Contains(told, id) {
			told = append(told, id)
		}
	}
	require.ElementsMatch(t, ring.ids(), told)
}

func TestNoKeyNoEvent(t *testing.T) {
	away := errors.New("no keys")
	_, err := sealed.Seal(encoded(t, whole), reflect.TypeFor[opened](), event, &ring{away: away})
	require.ErrorIs(t, err, away)
}

func TestIDs(t *testing.T) {
	id := sealed.ID{1, 2, 255}
	back, err := sealed.ParseID(id.String())
	require.NoError(t, err)
	require.Equal(t, id, back)
	for _, wrong := range []string{"", "short", id.String() + "A", strings.Repeat("A", 21) + "B", strings.Repeat("!", 22)} {
		_, err := sealed.ParseID(wrong)
		require.Error(t, err, wrong)
	}
}

func encoded(t testing.TB, v any) []byte {
	t.Helper()
	data, err := json.Marshal(v)
	require.NoError(t, err)
	return data
}

// ring is the keys of a test, in the order in which they were asked for.
type ring struct {
	keys []*sealed.Key
	of   *sealed.Key
	lost []sealed.ID
	away error
}

func (r *ring) Own() (sealed.Key, error) {
	if r.away != nil {
		return sealed.Key{}, r.away
	}
	k := sealed.NewKey(sealed.ID{byte(len(r.keys) + 1)}, [sealed.SecretSize]byte{byte(len(r.keys))})
	r.keys = append(r.keys, &k)
	return k, nil
}

func (r *ring) OfStream() (sealed.Key, error) {
	if r.of == nil {
		k, err := r.Own()
		if err != nil {
			return k, err
		}
		r.of = &k
	}
	return *r.of, nil
}

func (r *ring) lose(i int) { r.lost = append(r.lost, r.keys[i].ID) }

func (r *ring) ids() (all []sealed.ID) {
	for _, k := range r.keys {
		all = append(all, k.ID)
	}
	return all
}

func (r *ring) find(id sealed.ID) *sealed.Key {
	if i := slices.Index(r.ids(), id); i >= 0 && !slices.Contains(r.lost, id) {
		return r.keys[i]
	}
	return nil
}

func (r *ring) seal(t testing.TB, data []byte) []byte {
	t.Helper()
	out, err := sealed.Seal(data, reflect.TypeFor[opened](), event, r)
	require.NoError(t, err)
	if out == nil {
		return data
	}
	require.True(t, json.Valid(out), "%s", out)
	return out
}

func (r *ring) open(t testing.TB, data []byte) []byte {
	t.Helper()
	out := sealed.Open(data, reflect.TypeFor[opened](), event, r.find)
	require.True(t, json.Valid(out), "%s", out)
	return out
}

// Who stands in an event with a key of one's own is looked for only where somebody can.
func TestTypesInWhichSomebodyHasAKeyOfOnesOwn(t *testing.T) {
	type deep struct {
		Nested map[string][]contact `json:"nested" key:"own"`
	}
	type itself struct {
		Again *itself `json:"again"`
		Note  string  `json:"note" personal:"callee"`
	}
	for _, of := range []struct {
		t   reflect.Type
		own bool
	}{
		{reflect.TypeFor[opened](), true}, {reflect.TypeFor[deep](), true}, {reflect.TypeFor[struct {
			A deep `json:"-"`
		}](), false},
		{reflect.TypeFor[struct {
			A deep `json:"a"`
		}](), true},
		{reflect.TypeFor[contact](), false}, {reflect.TypeFor[base](), false}, {reflect.TypeFor[itself](), false},
		{reflect.TypeFor[struct{ ID string }](), false},
	} {
		require.Equal(t, of.own, sealed.HasOwn(of.t), "%v", of.t)
	}
}
