package dsl

import (
	"fmt"
	"math"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"go.yaml.in/yaml/v3"

	"github.com/parley-platform/parley/domain/dsl/expr"
)

// object is a map of the source, whose keys are known.
type object struct {
	*reader
	node  *yaml.Node
	field string
}

// entry is one member of a map whose keys are free.
type entry struct {
	key, value *yaml.Node
	name       string
	field      string
}

// object opens a map, and refuses keys that it does not know.
func (r *reader) object(n *yaml.Node, field string, known ...string) *object {
	o := &object{r, n, field}
	if n.Kind != yaml.MappingNode {
		r.at(n, field, "type", "must be a map with %s", some(known))
		o.node = &yaml.Node{Kind: yaml.MappingNode, Line: n.Line, Column: n.Column}
		return o
	}
	for i := 0; i < len(n.Content); i += 2 {
		if key := n.Content[i]; !slices.Contains(known, key.Value) {
			r.at(key, under(field, key.Value), "unknown_key", "%s", keyHint(key.Value, known))
		}
	}
	return o
}

func some(known []string) string {
	if len(known) > 8 {
		known = append(slices.Clone(known[:8]), "...")
	}
	return strings.Join(known, ", ")
}

func keyHint(key string, known []string) string {
	if near := expr.Nearest(key, known); near != "" {
		return fmt.Sprintf("there is no %s here: did you mean %s?", key, near)
	}
	return fmt.Sprintf("there is no %s here; there are %s", key, strings.Join(known, ", "))
}

func (o *object) place() Place { return Place{o.node.Line, o.node.Column} }

// get is a member that is there; an empty one counts as absent, but not without a word.
func (o *object) get(key string) *yaml.Node {
	for i := 0; i+1 < len(o.node.Content); i += 2 {
		if o.node.Content[i].Value != key {
			continue
		}
		if v := o.node.Content[i+1]; !isNull(v) {
			return v
		}
		o.at(o.node.Content[i], under(o.field, key), "empty", "is empty: give it a value, or take it away")
		return nil
	}
	return nil
}

func (o *object) has(key string) bool {
	for i := 0; i < len(o.node.Content); i += 2 {
		if o.node.Content[i].Value == key {
			return true
		}
	}
	return false
}

func (o *object) missing(key, hint string) {
	if !o.has(key) {
		o.at(o.node, under(o.field, key), "required", "%s", hint)
	}
}

// foreign refuses members that this kind does not have.
func (o *object) foreign(why string, keys ...string) {
	for i := 0; i < len(o.node.Content); i += 2 {
		if key := o.node.Content[i]; slices.Contains(keys, key.Value) {
			o.at(key, under(o.field, key.Value), "not_here", "%s", why)
		}
	}
}

func isNull(n *yaml.Node) bool { return n.Kind == yaml.ScalarNode && n.ShortTag() == "!!null" }

// isText says whether a scalar counts as text: days and times do, as they are written.
func isText(n *yaml.Node) bool {
	return n.Kind == yaml.ScalarNode && (n.ShortTag() == "!!str" || n.ShortTag() == "!!timestamp")
}

func (r *reader) plainText(n *yaml.Node, field string) (string, bool) {
	if !isText(n) {
		r.at(n, field, "type", "must be a text: put it into quotes")
		return "", false
	}
	if strings.TrimSpace(n.Value) == "" {
		r.at(n, field, "empty", "is empty: give it a value, or take it away")
		return "", false
	}
	return n.Value, true
}

// text is a member that is a text as it is, without expressions.
func (o *object) text(key string) string {
	n := o.get(key)
	if n == nil {
		return ""
	}
	s, _ := o.plainText(n, under(o.field, key))
	return s
}

// named is a member that is a name.
func (o *object) named(key string) string {
	s := o.text(key)
	if s != "" && !isName(s) {
		o.at(o.get(key), under(o.field, key), "name", "%s", nameHint)
		return ""
	}
	return s
}

const nameHint = "must be a name: a letter or _, then letters, digits and _, at most 64"

var nameForm = regexp.MustCompile(`^[A-Za-z_][A-Za-z0-9_]{0,63}$`)

func isName(s string) bool { return nameForm.MatchString(s) }

// choice is a member that is one of some words.
func (o *object) choice(key, otherwise string, allowed ...string) string {
	n := o.get(key)
	if n == nil {
		return otherwise
	}
	if n.Kind != yaml.ScalarNode || !slices.Contains(allowed, n.Value) {
		hint := "must be " + strings.Join(allowed, ", ")
		if near := expr.Nearest(n.Value, allowed); near != "" {
			hint += ": did you mean " + near + "?"
		}
		o.at(n, under(o.field, key), "choice", "%s", hint)
		return otherwise
	}
	return n.Value
}

func (o *object) boolean(key string, otherwise bool) bool {
	n := o.get(key)
	if n == nil {
		return otherwise
	}
	if n.Kind != yaml.ScalarNode || n.ShortTag() != "!!bool" {
		o.at(n, under(o.field, key), "type", "must be true or false")
		return otherwise
	}
	return strings.EqualFold(n.Value, "true")
}

var wholeForm = regexp.MustCompile(`^-?(0|[1-9][0-9]{0,15})$`)

func (o *object) integer(key string, least, most, otherwise int) int {
	n := o.get(key)
	if n == nil {
		return otherwise
	}
	v, err := strconv.Atoi(n.Value)
	if n.ShortTag() != "!!int" || !wholeForm.MatchString(n.Value) || err != nil || v < least || v > most {
		o.at(n, under(o.field, key), "range", "must be a whole number from %d to %d, in digits only", least, most)
		return otherwise
	}
	return v
}

func (o *object) number(key string, least, most float64) *float64 {
	n := o.get(key)
	if n == nil {
		return nil
	}
	v, ok := decimal(n)
	if !ok || v < least || v > most {
		o.at(n, under(o.field, key), "range", "must be a number from %v to %v", least, most)
		return nil
	}
	return &v
}

var decimalForm = regexp.MustCompile(`^-?(0|[1-9][0-9]*)(\.[0-9]+)?([eE][-+]?[0-9]+)?$`)

// decimal takes numbers as JSON writes them: 1_000, 0x10, 010 and .inf are none.
func decimal(n *yaml.Node) (float64, bool) {
	if tag := n.ShortTag(); n.Kind != yaml.ScalarNode || tag != "!!int" && tag != "!!float" || !decimalForm.MatchString(n.Value) {
		return 0, false
	}
	v, err := strconv.ParseFloat(n.Value, 64)
	return v, err == nil && !math.IsInf(v, 0)
}

var durationForm = regexp.MustCompile(`^([1-9][0-9]{0,6})(ms|s|m|h|d)$`)

var durationUnits = map[string]time.Duration{
	"ms": time.Millisecond, "s": time.Second, "m": time.Minute, "h": time.Hour, "d": 24 * time.Hour,
}

func (o *object) duration(key string, least, most, otherwise time.Duration) time.Duration {
	n := o.get(key)
	if n == nil {
		return otherwise
	}
	if m := durationForm.FindStringSubmatch(n.Value); n.Kind == yaml.ScalarNode && m != nil {
		count, err := strconv.ParseInt(m[1], 10, 64)
		if d := time.Duration(count) * durationUnits[m[2]]; err == nil && d >= least && d <= most {
			return d
		}
	}
	o.at(n, under(o.field, key), "duration", "must be a duration from %s to %s, such as 500ms, 30s, 5m, 12h or 7d", short(least),
		short(most))
	return otherwise
}

func short(d time.Duration) string {
	for _, unit := range []string{"d", "h", "m", "s"} {
		if by := durationUnits[unit]; d >= by && d%by == 0 {
			return fmt.Sprintf("%d%s", d/by, unit)
		}
	}
	return fmt.Sprintf("%dms", d.Milliseconds())
}

// list is a member that is a list, with the fields of its items.
func (o *object) list(key string, most int) []item {
	n := o.get(key)
	if n == nil {
		return nil
	}
	return o.items(n, under(o.field, key), most)
}

type item struct {
	node  *yaml.Node
	field string
}

func (r *reader) items(n *yaml.Node, field string, most int) []item {
	if n.Kind != yaml.SequenceNode {
		r.at(n, field, "type", "must be a list")
		return nil
	}
	if len(n.Content) > most {
		r.at(n, field, "too_many", "may have at most %d items, has %d", most, len(n.Content))
		return nil
	}
	out := make([]item, 0, len(n.Content))
	for i, c := range n.Content {
		out = append(out, item{c, fmt.Sprintf("%s[%d]", field, i)})
	}
	return out
}

// texts is a member that is a list of texts without repetitions.
func (o *object) texts(key string) []string {
	var out []string
	for _, i := range o.list(key, maxList) {
		s, ok := o.plainText(i.node, i.field)
		if ok && slices.Contains(out, s) {
			o.at(i.node, i.field, "duplicate", "is already in the list")
		} else if ok {
			out = append(out, s)
		}
	}
	return out
}

// entries is a member that is a map with free keys, in its order. Keys are names, but for
// headers and the like.
func (o *object) entries(key string, most int, named bool) []entry {
	n := o.get(key)
	if n == nil {
		return nil
	}
	return o.entriesOf(n, under(o.field, key), most, named)
}

func (r *reader) entriesOf(n *yaml.Node, field string, most int, named bool) []entry {
	if n.Kind != yaml.MappingNode {
		r.at(n, field, "type", "must be a map")
		return nil
	}
	if len(n.Content)/2 > most {
		r.at(n, field, "too_many", "may have at most %d members, has %d", most, len(n.Content)/2)
		return nil
	}
	var out []entry
	for i := 0; i+1 < len(n.Content); i += 2 {
		e := entry{n.Content[i], n.Content[i+1], n.Content[i].Value, under(field, n.Content[i].Value)}
		switch {
		case named && !isName(e.name):
			r.at(e.key, e.field, "name", "%s", nameHint)
			continue
		case isNull(e.value):
			r.at(e.key, e.field, "empty", "is empty: give it a value, or take it away")
			continue
		}
		out = append(out, e)
	}
	return out
}
