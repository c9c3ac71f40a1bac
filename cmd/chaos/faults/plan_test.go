package faults

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/parley-platform/parley/cmd/chaos/cluster"
)

func TestPlanComesFromItsSeed(t *testing.T) {
	for seed := range uint64(50) {
		require.Equal(t, Make(seed, 3, cluster.Apache, 2, nil), Make(seed, 3, cluster.Apache, 2, nil))
	}
	require.NotEqual(t, Make(1, 3, cluster.Apache, 2, nil), Make(2, 3, cluster.Apache, 2, nil))
}

func TestPlanBeginsWithTheFaultWhoseTurnItIs(t *testing.T) {
	for turn, name := range Names() {
		plan := Make(7, turn, cluster.Embedded, 2, nil)
		require.Equal(t, name, plan[0].Name)
		if kinds[turn].weight == 0 {
			require.Len(t, plan, 1, "%s comes alone", name)
		} else {
			require.Greater(t, len(plan), 1)
		}
	}
}

func TestPlanKeepsToTheNamesThatWereGiven(t *testing.T) {
	for seed := range uint64(30) {
		for _, f := range Make(seed, int(seed), cluster.Embedded, 2, []string{"poison", "cut-kafka"}) {
			require.Contains(t, []string{"poison", "cut-kafka"}, f.Name)
			require.Less(t, f.Node, 2)
			require.Zero(t, f.Broker, "there is one embedded broker")
		}
	}
	require.Empty(t, Make(1, 0, cluster.Embedded, 2, []string{"no such fault"}))
}

func TestShortPlanHasTheSameFaultsInLessTime(t *testing.T) {
	total := func(p Plan) (sum time.Duration) {
		for _, f := range p {
			sum += f.For
		}
		return sum
	}
	for seed := range uint64(50) {
		whole := Make(seed, int(seed), cluster.Apache, 2, nil)
		short := whole.Short()
		require.Len(t, short, len(whole))
		require.LessOrEqual(t, total(short), total(whole))
		for i := range short {
			require.Equal(t, whole[i].Name, short[i].Name)
			require.Equal(t, whole[i].Seed, short[i].Seed)
			require.LessOrEqual(t, short[i].After, whole[i].After)
		}
	}
}

func TestOnlySomeFaultsNeedMoreTimeToHeal(t *testing.T) {
	for name, more := range map[string]time.Duration{"kill-node": 0, "postgres-away": 0, "drop-database": 5 * time.Second,
		"half-open-kafka": 12 * time.Second} {
		require.Equal(t, more, Plan{{Name: "poison"}, {Name: name}}.Allowance(), name)
	}
}

// Each name is done by something: a name without a case would end its round.
func TestEveryFaultIsKnown(t *testing.T) {
	seen := map[string]bool{}
	for _, name := range Names() {
		require.False(t, seen[name], "%s is there twice", name)
		seen[name] = true
		require.True(t, known(name), "%s", name)
	}
	require.False(t, known("no such fault"))
}
