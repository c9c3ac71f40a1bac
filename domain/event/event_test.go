package event_test

import (
	"encoding/json"
	"errors"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/parley-platform/parley/domain/event"
)

type door struct {
	Open bool
	By   string
}

var doors = event.NewAggregate[door]("doors", "door", event.Quiet)

type opened struct {
	By string `json:"by"`
}

func (e opened) Apply(d *door) { d.Open, d.By = true, e.By }

var _ = event.Register[opened](doors, "opened", 2, func(old json.RawMessage) (json.RawMessage, error) {
	var v1 struct{ Who string }
	if err := json.Unmarshal(old, &v1); err != nil {
		return nil, err
	}
	return json.Marshal(opened{By: v1.Who})
})

type closed struct{}

func (closed) Apply(d *door) { d.Open = false }

var _ = event.Register[closed](doors, "closed", 1)

func TestDecodeLiftsOldVersions(t *testing.T) {
	for ceType, data := range map[string]string{
		"parley.doors.opened.v1": `{"who":"ann"}`,
		"parley.doors.opened.v2": `{"by":"ann"}`,
	} {
		p, err := doors.Decode(ceType, []byte(data))
		require.NoError(t, err, ceType)
		require.Equal(t, opened{By: "ann"}, p, ceType)
	}
}

func TestDecodeRefusesWhatANewerBinaryWrote(t *testing.T) {
	for _, ceType := range []string{"parley.doors.opened.v3", "parley.doors.painted.v1", "parley.walls.opened.v1", ""} {
		_, err := doors.Decode(ceType, []byte(`{}`))
		require.True(t, errors.Is(err, event.ErrUnknownType), ceType)
	}
}

func TestDecodeNamesWhatDoesNotParse(t *testing.T) {
	_, err := doors.Decode("parley.doors.closed.v1", []byte(`[`))
	require.ErrorContains(t, err, "parley.doors.closed.v1")
}

func TestStateIsTheFoldOfTheHistory(t *testing.T) {
	require.Equal(t, door{Open: true, By: "bo"}, doors.State(opened{By: "ann"}, closed{}, opened{By: "bo"}))
}

func TestStreamNames(t *testing.T) {
	require.Equal(t, "door-7", doors.Stream("7"))
	require.Equal(t, "7", doors.StreamID("door-7"))
	require.Empty(t, doors.StreamID("wall-7"))
	require.Equal(t, "parley.doors", doors.Topic())
}

func TestKindOfAForeignPayload(t *testing.T) {
	_, err := doors.KindOf(struct{}{})
	require.True(t, errors.Is(err, event.ErrUnknownType))
	k, err := doors.KindOf(closed{})
	require.NoError(t, err)
	require.Equal(t, "parley.doors.closed.v1", k.Type())
}

func TestARegistrationTwiceIsAProgrammingError(t *testing.T) {
	require.Panics(t, func() { event.Register[closed](doors, "shut", 1) })
	require.Panics(t, func() { event.Register[closed](doors, "closed", 1) })
	require.Panics(t, func() { event.Register[opened](doors, "other", 2) })
}
