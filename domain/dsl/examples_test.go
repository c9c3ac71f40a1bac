package dsl_test

import (
	"os"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/parley-platform/parley/domain/dsl"
)

func example(t testing.TB, name string) string {
	t.Helper()
	data, err := os.ReadFile("testdata/" + name + ".yaml")
	require.NoError(t, err)
	return string(data)
}

func compiled(t testing.TB, name, source string) *dsl.Program {
	t.Helper()
	p, problems := dsl.Compile(name, source)
	require.Empty(t, problems)
	return p
}

func TestTheExamplesCompile(t *testing.T) {
	for name, file := range map[string]string{"Support_Triage": "support_triage",
		"Trip_Planner": "trip_planner", "Meter_Reading": "meter_reading"} {
		p := compiled(t, name, example(t, file))
		require.Equal(t, name, p.Agent)
		require.Equal(t, name != "Meter_Reading", p.NeedsModel(), name)
		require.Empty(t, p.Warnings, name)
	}
}
