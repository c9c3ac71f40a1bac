package eventstore

import (
	"reflect"
	"sync"
	"time"
)

// copyOf is a state of its own: events folded into one leave the other as it is.
func copyOf[S any](s *S) *S {
	out := new(S)
	if *out = *s; refers(reflect.TypeFor[S]()) {
		v := reflect.ValueOf(out).Elem()
		v.Set(deep(v))
	}
	return out
}

// deep copies whatever a value refers to, to the bottom. Fields that are not exported
// are taken over as they are: a state has none, or it would not come back from a snapshot.
func deep(v reflect.Value) reflect.Value {
	switch v.Kind() {
	case reflect.Struct:
		out := reflect.New(v.Type()).Elem()
		out.Set(v)
		for i := range v.NumField() {
			if f := out.Field(i); f.CanSet() && refers(f.Type()) {
				f.Set(deep(f))
			}
		}
		return out
	case reflect.Map:
		return deepMap(v)
	case reflect.Slice:
		if v.IsNil() {
			return v
		}
		out := reflect.MakeSlice(v.Type(), v.Len(), v.Len())
		reflect.Copy(out, v)
		deepItems(out)
		return out
	case reflect.Array:
		out := reflect.New(v.Type()).Elem()
		out.Set(v)
		deepItems(out)
		return out
	case reflect.Pointer:
		if v.IsNil() {
			return v
		}
		out := reflect.New(v.Type().Elem())
		out.Elem().Set(deep(v.Elem()))
		return out
	case reflect.Interface:
		if v.IsNil() {
			return v
		}
		return deep(v.Elem())
	default:
		return v
	}
}

func deepMap(v reflect.Value) reflect.Value {
	if v.IsNil() {
		return v
	}
	out := reflect.MakeMapWithSize(v.Type(), v.Len())
	plain := !refers(v.Type().Elem())
	for at := v.MapRange(); at.Next(); {
		item := at.Value()
		if !plain {
			item = deep(item)
		}
		out.SetMapIndex(at.Key(), item)
	}
	return out
}

// deepItems replaces the items of a list that is already its own.
func deepItems(list reflect.Value) {
	if !refers(list.Type().Elem()) {
		return
	}
	for i := range list.Len() {
		list.Index(i).Set(deep(list.Index(i)))
	}
}

var referring sync.Map // reflect.Type to bool

// refers reports whether a value of the type shares anything with a copy of it that
// could change. Strings and times cannot.
func refers(t reflect.Type) bool {
	if known, ok := referring.Load(t); ok {
		return known.(bool)
	}
	is := false
	switch t.Kind() {
	case reflect.Map, reflect.Slice, reflect.Pointer, reflect.Interface:
		is = true
	case reflect.Array:
		is = refers(t.Elem())
	case reflect.Struct:
		for i := 0; t != reflect.TypeFor[time.Time]() && i < t.NumField() && !is; i++ {
			is = refers(t.Field(i).Type)
		}
	}
	referring.Store(t, is)
	return is
}
