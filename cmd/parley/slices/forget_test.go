package slices_test

import (
	"context"
	"encoding/json"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/parley-platform/parley/adapters/embedded/embeddedtest"
	"github.com/parley-platform/parley/adapters/postgres"
	"github.com/parley-platform/parley/adapters/vault"
	"github.com/parley-platform/parley/cmd/parley/slices"
	"github.com/parley-platform/parley/domain/event"
	"github.com/parley-platform/parley/domain/runs"
	"github.com/parley-platform/parley/domain/voicemails"
	"github.com/parley-platform/parley/eventstore/sealed"
	"github.com/parley-platform/parley/migrations"
	"github.com/parley-platform/parley/projections"
	"github.com/parley-platform/parley/projections/projectiontest"
)

// person stands in every personal member: as a number, by which persons are found.
const person = "+15550000001"

// about fills an event: personal members with the person, other texts with the id that the
// stream has, so that rows are found.
func about(v reflect.Value, personal bool, id string) {
	text := id
	if personal {
		text = person
	}
	switch v.Interface().(type) {
	case time.Time:
		v.Set(reflect.ValueOf(projectiontest.Noon))
		return
	case json.RawMessage:
		v.SetBytes([]byte(`{"is":"` + text + `"}`))
		return
	}
	switch v.Kind() {
	case reflect.String:
		v.SetString(text)
	case reflect.Bool:
		v.SetBool(true)
	case reflect.Int, reflect.Int32, reflect.Int64:
		v.SetInt(1)
	case reflect.Pointer:
		v.Set(reflect.New(v.Type().Elem()))
		about(v.Elem(), personal, id)
	case reflect.Slice:
		v.Set(reflect.MakeSlice(v.Type(), 1, 1))
		about(v.Index(0), personal, id)
	case reflect.Map:
		value := reflect.New(v.Type().Elem()).Elem()
		about(value, personal, id)
		v.Set(reflect.MakeMap(v.Type()))
		v.SetMapIndex(reflect.ValueOf("member").Convert(v.Type().Key()), value)
	case reflect.Interface:
		v.Set(reflect.ValueOf(text))
	case reflect.Struct:
		for i := range v.NumField() {
			if f := v.Type().Field(i); f.IsExported() {
				if f.Name == "FileID" { // made of the stream's
					v.Field(i).SetString(voicemails.FileIDPrefix + id)
					continue
				}
				if f.Name == "IdentityType" { // of the person's identity, which is a number
					v.Field(i).SetString("phone")
					continue
				}
				about(v.Field(i), personal || f.Tag.Get("personal") != "" && !colleague[f.Tag.Get("personal")], id)
			}
		}
	}
}

func anyVault(t *testing.T) *vault.Vault {
	t.Helper()
	v, err := vault.Create(filepath.Join(t.TempDir(), "keyset.json"))
	require.NoError(t, err)
	return v
}

// colleague is who works for the account and stays when a customer is erased.
var colleague = map[string]bool{"agent": true, "humanAgent": true}

// gone is the event as it opens when the customer's key is gone.
func gone(t *testing.T, c *event.Category, e event.Payload) event.Payload {
	t.Helper()
	data, err := json.Marshal(e)
	require.NoError(t, err)
	kind, err := c.KindOf(e)
	require.NoError(t, err)
	closed, err := sealed.Seal(data, kind.Go, "id", twoKeys{})
	require.NoError(t, err)
	if closed == nil {
		return e
	}
	open := sealed.Open(closed, kind.Go, "id", func(id sealed.ID) *sealed.Key {
		if id == ofOthers && c != runs.Runs.Category { // whose contacts are all that an erasure is about
			key := testKey(id)
			return &key
		}
		return nil
	})
	p, err := c.Decode(kind.Type(), open)
	require.NoError(t, err)
	return p
}

type twoKeys struct{}

var ofStream, ofOthers = sealed.ID{1}, sealed.ID{2}

func testKey(id sealed.ID) sealed.Key {
	return sealed.NewKey(id, [sealed.SecretSize]byte(make([]byte, sealed.SecretSize)))
}

func (twoKeys) OfStream() (sealed.Key, error) { return testKey(ofStream), nil }
func (twoKeys) Own() (sealed.Key, error)      { return testKey(ofOthers), nil }

// Given a stream of every event of a category, with somebody in each personal member, when
// that person is erased, then no table says who it was; and tables that are built when the
// keys are gone are the same, row by row.
func TestEveryReadModelForgetsWhoWasErased(t *testing.T) {
	ctx := context.Background()
	db, err := postgres.Open(ctx, embeddedtest.Database(t), nil)
	require.NoError(t, err)
	t.Cleanup(db.Close)
	require.NoError(t, db.Migrate(ctx, migrations.Files))
	for _, m := range slices.Models(anyVault(t)) {
		for _, c := range m.Follows() {
			if c.Erases("parley." + c.Name + "." + event.ErasedName + ".v1") {
				t.Run(m.Name+"/"+c.Name, func(t *testing.T) { forgets(t, db, m, c) })
			}
		}
	}
}

func forgets(t *testing.T, db *postgres.DB, m *projections.Model, c *event.Category) {
	const id = "tenantId.x"
	var history []event.Payload
	var erasures []event.Payload
	for _, k := range c.Kinds() {
		e := reflect.New(k.Go)
		about(e.Elem(), false, id)
		if strings.Contains(k.Name, "removed") || k.Name == "deleted" {
			continue // what is removed says nothing
		}
		if k.Name != event.ErasedName {
			history = append(history, e.Elem().Interface())
			continue
		}
		for _, keys := range [][]string{nil, {projectiontest.Key}} {
			e.Elem().FieldByName("Erasure").Set(reflect.ValueOf(event.Erasure{ErasureID: "er-1", Keys: keys, At: projectiontest.Noon}))
			erasures = append(erasures, e.Elem().Interface())
		}
	}
	history = append(history, history...) // whatever makes a row comes before what changes it
	live := projectiontest.New(t, db.Queries)
	live.Given(m, id, history...)
	before := live.All(m)
	live.Given(m, id, erasures...)
	after := live.All(m)
	for _, row := range after {
		require.NotContains(t, row, person, "a column of %s still says who was erased: blank it in its projections.On[...Erased]", m.Name)
	}
	require.NotEmpty(t, before)

	live.Clear()
	anew := projectiontest.New(t, db.Queries)
	for _, e := range history {
		anew.Given(m, id, gone(t, c, e))
	}
	anew.Given(m, id, erasures...)
	require.Equal(t, after, anew.All(m), "a rebuild finds no key")
}
