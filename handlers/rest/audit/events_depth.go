package audit

import "github.com/parley-platform/parley/handlers/rest/jsontext"

// shownDepth is how deep the data of events is shown: the members of a body, and what
// events put around them. Before bodies were bounded events were recorded that most
// readers of JSON cannot read, and one of them would make a whole page unreadable.
const shownDepth = jsontext.MaxDepth + 8

const tooDeepToShow = `"[nested deeper than it can be shown: read it on the log]"`

// shallow is JSON without what is nested too deep; nearly all is as it was.
func shallow(data []byte) []byte {
	if jsontext.DepthOf(data) <= shownDepth {
		return data
	}
	var out []byte
	depth := 0
	jsontext.EachToken(data, func(token []byte) {
		switch token[0] {
		case '{', '[':
			if depth++; depth == shownDepth+1 {
				out = append(out, tooDeepToShow...)
			}
		}
		if depth <= shownDepth {
			out = append(out, token...)
		}
		if token[0] == '}' || token[0] == ']' {
			depth--
		}
	})
	return out
}
