package expr_test

import (
	"fmt"
	"maps"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	celpb "cel.dev/expr"
	_ "cel.dev/expr/conformance/proto2" // messages that stand in the cases
	_ "cel.dev/expr/conformance/proto3"
	conformance "cel.dev/expr/conformance/test"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"google.golang.org/protobuf/encoding/prototext"
	"google.golang.org/protobuf/types/known/durationpb"
	"google.golang.org/protobuf/types/known/timestamppb"

	"github.com/parley-platform/parley/domain/dsl/expr"
)

// agreed is how many cases of each file of CEL's own conformance data our environment must give the
// answer to that is written there. What a file has beside them it refuses to compile: messages,
// macros and functions that agents have not.
var agreed = map[string]int{"basic": 36, "comparisons": 342, "conversions": 72, "dynamic": 41, "fields": 39, "fp_math": 26,
	"integer_math": 61,
	"lists":        39, "logic": 21, "macros": 44, "parse": 110, "plumbing": 5, "string": 47, "timestamps": 65}

// The cases of CEL's conformance data that come to something else, each for a reason of ours.
var different = map[string]string{
	"comparisons/bound/null_eq_left_true":                                       "a name whose value is null is not there",
	"fields/map_fields/map_field_access":                                        "numbers inside of JSON have a point",
	"parse/nest/list_index":                                                     "numbers inside of JSON have a point",
	"fields/qualified_identifier_resolution/map_key_float":                      "cel-go takes keys of any type",
	"fields/qualified_identifier_resolution/map_value_repeat_key":               "cel-go takes the last of equal keys",
	"fields/qualified_identifier_resolution/map_value_repeat_key_heterogeneous": "cel-go takes the first of keys that are equal as numbers",
}

// Given the conformance data that CEL publishes, then whatever our environment compiles comes to what
// is written there: a value, or an error. It refuses the rest, and gives no other value for anything.
func TestConformanceOfExpressions(t *testing.T) {
	out, err := exec.Command("go", "list", "-m", "-f", "{{.Dir}}", "cel.dev/expr").Output()
	require.NoError(t, err)
	files, err := filepath.Glob(filepath.Join(strings.TrimSpace(string(out)), "tests/simple/testdata/*.textproto"))
	require.NoError(t, err)
	require.NotEmpty(t, files)
	got := map[string]int{}
	for _, file := range files {
		text, err := os.ReadFile(file)
		require.NoError(t, err)
		var cases conformance.SimpleTestFile
		require.NoError(t, prototext.UnmarshalOptions{DiscardUnknown: true}.Unmarshal(text, &cases), file)
		for _, s := range cases.Section {
			for _, c := range s.Test {
				name := cases.Name + "/" + s.Name + "/" + c.Name
				compiled, problem := conforms(c)
				if problem != "" {
					assert.NotEmpty(t, different[name], "%s: %s: %s", name, c.Expr, problem)
				} else if compiled {
					got[cases.Name]++
				}
			}
		}
	}
	for file, n := range agreed {
		require.GreaterOrEqual(t, got[file], n, file)
	}
}

// conforms holds a case against our environment; false: it does not compile here.
func conforms(c *conformance.SimpleTest) (compiled bool, problem string) {
	if c.GetTypedResult() != nil || c.Container != "" {
		return false, "" // whether a type is deduced, and where names are looked up
	}
	env, scope := expr.NewEnvironment(), expr.Scope{}
	for name, v := range c.Bindings {
		bound, json := valueOf(v.GetValue())
		if !json || strings.Contains(name, ".") {
			return false, ""
		}
		env.Declare(name, typeOf(bound))
		scope[name] = bound
	}
	x, mistakes := env.Compile(c.Expr)
	if len(mistakes) > 0 {
		return false, ""
	}
	got, err := x.Eval(scope)
	if c.GetEvalError() != nil || c.GetAnyEvalErrors() != nil || c.GetUnknown() != nil || c.GetAnyUnknowns() != nil {
		if err == nil {
			return true, fmt.Sprintf("it is %v, and should be an error", got)
		}
		return true, ""
	}
	want, json := any(true), true // which is meant where nothing is written
	if c.GetValue() != nil {
		want, json = valueOf(c.GetValue())
	}
	switch {
	case !json && err != nil:
		return false, "" // what is no JSON is no value of ours
	case !json:
		return false, ""
	case err != nil:
		return true, err.Error()
	case !same(want, got):
		return true, fmt.Sprintf("it is %#v, and should be %#v", got, want)
	}
	return true, ""
}

// typeOf is the type of a name that the scope has: what is in lists and objects is JSON's.
func typeOf(v any) *expr.Type {
	switch v.(type) {
	case bool:
		return expr.Bool
	case int64:
		return expr.Int
	case float64:
		return expr.Double
	case string:
		return expr.String
	}
	return expr.Dyn
}

// valueOf is a value of the data as expressions take and give it; false: it is none of JSON.
func valueOf(v *celpb.Value) (any, bool) {
	switch k := v.GetKind().(type) {
	case *celpb.Value_NullValue:
		return nil, true
	case *celpb.Value_BoolValue:
		return k.BoolValue, true
	case *celpb.Value_Int64Value:
		return k.Int64Value, true
	case *celpb.Value_Uint64Value:
		return int64(k.Uint64Value), k.Uint64Value <= math.MaxInt64
	case *celpb.Value_DoubleValue:
		return k.DoubleValue, !math.IsNaN(k.DoubleValue) && !math.IsInf(k.DoubleValue, 0)
	case *celpb.Value_StringValue:
		return k.StringValue, true
	case *celpb.Value_ListValue:
		out := []any{}
		for _, x := range k.ListValue.Values {
			one, json := valueOf(x)
			if !json {
				return nil, false
			}
			out = append(out, one)
		}
		return out, true
	case *celpb.Value_MapValue:
		out := map[string]any{}
		for _, e := range k.MapValue.Entries {
			name, text := e.Key.GetKind().(*celpb.Value_StringValue)
			one, json := valueOf(e.Value)
			if !text || !json {
				return nil, false
			}
			out[name.StringValue] = one
		}
		return out, true
	case *celpb.Value_ObjectValue:
		var at timestamppb.Timestamp
		if k.ObjectValue.UnmarshalTo(&at) == nil {
			return at.AsTime().Format(time.RFC3339Nano), true
		}
		var long durationpb.Duration
		if k.ObjectValue.UnmarshalTo(&long) == nil {
			return long.AsDuration().String(), true
		}
	}
	return nil, false
}

func same(want, got any) bool {
	switch want := want.(type) {
	case []any:
		list, is := got.([]any)
		return is && slices.EqualFunc(want, list, same)
	case map[string]any:
		members, is := got.(map[string]any)
		return is && maps.EqualFunc(want, members, same)
	}
	return want == got
}
