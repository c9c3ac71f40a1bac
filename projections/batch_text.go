package projections

import (
	"encoding"
	"encoding/json"
	"fmt"
	"reflect"
	"strconv"
	"time"

	"github.com/jackc/pgx/v5/pgtype"
)

// text is a value in the form in which Postgres reads every type. Statements take
// arrays of text and cast, so one code path serves all columns.
func text(v any) pgtype.Text {
	switch v := v.(type) {
	case nil:
		return pgtype.Text{}
	case string:
		return stored(Keepable(v))
	case time.Time:
		if v.IsZero() {
			return pgtype.Text{}
		}
		return stored(v.UTC().Format(time.RFC3339Nano))
	case *time.Time:
		if v == nil {
			return pgtype.Text{}
		}
		return text(*v)
	case json.RawMessage:
		if len(v) == 0 {
			return pgtype.Text{}
		}
		return stored(keepableJSON(v))
	case json.Marshaler, encoding.TextMarshaler:
	default:
		if t, is := scalar(reflect.ValueOf(v)); is {
			return t
		}
	}
	data, err := json.Marshal(v)
	if err != nil {
		panic(fmt.Sprintf("a read model stores a %T, which has no JSON: %v", v, err))
	}
	return stored(keepableJSON(data))
}

func stored(s string) pgtype.Text { return pgtype.Text{String: s, Valid: true} }

// scalar is text for whatever a type is named after: a state of the domain is a text
// and not JSON with quotation marks. A pointer to nothing is NULL.
func scalar(v reflect.Value) (t pgtype.Text, is bool) {
	switch {
	case v.Kind() == reflect.String:
		return stored(Keepable(v.String())), true
	case v.Kind() == reflect.Bool:
		return stored(strconv.FormatBool(v.Bool())), true
	case v.CanInt():
		return stored(strconv.FormatInt(v.Int(), 10)), true
	case v.CanUint():
		return stored(strconv.FormatUint(v.Uint(), 10)), true
	case v.CanFloat():
		return stored(strconv.FormatFloat(v.Float(), 'g', -1, v.Type().Bits())), true
	case v.Kind() == reflect.Pointer && v.IsNil():
		_, is = scalar(reflect.Zero(v.Type().Elem()))
		return pgtype.Text{}, is
	case v.Kind() == reflect.Pointer:
		return scalar(v.Elem())
	}
	return pgtype.Text{}, false
}
