package analytics

import (
	"encoding/json"
	"reflect"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/parley-platform/parley/domain/catalog"
	"github.com/parley-platform/parley/domain/event"
	"github.com/parley-platform/parley/domain/sessions"
	"github.com/parley-platform/parley/eventstore/sealed"
)

// described is what the analytics take of an event of a session.
func described(t *testing.T, e event.Payload) Entry {
	t.Helper()
	k, err := sessions.Sessions.KindOf(e)
	require.NoError(t, err)
	return mappingOf(k).describe(At{}, e)
}

// A call of a tool has the time that it took, with its repeats; one that was not made has none.
func TestCallsOfToolsHaveDurations(t *testing.T) {
	made := described(t, sessions.CallEnded{Tool: "find", Outcome: sessions.CallFailed, Code: "TIMEOUT", Tries: 2, TookMs: 41})
	require.Equal(t, 41*time.Millisecond, *made.Duration)
	require.Equal(t, "TIMEOUT", made.Error)
	require.Nil(t, described(t, sessions.CallEnded{Tool: "find", Outcome: sessions.CallOK, Mock: 1}).Duration)
}

// A conversation that was not taken, and is given back because of that, is an error; one that was is none.
func TestAHandoffThatFailedIsAnError(t *testing.T) {
	require.Equal(t, "TOOL_FAILED", described(t, sessions.HandedBack{From: "b", To: "a", Failed: "TOOL_FAILED"}).Error)
	require.Empty(t, described(t, sessions.HandedBack{From: "b", To: "a"}).Error)
}

// What is said of a person decides no figure: a rebuild behind an erasure, which finds it gone, makes the rows that there are.
func TestFiguresSayNothingOfPeople(t *testing.T) {
	for _, c := range catalog.Categories() {
		for _, k := range c.Kinds() {
			m := mappingOf(k)
			if m.ignored != "" {
				continue
			}
			whole := reflect.New(k.Go)
			fill(whole.Elem(), 0)
			data, err := json.Marshal(whole.Interface())
			require.NoError(t, err)
			closed, err := sealed.Seal(data, k.Go, "e-1", lost{})
			require.NoError(t, err)
			if closed == nil {
				continue
			}
			told := func(data []byte) Entry {
				p := reflect.New(k.Go)
				require.NoError(t, json.Unmarshal(data, p.Interface()), "%s %s", k.Type(), data)
				return m.describe(At{}, p.Elem().Interface().(event.Payload))
			}
			gone := sealed.Open(closed, k.Go, "e-1", func(sealed.ID) *sealed.Key { return nil })
			assert.Equal(t, told(data), told(gone), k.Type())
		}
	}
}

// lost are keys that nobody has any more.
type lost struct{}

func (lost) OfStream() (sealed.Key, error) {
	return sealed.NewKey(sealed.ID{1}, [sealed.SecretSize]byte{1}), nil
}
func (l lost) Own() (sealed.Key, error) { return l.OfStream() }

// fill puts something into every member.
func fill(v reflect.Value, deep int) {
	if deep > 8 || !v.CanSet() {
		return
	}
	switch x := v.Addr().Interface().(type) {
	case *time.Time:
		*x = time.Unix(1, 0).UTC()
		return
	case *json.RawMessage:
		*x = json.RawMessage(`{"a":"b"}`)
		return
	}
	switch v.Kind() {
	case reflect.String:
		v.SetString("of Ada")
	case reflect.Int, reflect.Int64, reflect.Int32:
		v.SetInt(7)
	case reflect.Float64:
		v.SetFloat(7)
	case reflect.Pointer:
		v.Set(reflect.New(v.Type().Elem()))
		fill(v.Elem(), deep+1)
	case reflect.Slice:
		v.Set(reflect.MakeSlice(v.Type(), 1, 1))
		fill(v.Index(0), deep+1)
	case reflect.Map:
		key, value := reflect.New(v.Type().Key()).Elem(), reflect.New(v.Type().Elem()).Elem()
		fill(key, deep+1)
		fill(value, deep+1)
		v.Set(reflect.MakeMap(v.Type()))
		v.SetMapIndex(key, value)
	case reflect.Struct:
		for i := range v.NumField() {
			fill(v.Field(i), deep+1)
		}
	}
}
