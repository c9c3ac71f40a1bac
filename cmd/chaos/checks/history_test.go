package checks

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/parley-platform/parley/cmd/chaos/load"
)

// op is an operation between two moments, in milliseconds; -1: without an end.
func op(kind load.Kind, outcome load.Outcome, start, end int, fill ...func(*load.Op)) load.Op {
	o := load.Op{Caller: start, Kind: kind, Name: "name 0", Outcome: outcome, Start: time.Duration(start) * time.Millisecond,
		End:   time.Duration(end) * time.Millisecond,
		Tries: []load.Try{{Node: "a"}}}
	for _, f := range fill {
		f(&o)
	}
	return o
}

func key(id string) func(*load.Op) { return func(o *load.Op) { o.KeyID = id } }
func number(n int) func(*load.Op)  { return func(o *load.Op) { o.Number = n } }
func call(id string) func(*load.Op) {
	return func(o *load.Op) { o.CallID = id }
}
func listed(total int, calls map[string]string) func(*load.Op) {
	return func(o *load.Op) { o.Total, o.Calls = total, calls }
}

func TestLinearizable(t *testing.T) {
	for name, c := range map[string]struct {
		fits bool
		ops  []load.Op
	}{
		"a name is free again after its key is revoked": {true, []load.Op{
			op(load.CreateKey, load.OK, 1, 2, key("k1")), op(load.RevokeKey, load.OK, 3, 4, key("k1")), op(load.CreateKey, load.OK, 5, 6, key("k2")),
			op(load.UseKey, load.Refused, 7, 8, key("k1")), op(load.UseKey, load.OK, 7, 8, key("k2"), number(load.InitialNumber))}},
		"a name is given twice": {false, []load.Op{
			op(load.CreateKey, load.OK, 1, 2, key("k1")), op(load.CreateKey, load.OK, 3, 4, key("k2"))}},
		"a name is refused that is free": {false, []load.Op{
			op(load.CreateKey, load.OK, 1, 2, key("k1")), op(load.RevokeKey, load.OK, 3, 4, key("k1")), op(load.CreateKey, load.Refused, 5, 6)}},
		"of two at once one is refused": {true, []load.Op{
			op(load.CreateKey, load.OK, 1, 5, key("k1")), op(load.CreateKey, load.Refused, 2, 3)}},
		"a key opens after it was revoked": {false, []load.Op{
			op(load.CreateKey, load.OK, 1, 2, key("k1")), op(load.RevokeKey, load.OK, 3, 4, key("k1")), op(load.UseKey, load.OK, 5, 6, key("k1"),
				number(load.InitialNumber))}},
		"a key does not open at once": {false, []load.Op{
			op(load.CreateKey, load.OK, 1, 2, key("k1")), op(load.UseKey, load.Refused, 3, 4, key("k1"))}},
		"a create without an answer took effect": {true, []load.Op{
			op(load.CreateKey, load.Unknown, 1, -1), op(load.CreateKey, load.Refused, 3, 4)}},
		"a create without an answer did not take effect": {true, []load.Op{
			op(load.CreateKey, load.Unknown, 1, -1), op(load.CreateKey, load.OK, 3, 4, key("k2"))}},
		"the permissions are read as they were set": {true, []load.Op{
			op(load.SetScope, load.OK, 1, 2, number(3)), op(load.ReadScope, load.OK, 3, 4, number(3))}},
		"the permissions are read as they were before": {false, []load.Op{
			op(load.SetScope, load.OK, 1, 2, number(3)), op(load.SetScope, load.OK, 3, 4, number(5)), op(load.ReadScope, load.OK, 5, 6, number(3))}},
		"a read without an answer says nothing": {true, []load.Op{
			op(load.SetScope, load.OK, 1, 2, number(3)), op(load.ReadScope, load.Failed, 3, 4, number(9))}},
	} {
		t.Run(name, func(t *testing.T) {
			var out Findings
			Linearizable(c.ops, t.TempDir(), &out)
			require.Empty(t, out.Undecided)
			require.Equal(t, c.fits, out.OK(), "%v", out.Problems)
		})
	}
}

func TestReads(t *testing.T) {
	placed := op(load.DialOut, load.OK, 1, 2, call("c1"))
	for name, c := range map[string]struct {
		fits bool
		ops  []load.Op
	}{
		"an acknowledged call is listed": {true,
			[]load.Op{placed, op(load.ReadCalls, load.OK, 3, 4, listed(1, map[string]string{"c1": "dialing"}))}},
		"an acknowledged call is not listed": {false, []load.Op{placed, op(load.ReadCalls, load.OK, 3, 4, listed(0, nil))}},
		"a call that is not acknowledged yet may be listed": {true, []load.Op{op(load.DialOut, load.OK, 1, 9, call("c1")),
			op(load.ReadCalls, load.OK, 3, 4, listed(1, map[string]string{"c1": "dialing"}))}},
		"another call is listed in its place": {false,
			[]load.Op{placed, op(load.ReadCalls, load.OK, 3, 4, listed(1, map[string]string{"c2": "dialing"}))}},
		"a call goes back": {false, []load.Op{placed,
			op(load.ReadCalls, load.OK, 3, 4, listed(1, map[string]string{"c1": "completed"})), op(load.ReadCalls, load.OK, 5, 6,
				listed(1, map[string]string{"c1": "ringing"}))}},
		"two reads at once may differ": {true, []load.Op{placed,
			op(load.ReadCalls, load.OK, 3, 6, listed(1, map[string]string{"c1": "completed"})), op(load.ReadCalls, load.OK, 5, 7,
				listed(1, map[string]string{"c1": "ringing"}))}},
	} {
		t.Run(name, func(t *testing.T) {
			var out Findings
			Reads(c.ops, &out)
			require.Equal(t, c.fits, out.OK(), "%v", out.Problems)
		})
	}
}
