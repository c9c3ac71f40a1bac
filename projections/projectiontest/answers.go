package projectiontest

import (
	"encoding/json"
	"fmt"
	"reflect"
	"strings"
	"time"
)

// Shown is an answer as one line: its members by name, in their order, as rows show them.
// What is zero is left out. So a test says of every member what is in it.
func Shown(answer any) string {
	v := reflect.ValueOf(answer)
	var parts []string
	for _, f := range reflect.VisibleFields(v.Type()) {
		if member := v.FieldByIndex(f.Index); !f.Anonymous && !member.IsZero() {
			parts = append(parts, f.Name+"="+memberShown(reflect.Indirect(member)))
		}
	}
	return strings.Join(parts, " ")
}

func memberShown(v reflect.Value) string {
	if at, ok := v.Interface().(time.Time); ok {
		return at.UTC().Format(time.TimeOnly)
	}
	switch v.Kind() {
	case reflect.Struct, reflect.Slice, reflect.Map:
		data, err := json.Marshal(v.Interface())
		if err != nil {
			return err.Error()
		}
		return string(data)
	}
	return fmt.Sprint(v.Interface())
}
