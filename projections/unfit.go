package projections

import (
	"encoding/json"
	"errors"
	"fmt"
	"path/filepath"
	"regexp"
	"runtime"
	"strings"

	"github.com/jackc/pgx/v5/pgconn"
)

// Unfit says that a read model cannot take an event, in words that may be stored
// and shown: without anything that came with the event.
type Unfit struct {
	At   int // index in the commit of the event that failed
	Text string
}

// Error is what is wrong with the event.
func (u *Unfit) Error() string { return u.Text }

// Unfitness tells an event that a read model cannot take, which no repetition mends,
// from a database that cannot take anything at the moment.
func Unfitness(err error) (u *Unfit, is bool) {
	if errors.As(err, &u) {
		return u, true
	}
	var pg *pgconn.PgError
	if errors.As(err, &pg) && ofRow(pg.Code) {
		return &Unfit{Text: RefusalOf(pg)}, true
	}
	return nil, false
}

// ofRow reports whether Postgres refuses what is in a row. Everything else (no
// connection, no space, no memory, a deadlock, a cancelled statement, a checkpoint
// that moved, a table or column that is not there) is no fault of an event.
func ofRow(code string) bool {
	switch code {
	case "42804", "42846", // a value of another type, a cast that does not exist
		"21000": // two of the rows are one
		return true
	}
	for _, class := range []string{"22", "23", "54"} { // data, constraints, limits such as the size of an index entry
		if strings.HasPrefix(code, class) {
			return true
		}
	}
	return false
}

// inQuotes is everything from the first quotation mark to the last: what Postgres and
// the standard library quote may be what a caller wrote.
var inQuotes = regexp.MustCompile(`(?s)".*"`)

func masked(s string) string { return inQuotes.ReplaceAllString(s, `"…"`) }

// RefusalOf names what refused, never the value. A message without quotation marks
// has none.
func RefusalOf(pg *pgconn.PgError) string {
	out := "Postgres refuses a row: SQLSTATE " + pg.Code
	for _, part := range [...]struct{ name, value string }{{"table", pg.TableName}, {"column", pg.ColumnName},
		{"constraint", pg.ConstraintName}} {
		if part.value != "" {
			out += ", " + part.name + " " + part.value
		}
	}
	return out + ": " + masked(pg.Message)
}

// Panicked is what a read model's panic says: the kind and the place. The value of a
// panic may hold anything; only the runtime's own are known not to.
func Panicked(r any) string {
	what := fmt.Sprintf("a %T", r)
	if e, ok := r.(runtime.Error); ok {
		what = masked(e.Error())
	}
	return "the read model panics in " + panickedIn() + ": " + what
}

// panickedIn is the place of the panic that is being recovered: the first frame above
// the runtime's.
func panickedIn() string {
	pcs := make([]uintptr, 64)
	frames := runtime.CallersFrames(pcs[:runtime.Callers(1, pcs)])
	panicking := false
	for {
		f, more := frames.Next()
		inRuntime := strings.HasPrefix(f.Function, "runtime.")
		panicking = panicking || f.Function == "runtime.gopanic"
		if panicking && !inRuntime {
			parts := strings.Split(filepath.ToSlash(f.File), "/") // its room, its group and its name
			return strings.Join(parts[max(0, len(parts)-3):], "/") + fmt.Sprintf(":%d", f.Line)
		}
		if !more {
			return "an unknown place"
		}
	}
}

// Misshapen is what is said of an event whose JSON is not of its type.
func Misshapen(err error) string {
	var typ *json.UnmarshalTypeError
	if errors.As(err, &typ) {
		return fmt.Sprintf("the event is not of the form of its type: member %q should be a %s", typ.Field, typ.Type)
	}
	return fmt.Sprintf("the event is not of the form of its type: %T", rootOf(err))
}

func rootOf(err error) error {
	for {
		next := errors.Unwrap(err)
		if next == nil {
			return err
		}
		err = next
	}
}
