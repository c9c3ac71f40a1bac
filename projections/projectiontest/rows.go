package projectiontest

import (
	"encoding/json"
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strings"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/stretchr/testify/require"

	"github.com/parley-platform/parley/projections"
)

// row is what a row holds, by column, and the columns in their order.
type row struct {
	columns []string
	values  map[string]string
}

// rows are those of the tables, by table and key.
func (w *World) rows(tables []string) map[string]row {
	w.t.Helper()
	all := map[string]row{}
	for _, table := range tables {
		keys := w.keys(table)
		rows, err := w.DB.Query(w.t.Context(), `SELECT * FROM `+table)
		require.NoError(w.t, err)
		for rows.Next() {
			values, err := rows.Values()
			require.NoError(w.t, err)
			r := row{values: map[string]string{}} // what is null, "", 0 or false is not in it
			for i, f := range rows.FieldDescriptions() {
				r.columns = append(r.columns, f.Name)
				r.values[f.Name] = shown(values[i])
			}
			name := []string{table}
			for _, k := range keys {
				name = append(name, k+"="+r.values[k])
			}
			all[strings.Join(name, " ")] = r
		}
		require.NoError(w.t, rows.Err())
	}
	return all
}

// All are the rows of a read model's tables, a line each as Story.After tells new ones.
func (w *World) All(m *projections.Model) []string {
	w.t.Helper()
	return changes(nil, w.rows(m.Tables))
}

// keys are the columns of a table's primary key.
func (w *World) keys(table string) []string {
	w.t.Helper()
	rows, err := w.DB.Query(w.t.Context(), `SELECT a.attname FROM pg_index i
		JOIN pg_attribute a ON a.attrelid = i.indrelid AND a.attnum = ANY(i.indkey)
		WHERE i.indrelid = $1::regclass AND i.indisprimary ORDER BY array_position(i.indkey, a.attnum)`, table)
	require.NoError(w.t, err)
	keys, err := pgx.CollectRows(rows, pgx.RowTo[string])
	require.NoError(w.t, err)
	return keys
}

// changes tells what is new, other or gone, as Story.After does.
func changes(before, after map[string]row) (lines []string) {
	for _, name := range slices.Sorted(maps.Keys(after)) {
		was, existed := before[name]
		var cells []string
		for _, c := range after[name].columns {
			now := after[name].values[c]
			inName := strings.Contains(name+" ", " "+c+"="+now+" ")
			if !inName && now != was.values[c] {
				cells = append(cells, c+"="+now)
			}
		}
		switch {
		case !existed:
			lines = append(lines, strings.Join(append([]string{"+", name}, cells...), " "))
		case len(cells) > 0:
			lines = append(lines, "~ "+name+": "+strings.Join(cells, " "))
		}
	}
	for _, name := range slices.Sorted(maps.Keys(before)) {
		if _, exists := after[name]; !exists {
			lines = append(lines, "- "+name)
		}
	}
	return lines
}

// shown is a value of a column. Of a time of the first day only the time of day is shown.
func shown(v any) string {
	switch v := v.(type) {
	case nil:
		return ""
	case time.Time:
		if v = v.UTC(); v.Truncate(24 * time.Hour).Equal(Noon.Truncate(24 * time.Hour)) {
			return v.Format("15:04:05")
		}
		return v.Format(time.RFC3339)
	case map[string]any, []any:
		data, err := json.Marshal(v)
		if err != nil {
			return err.Error()
		}
		return string(data)
	}
	if reflect.ValueOf(v).IsZero() {
		return ""
	}
	return fmt.Sprint(v)
}
