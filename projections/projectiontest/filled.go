package projectiontest

import (
	"encoding/json"
	"reflect"
	"strings"
	"time"

	"github.com/parley-platform/parley/domain/event"
)

// Filled is an event of which every member says its own name: texts hold it, numbers
// count the members, times are as many seconds after Noon, truth values are true, and lists
// have one element. So a row shows which member it has from where. Edit what has to be
// something else.
func Filled[E event.Payload](edit ...func(*E)) E {
	var e E
	n := 0
	fill(reflect.ValueOf(&e).Elem(), "", &n)
	for _, change := range edit {
		change(&e)
	}
	return e
}

func fill(v reflect.Value, name string, n *int) {
	*n++
	switch v.Interface().(type) {
	case time.Time:
		v.Set(reflect.ValueOf(Noon.Add(time.Duration(*n) * time.Second)))
		return
	case json.RawMessage:
		v.SetBytes([]byte(`{"is":"` + name + `"}`))
		return
	}
	switch v.Kind() {
	case reflect.String:
		v.SetString(name)
	case reflect.Bool:
		v.SetBool(true)
	case reflect.Int, reflect.Int32, reflect.Int64:
		v.SetInt(int64(*n))
	case reflect.Float64:
		v.SetFloat(float64(*n))
	case reflect.Pointer:
		v.Set(reflect.New(v.Type().Elem()))
		fill(v.Elem(), name, n)
	case reflect.Slice:
		v.Set(reflect.MakeSlice(v.Type(), 1, 1))
		fill(v.Index(0), name, n)
	case reflect.Map:
		key, value := reflect.New(v.Type().Key()).Elem(), reflect.New(v.Type().Elem()).Elem()
		fill(key, name, n)
		fill(value, name, n)
		v.Set(reflect.MakeMap(v.Type()))
		v.SetMapIndex(key, value)
	case reflect.Interface:
		v.Set(reflect.ValueOf(name))
	case reflect.Struct:
		for i := range v.NumField() {
			if f := v.Type().Field(i); f.IsExported() {
				fill(v.Field(i), nameOf(f), n)
			}
		}
	}
}

func nameOf(f reflect.StructField) string {
	if name, _, _ := strings.Cut(f.Tag.Get("json"), ","); name != "" && name != "-" {
		return name
	}
	return f.Name
}
