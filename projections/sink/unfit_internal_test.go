package sink

import (
	"encoding/json"
	"errors"
	"fmt"
	"testing"
	"time"

	"github.com/jackc/pgx/v5/pgconn"
	"github.com/stretchr/testify/require"

	"github.com/parley-platform/parley/domain/event"
	"github.com/parley-platform/parley/eventstore"
	"github.com/parley-platform/parley/projections"
)

// Which errors are an event's own, and set aside; all others are tried again, whole.
func TestOnlyWhatIsInARowIsTheEventsFault(t *testing.T) {
	for code, of := range map[string]bool{
		"22001": true, "22003": true, "22021": true, "22P02": true, "22P05": true, "23502": true, "23505": true, "23514": true, "42804": true,
		"42846": true, "21000": true, "54000": true, "54001": true,
		"08006": false, "25006": false, "25P02": false, "40001": false, "40P01": false, "42501": false, "42703": false, "42883": false,
		"42P01": false, "53100": false, "53200": false, "53300": false,
		"55P03": false, "57014": false, "57P01": false, "57P03": false, "58030": false, "PY001": false, "XX000": false,
	} {
		_, is := projections.Unfitness(fmt.Errorf("projecting: %w", &pgconn.PgError{Code: code}))
		require.Equal(t, of, is, code)
	}
	for _, err := range []error{nil, errors.New("conn closed"), fmt.Errorf("x: %w", ErrGivenUp), &UnknownEvent{1, "parley.x.y.v2"}} {
		_, is := projections.Unfitness(err)
		require.False(t, is, "%v", err)
	}
}

func TestAProblemIsToldWithoutTheData(t *testing.T) {
	const secret = `hunter2 "quoted" +15550001`
	var into struct {
		Target string    `json:"target"`
		Count  int       `json:"count"`
		At     time.Time `json:"at"`
		Raw    strict    `json:"raw"`
	}
	quoted, err := json.Marshal(secret)
	require.NoError(t, err)
	told := []string{
		projections.RefusalOf(&pgconn.PgError{Code: "22P02", Message: fmt.Sprintf(`invalid input syntax for type integer: "%s"`, secret),
			Detail: secret, Where: secret}),
		projections.RefusalOf(&pgconn.PgError{Code: "23505", Message: `duplicate key value violates unique constraint "k"`,
			Detail: "Key (phone)=(" + secret + ") already exists.", ConstraintName: "k"}),
	}
	for _, data := range []string{`{"count":15550001.5}`, `{"target":15550001}`, `{"count":` + string(quoted) + `}`,
		`{"at":` + string(quoted) + `}`, `{"raw":` + string(quoted) + `}`} {
		err := json.Unmarshal([]byte(data), &into)
		require.Error(t, err, data)
		told = append(told, projections.Misshapen(fmt.Errorf("decoding: %w", err)))
	}
	func() {
		defer func() { told = append(told, projections.Panicked(recover())) }()
		panic(secret)
	}()
	func() {
		defer func() { told = append(told, projections.Panicked(recover())) }()
		var none []string
		_ = none[len(secret)]
	}()
	for _, text := range told {
		require.NotContains(t, text, "hunter2")
		require.NotContains(t, text, "5550001", text)
	}
	require.Contains(t, told[0], "SQLSTATE 22P02")
	require.Contains(t, told[1], "constraint k")
	require.Contains(t, told[len(told)-1], "projections/sink/unfit_internal_test.go:")
	require.Contains(t, told[len(told)-1], "index out of range")
}

type strict struct{}

func (*strict) UnmarshalJSON(data []byte) error { return errors.New("cannot be " + string(data)) }

// A column that the tables lack is a schema of another version: no event's fault.
func TestAMissingColumnSetsNothingAside(t *testing.T) {
	b := projections.NewBatch(projections.Tables{"books": {"id": "text"}})
	b.Put("books", projections.Row{"id": "1"}, projections.Row{"author": "x"})
	_, is := projections.Unfitness(b.Queue(nil))
	require.False(t, is)
}

// Given an upcaster that panics, then the event is of another form, not a crash.
func TestAPanickingUpcasterIsToldAsAMisshapenEvent(t *testing.T) {
	a := event.NewAggregate[struct{}]("lifted", "lift", 1)
	event.Register[raised](a, "raised", 2, func(json.RawMessage) (json.RawMessage, error) { panic("oh") })
	_, err := decodeOne(a.Category, &eventstore.Record{Type: "parley.lifted.raised.v1", Data: []byte(`{}`)})
	require.ErrorContains(t, err, "panics in projections/sink/unfit_internal_test.go:")
}

type raised struct{}

func (raised) Apply(*struct{}) {}
