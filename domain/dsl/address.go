package dsl

import (
	"errors"
	"net/url"
	"strings"
	"unicode"
)

// What must not happen to a URL: that what is computed decides where a request goes. The
// host stands in the source. In the path a value stays within its segment, and behind the ?
// within its member.

// begun marks what is computed in a path. A source cannot write it.
const begun = "\x00"

// address is a URL with what is computed in it.
func address(pieces []piece, value func(*Expr) (any, error)) (string, error) {
	var path, query strings.Builder
	out := &path
	for _, p := range pieces {
		if p.expr == nil {
			before, after, found := strings.Cut(p.fixed, "?")
			if out.WriteString(before); found {
				if out == &path {
					out = &query
				}
				out.WriteString("?" + after)
			}
			continue
		}
		v, err := value(p.expr)
		if err != nil {
			return "", err
		}
		if out == &query {
			out.WriteString(url.QueryEscape(written(v)))
			continue
		}
		switch v.(type) {
		case map[string]any, []any:
			return "", errors.New("has a map or a list in its path")
		}
		out.WriteString(begun + url.PathEscape(written(v)))
	}
	if problem := segmentsProblem(path.String()); problem != "" {
		return "", errors.New(problem)
	}
	return strings.ReplaceAll(path.String(), begun, "") + query.String(), nil
}

// segmentsProblem refuses what servers resolve before they look a path up, and segments
// that vanish because nothing was computed: a DELETE of one thing must not become one of all.
func segmentsProblem(upToQuery string) string {
	_, rest, _ := strings.Cut(upToQuery, "://")
	_, path, _ := strings.Cut(rest, "/")
	for segment := range strings.SplitSeq(path, "/") {
		bare := strings.ReplaceAll(segment, begun, "")
		if bare == "" && segment != "" {
			return "has nothing in its path where a value is wanted"
		}
		decoded, err := url.PathUnescape(bare)
		if err != nil {
			return "has a % that begins no escape"
		}
		for _, part := range strings.FieldsFunc(decoded, func(r rune) bool { return r == '/' || r == '\\' }) {
			if part == "." || part == ".." {
				return "has . or .. as a segment of its path"
			}
		}
	}
	return ""
}

// addressProblem is what is wrong with a URL as the source has it; empty: nothing.
func addressProblem(t Text) string {
	pieces := t.versions[0].pieces
	scheme, rest, _ := strings.Cut(pieces[0].fixed, "://")
	if len(t.Languages()) > 0 || scheme != "https" && scheme != "http" {
		return "must begin with https:// or http:// and be one text: where it goes is not computed"
	}
	end := strings.IndexAny(rest, "/?#")
	host := rest
	if end >= 0 {
		host = rest[:end]
	}
	if host == "" || strings.Contains(host, "@") || len(pieces) > 1 && (end < 0 || rest[end] != '/') {
		return "must have its whole host in it, followed by /, and no user"
	}
	for _, p := range pieces {
		if strings.ContainsFunc(p.fixed, func(r rune) bool { return r == '#' || unicode.IsSpace(r) || unicode.IsControl(r) }) {
			return "must have no # and no space: neither is sent"
		}
		if _, err := url.PathUnescape(p.fixed); err != nil {
			return "has a % that begins no escape: %25 is the character itself"
		}
	}
	whole, err := address(pieces, func(*Expr) (any, error) { return "x", nil })
	if err != nil {
		return err.Error()
	}
	if u, err := url.Parse(whole); err != nil || u.Hostname() == "" {
		return "is no URL"
	}
	return ""
}
