package platforms

import (
	"bytes"
	"encoding/json"
	"fmt"
	"net/http"
	"slices"
	"strconv"
)

// mostShown bounds a list, and shownAtFirst is its length where none is asked for.
const (
	mostShown    = 1000
	shownAtFirst = 20
)

// control is what the recorder is asked itself: what was taken, and to have troubles.
func (x *Recorder) control(what string, q request) reply {
	switch {
	case q.path != "/":
	case what == "messages" && q.method == http.MethodGet:
		return x.list(q)
	case what == "messages" && q.method == http.MethodDelete:
		x.Forget()
		return reply{status: http.StatusNoContent}
	case what == "faults" && q.method == http.MethodPost:
		return x.add(q)
	case what == "faults" && q.method == http.MethodDelete:
		x.Mend()
		return reply{status: http.StatusNoContent}
	}
	return wrong(http.StatusNotFound, "there are GET and DELETE /messages, POST and DELETE /faults")
}

func wrong(status int, what string, args ...any) reply {
	return says(status, map[string]any{"error": fmt.Sprintf(what, args...)})
}

// list shows the newest first, to whom and of which kind the query says.
func (x *Recorder) list(q request) reply {
	most := shownAtFirst
	if asked := q.query.Get("limit"); asked != "" {
		n, err := strconv.Atoi(asked)
		if err != nil || n < 1 || n > mostShown {
			return wrong(http.StatusBadRequest, "limit: must be 1 to %d", mostShown)
		}
		most = n
	}
	all := x.Sent(q.query.Get("channelType"), q.query.Get("to"))
	total := len(all)
	slices.Reverse(all)
	all = append([]Message{}, all[:min(most, total)]...)
	return says(http.StatusOK, map[string]any{"messages": all, "total": total})
}

func (x *Recorder) add(q request) reply {
	var f Fault
	in := json.NewDecoder(bytes.NewReader(q.body))
	in.DisallowUnknownFields()
	if err := in.Decode(&f); err != nil {
		return wrong(http.StatusBadRequest, "the body is no fault: %v", err)
	}
	switch _, played := platforms[f.Kind]; {
	case f.Kind != "" && !played:
		return wrong(http.StatusBadRequest, "channelType: must be one of %v", Kinds())
	case !slices.Contains(troubles, f.Does):
		return wrong(http.StatusBadRequest, "does: must be one of %v", troubles)
	case f.Times < 0 || f.Pause < 0:
		return wrong(http.StatusBadRequest, "times and pauseSeconds: must not be negative")
	}
	x.Fault(f)
	return says(http.StatusCreated, f)
}
