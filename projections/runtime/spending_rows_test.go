package runtime_test

import (
	"math"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/parley-platform/parley/domain/completions"
	"github.com/parley-platform/parley/domain/sessions"
	given "github.com/parley-platform/parley/projections/projectiontest"
	"github.com/parley-platform/parley/projections/runtime"
)

// Given what models cost, then it is added up by project and month, each by its own time; what has no price is counted apart, and what
// no model began is not.
func TestRowsOfSpending(t *testing.T) {
	model := given.Open(t).Follow(runtime.SpendingModel)
	ten, none := int64(10), int64(0)
	of := func(model string, cost *int64) completions.Figures {
		return completions.Figures{TenantID: "t", ProjectID: "p", ModelID: model, Cost: cost}
	}
	const row = "spending tenant=t project_id=p month=2026-03 topic=parley.completions partition="
	model.After("c-1", completions.Finished{Figures: of("m", &ten), At: given.Noon}, "+ "+row+" cost=10")
	model.After("c-2", completions.Failed{Figures: of("m", &ten), At: given.Noon}, "~ "+row+": cost=20")
	model.After("c-3", completions.Finished{Figures: of("m", nil), At: given.Noon}, "~ "+row+": unpriced=1")
	model.After("c-4", completions.Failed{Figures: of("", nil), At: given.Noon})
	model.After("c-5", completions.Finished{Figures: of("m", &none), At: given.Noon})
	model.After("c-6", completions.Finished{Figures: of("m", &ten), At: given.Noon.AddDate(0, 1, 0)},
		"+ spending tenant=t project_id=p month=2026-04 topic=parley.completions partition= cost=10")
	answered := sessions.ModelAnswered{InTurn: sessions.InTurn{Test: true, At: given.Noon}, ProjectID: "p", ModelID: "m", CostPico: &ten}
	const talked = "spending tenant=tenantId project_id=p month=2026-03 topic=parley.sessions partition="
	model.After("s-1", answered, "+ "+talked+" cost=10")
	model.After("s-1", sessions.ModelCounted{InTurn: answered.InTurn, ProjectID: "p", ModelID: "m", CostPico: &ten}, "~ "+talked+": cost=20")
}

func TestAnswersAboutSpending(t *testing.T) {
	w := given.Open(t)
	add := func(id, tenant, project string, cost *int64, after time.Duration) {
		w.Given(runtime.SpendingModel, id, completions.Finished{Figures: completions.Figures{CompletionID: id, TenantID: tenant,
			ProjectID: project, ModelID: "m", Cost: cost}, At: given.Noon.Add(after)})
	}
	ten, huge := int64(10), int64(math.MaxInt64/3)
	add("c-1", "t", "p", &ten, 0)
	add("c-2", "t", "p", &ten, time.Hour)
	add("c-3", "t", "p", nil, 0)
	add("c-4", "t", "p", &ten, 45*24*time.Hour)
	add("c-5", "other", "p", &ten, 0)
	for _, id := range []string{"c-6", "c-7", "c-8", "c-9"} {
		add(id, "t", "rich", &huge, 0)
	}
	x := runtime.NewSpending(w.DB)
	of := func(tenant, project string) runtime.Spent {
		got, err := x.Of(t.Context(), tenant, project, "2026-03")
		require.NoError(t, err)
		return got
	}
	require.Equal(t, runtime.Spent{Pico: 20, Unpriced: 1}, of("t", "p"))
	require.Equal(t, runtime.Spent{Pico: 10}, of("other", "p"))
	require.Equal(t, runtime.Spent{}, of("other", "q"))
	require.EqualValues(t, 9e18, of("t", "rich").Pico, "as much as can be said")
}
