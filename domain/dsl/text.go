package dsl

import (
	"encoding/json"
	"strconv"
	"strings"
)

// Text is what is said: with {{ expressions }} in it, in one or several languages.
type Text struct {
	versions []version // in the order of the source; none: no text was written
}

type version struct {
	language string // empty: for all
	pieces   []piece
}

// piece is a part of a template: fixed, computed, or a secret.
type piece struct {
	fixed  string
	expr   *Expr
	secret string
}

// Empty says that nothing was written.
func (t Text) Empty() bool { return len(t.versions) == 0 }

// Languages are those it is written in; none: it is one text for all.
func (t Text) Languages() []string {
	var all []string
	for _, v := range t.versions {
		if v.language != "" {
			all = append(all, v.language)
		}
	}
	return all
}

// Say fills in the text of a language: the very one (zh-Hant-TW), else that without its last
// part (zh-Hant, then zh), else the first of the same language (zh-CN), else the first that is
// written. What cannot be computed is left out, and the first such error given beside the rest,
// for the trace.
func (t Text) Say(language string, s Scope) (string, error) {
	if t.Empty() {
		return "", nil
	}
	return join(t.in(language).pieces, s)
}

// String is the first language's source.
func (t Text) String() string {
	if t.Empty() {
		return ""
	}
	return source(t.versions[0].pieces)
}

// MarshalJSON shows the sources: a text, or a map of languages.
func (t Text) MarshalJSON() ([]byte, error) {
	if len(t.Languages()) == 0 {
		return json.Marshal(t.String())
	}
	all := map[string]string{}
	for _, v := range t.versions {
		all[v.language] = source(v.pieces)
	}
	return json.Marshal(all)
}

func (t Text) in(language string) version {
	for more := true; more; {
		for _, v := range t.versions {
			if strings.EqualFold(v.language, language) {
				return v
			}
		}
		last := strings.LastIndexByte(language, '-')
		if more = last > 0; more {
			language = language[:last]
		}
	}
	for _, v := range t.versions { // who speaks pt-PT, or pt, reads pt-BR rather than English
		if first, _, _ := strings.Cut(v.language, "-"); first != "" && strings.EqualFold(first, language) {
			return v
		}
	}
	return t.versions[0]
}

// mostWritten is from where on nothing is added to a text, in bytes: nobody takes one that long, and a source has room for thousands
// of expressions that are each a whole message.
const mostWritten = mostSent

func join(pieces []piece, s Scope) (string, error) {
	var out strings.Builder
	var first error
	for _, p := range pieces {
		if out.Len() > mostWritten {
			break
		}
		switch {
		case p.expr != nil:
			v, err := p.expr.Eval(s)
			if err != nil && first == nil {
				first = err
			}
			out.WriteString(written(v))
		case p.secret != "":
			out.WriteString(hidden)
		default:
			out.WriteString(p.fixed)
		}
	}
	return out.String(), first
}

const hidden = "***"

func source(pieces []piece) string {
	var out strings.Builder
	for _, p := range pieces {
		switch {
		case p.expr != nil:
			out.WriteString("{{ " + p.expr.String() + " }}")
		case p.secret != "":
			out.WriteString("${secret:" + p.secret + "}")
		default:
			out.WriteString(p.fixed)
		}
	}
	return out.String()
}

// written is a value inside of a text: numbers without a needless point, nothing for
// null, JSON for what has members.
func written(v any) string {
	switch v := v.(type) {
	case nil:
		return ""
	case string:
		return v
	case bool:
		return strconv.FormatBool(v)
	case int64:
		return strconv.FormatInt(v, 10)
	case float64:
		return strconv.FormatFloat(v, 'f', -1, 64)
	}
	data, err := json.Marshal(v)
	if err != nil {
		return ""
	}
	return string(data)
}
