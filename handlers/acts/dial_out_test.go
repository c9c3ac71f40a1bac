package acts_test

import (
	"context"
	"errors"
	"fmt"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/parley-platform/parley/domain/calls"
	"github.com/parley-platform/parley/domain/fault"
	"github.com/parley-platform/parley/domain/fault/faulttest"
	"github.com/parley-platform/parley/domain/flows"
	"github.com/parley-platform/parley/handlers/acts"
	"github.com/parley-platform/parley/handlers/acts/actstest"
	"github.com/parley-platform/parley/projections"
)

// setups is what accounts have set up, by account, project, trunk and number.
type setups map[string]projections.CallSetup

func (s setups) CallSetup(_ context.Context, tenant, project, trunk, caller string) (projections.CallSetup, error) {
	if caller == "15550199" {
		return projections.CallSetup{}, errors.New("no database")
	}
	return s[fmt.Sprintf("%s %s %s %s", tenant, project, trunk, caller)], nil
}

var sales = projections.CallSetup{Trunk: "main", Provider: "carrier", AgentDSL: "ON_START:\n  SAY: Hello\n",
	Flow: flows.Flow{ID: "cf-1", Name: "Sales", AgentName: "Sam", Language: "en"}}

func dialOut(w *actstest.World) acts.DialOut {
	return acts.DialOut{Log: w.Acting(), Setups: setups{"acme shop  15550100": sales}, SealURL: sealed,
		SealHeaders: func(tenant string, h map[string]string) (string, error) {
			return fmt.Sprint("sealed for ", tenant, " ", len(h)), nil
		},
		CheckURL: func(raw string) error {
			if raw == "http://10.0.0.1" {
				return errors.New("is a private address")
			}
			return nil
		}}
}

var asked = calls.DialOut{BotID: "shop", Target: "tel:+15550000001", OurNumber: "15550100"}

func TestACallIsPlacedThroughWhatTheAccountHasSetUp(t *testing.T) {
	w := actstest.New(t)
	ask := asked
	ask.NotifyURL, ask.NotifyHeaders = "https://crm.example/a?t=1", map[string]string{"Authorization": "secret"}
	res, err := dialOut(w).Do(t.Context(), actstest.Ada("key"), ask, nil)
	require.NoError(t, err)
	r := res.State.Request
	require.Equal(t, []string{"acme", "acme", "shop", "main", "carrier"}, []string{r.TenantID, r.AccountID, r.ProjectID, r.Trunk, r.Provider})
	require.Equal(t, calls.Flow{ID: "cf-1", Name: "Sales", AgentName: "Sam", Language: "en", StartText: "Hello"}, r.Flow)
	require.Equal(t, []string{"https://crm.example/a", "sealed https://crm.example/a?t=1", "sealed for acme 1"},
		[]string{r.NotifyURL, r.NotifyURLSealed, r.NotifyHeadersSealed})
	require.Equal(t, actstest.Noon, r.At)
	require.Equal(t, "user:ada@crm", res.Events[0].Actor)
	require.Equal(t, "tr-1", res.Events[0].CorrelationID)

	again, err := dialOut(w).Do(t.Context(), actstest.Ada("key"), ask, nil)
	require.NoError(t, err)
	require.True(t, again.Replayed)
	require.Equal(t, r.CallID, again.State.Request.CallID)
	require.Equal(t, r.SID, again.State.Request.SID)
	require.Equal(t, r.CallID, dialOut(w).CallID(actstest.Ada("key")), "who knows the key finds the call")

	other, err := dialOut(w).Do(t.Context(), actstest.Ada(""), ask, nil)
	require.NoError(t, err)
	require.NotEqual(t, r.CallID, other.State.Request.CallID, "without a key it is another call")
}

// All that is wrong is named at once, with what the caller of the act found, in the order
// of the names.
func TestAllFieldsThatAreWrongAreNamedAtOnce(t *testing.T) {
	for name, c := range map[string]struct {
		edit  func(*calls.DialOut)
		wrong fault.Fields
		want  []string
	}{
		"one":          {func(a *calls.DialOut) { a.Target = "no" }, nil, []string{"target"}},
		"the trunk":    {func(a *calls.DialOut) { a.Trunk = "gone" }, nil, []string{"trunk"}},
		"the receiver": {func(a *calls.DialOut) { a.NotifyURL = "http://10.0.0.1" }, nil, []string{"notifyurl"}},
		"known already": {func(a *calls.DialOut) { a.NotifyURL = "http://10.0.0.1" }, fault.Fields{{Field: "notifyurl", Problem: "is twice"}},
			[]string{"notifyurl"}},
		"all": {func(a *calls.DialOut) { a.Target, a.Trunk = "no", "gone" },
			fault.Fields{{Field: "trunk", Problem: "a"}, {Field: "botId", Problem: "b"}},
			[]string{"botId", "target", "trunk", "trunk"}},
	} {
		w, ask := actstest.New(t), asked
		c.edit(&ask)
		_, err := dialOut(w).Do(t.Context(), actstest.Ada(""), ask, c.wrong)
		require.Equal(t, c.want, faulttest.Fields(t, err), name)
		require.Empty(t, w.Log.Accepted(), name)
	}
}

func TestASetupThatCannotBeReadIsNobodysFault(t *testing.T) {
	w, ask := actstest.New(t), asked
	ask.OurNumber, ask.Target = "15550199", "no"
	_, err := dialOut(w).Do(t.Context(), actstest.Ada(""), ask, nil)
	require.EqualError(t, err, "no database")
}

// Another account's setup is nobody's: its number chooses no flow, and the call goes
// through the simulated carrier.
func TestSetupsAreOfTheAccount(t *testing.T) {
	w, by := actstest.New(t), actstest.Ada("")
	by.Tenant = "other"
	res, err := dialOut(w).Do(t.Context(), by, asked, nil)
	require.NoError(t, err)
	require.Equal(t, calls.Flow{}, res.State.Request.Flow)
	require.Equal(t, calls.ProviderLocal, res.State.Request.Provider)
	require.Empty(t, res.State.Request.Trunk)
}

// As campaigns place calls: with a setup of their own, at the moment that they judge
// contacts by.
func TestACallWithAKnownSetup(t *testing.T) {
	w, ask := actstest.New(t), asked
	ask.At, ask.DialBy = actstest.Noon.Add(-time.Hour), actstest.Noon
	setup := sales
	setup.Flow.ID, setup.AgentDSL = "cf-2", "ON_START: [" // the working copy is being edited
	by := actstest.Ada("contact 1")
	by.New = true
	for i := range 2 {
		res, err := dialOut(w).Place(t.Context(), by, ask, setup)
		require.NoError(t, err)
		require.Equal(t, i == 1, res.Replayed)
		require.Equal(t, calls.Flow{ID: "cf-2", Name: "Sales", AgentName: "Sam", Language: "en"}, res.State.Request.Flow)
		require.Equal(t, actstest.Noon.Add(-time.Hour), res.State.Request.At)
		require.Equal(t, actstest.Noon, res.State.Request.DialBy)
	}
	require.Len(t, w.Log.Accepted(), 1)
}

func TestACallThatIsAnsweredEarly(t *testing.T) {
	w, by := actstest.New(t), actstest.Ada("")
	by.Early, by.Within = true, time.Minute
	res, err := dialOut(w).Do(t.Context(), by, asked, nil)
	require.NoError(t, err)
	require.True(t, res.Pending)
	require.NotEmpty(t, res.State.Request.CallID)
}

// Given nodes that have no room, then a call is refused, and one that the same request has placed before is told again.
func TestACallThatWasPlacedIsToldWhateverRoomThereIs(t *testing.T) {
	w := actstest.New(t)
	full := dialOut(w)
	full.Room = func(_ context.Context, provider, _ string) (func(), error) {
		require.Equal(t, "carrier", provider)
		return nil, fault.New(fault.QueueFull, "full")
	}
	placed, err := dialOut(w).Do(t.Context(), actstest.Ada("key"), asked, nil)
	require.NoError(t, err)
	again, err := full.Do(t.Context(), actstest.Ada("key"), asked, nil)
	require.NoError(t, err)
	require.Equal(t, []any{true, placed.State.Request.CallID}, []any{again.Replayed, again.State.Request.CallID})
	for _, key := range []string{"another", ""} {
		_, err = full.Do(t.Context(), actstest.Ada(key), asked, nil)
		require.True(t, fault.Is(err, fault.QueueFull), "key %q", key)
	}
}

// Given room, then the call that is placed has it, by its id; what places none gives it back.
func TestThePlaceOfACall(t *testing.T) {
	w := actstest.New(t)
	kept, left := []string{}, 0
	d := dialOut(w)
	d.Room = func(_ context.Context, _, call string) (func(), error) {
		kept = append(kept, call)
		return func() { left++ }, nil
	}
	for i, key := range []string{"", "key", "key"} {
		res, err := d.Do(t.Context(), actstest.Ada(key), asked, nil)
		require.NoError(t, err)
		require.Equal(t, res.State.Request.CallID, kept[i])
	}
	require.Equal(t, 1, left, "one was there")
	d.SealHeaders = func(string, map[string]string) (string, error) { return "", errors.New("no key") }
	headed := asked
	headed.NotifyHeaders = map[string]string{"X-Of": "us"}
	_, err := d.Do(t.Context(), actstest.Ada("sealed"), headed, nil)
	require.Error(t, err)
	require.Equal(t, []int{4, 2}, []int{len(kept), left})
}
