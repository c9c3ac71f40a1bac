package rest

// shownDepth is how deep the data of events is shown: the members of a body, and what
// events put around them. Before bodies were bounded events were recorded that most
// readers of JSON cannot read, and one of them would make a whole page unreadable.
const shownDepth = MaxDepth + 8

const tooDeepToShow = `"[nested deeper than it can be shown: read it on the log]"`

// shallow is JSON without what is nested too deep; nearly all is as it was.
func shallow(data []byte) []byte {
	if depthOf(data) <= shownDepth {
		return data
	}
	var out []byte
	depth := 0
	eachToken(data, func(token []byte) {
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

func depthOf(data []byte) (deepest int) {
	depth := 0
	eachToken(data, func(token []byte) {
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

// eachToken visits brackets, texts, and what is between them, of valid JSON.
func eachToken(data []byte, visit func(token []byte)) {
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
