package jsontext

import (
	"bytes"
	"strings"
	"unicode/utf8"

	"github.com/parley-platform/parley/domain/plainjson"
)

// MaxDepth is how many levels of objects and arrays the members of a body may have.
const MaxDepth = 64

// UnfitText tells why a text cannot be stored; empty if it can.
func UnfitText(s string) string {
	switch {
	case strings.IndexByte(s, 0) >= 0:
		return "must not contain the character U+0000"
	case !utf8.ValidString(s):
		return "must be valid UTF-8"
	}
	return ""
}

// FitNumbers reports whether all numbers of valid JSON are fit.
func FitNumbers(data []byte) bool {
	fit := true
	EachToken(data, func(token []byte) {
		if token[0] == '"' || !fit {
			return
		}
		for n := range bytes.FieldsFuncSeq(token, between) {
			if (n[0] == '-' || n[0] >= '0' && n[0] <= '9') && (len(n) > 300 || bytes.ContainsAny(n, "eE")) {
				fit = fit && plainjson.Number(string(n))
			}
		}
	})
	return fit
}

// between is what stands around the numbers of a token.
func between(r rune) bool { return strings.ContainsRune("[]{},: \t\r\n", r) }

// DepthOf is how deep valid JSON is nested.
func DepthOf(data []byte) (deepest int) {
	depth := 0
	EachToken(data, func(token []byte) {
		switch token[0] {
		case '{', '[':
			depth++
			deepest = max(deepest, depth)
		case '}', ']':
			depth--
		}
	})
	return deepest
}

// EachToken visits brackets, texts, and what is between them, of valid JSON.
func EachToken(data []byte, visit func(token []byte)) {
	for len(data) > 0 {
		n := 1
		switch data[0] {
		case '{', '[', '}', ']':
		case '"':
			for n < len(data) && data[n] != '"' {
				if data[n] == '\\' {
					n++
				}
				n++
			}
			n = min(n+1, len(data))
		default:
			for n < len(data) && data[n] != '{' && data[n] != '[' && data[n] != '}' && data[n] != ']' && data[n] != '"' {
				n++
			}
		}
		visit(data[:n])
		data = data[n:]
	}
}
