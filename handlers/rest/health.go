package rest

import (
	"encoding/json"
	"net/http"

	"github.com/parley-platform/parley/domain/fault"
)

// Part is one part of the node, as /readyz shows it.
type Part struct {
	Name     string `json:"name"`
	Ready    bool   `json:"ready"`
	Degraded bool   `json:"degraded,omitempty"` // ready, and yet the operator has something to mend; the detail says what
	Detail   any    `json:"detail,omitempty"`   // what an operator wants to know: lag, age, version; nothing secret
}

// readiness is the body of /readyz.
type readiness struct {
	Ready    bool   `json:"ready"`
	Degraded bool   `json:"degraded,omitempty"` // of a part
	Parts    []Part `json:"parts"`
}

// serveHealth adds what watches the node from outside. Nobody is authenticated and
// no gate is asked: these must answer when nothing else does.
func (a *API) serveHealth() {
	a.router.HandleFunc("/livez", func(w http.ResponseWriter, _ *http.Request) {
		writeJSON(w, http.StatusOK, map[string]string{"status": "ok"})
	}).Methods(http.MethodGet, http.MethodHead)
	a.router.HandleFunc("/readyz", a.readyz).Methods(http.MethodGet, http.MethodHead)
	if a.cfg.Metrics != nil {
		a.router.Handle("/metrics", a.cfg.Metrics).Methods(http.MethodGet, http.MethodHead)
	}
}

// readyz is 503 until every part is ready and the gate is open.
func (a *API) readyz(w http.ResponseWriter, r *http.Request) {
	out := readiness{Ready: true, Parts: []Part{}}
	if a.cfg.Ready != nil {
		out.Parts = append(out.Parts, a.cfg.Ready(r.Context())...)
	}
	if a.cfg.Gate != nil {
		gate := Part{Name: "gate", Ready: true}
		if err := a.cfg.Gate(); err != nil {
			gate.Ready, gate.Detail = false, fault.CodeOf(err)
		}
		out.Parts = append(out.Parts, gate)
	}
	if a.isDraining() {
		out.Parts = append(out.Parts, Part{Name: "node", Detail: "draining"})
	}
	for _, p := range out.Parts {
		out.Ready = out.Ready && p.Ready
		out.Degraded = out.Degraded || p.Degraded
	}
	status := http.StatusOK
	if !out.Ready {
		status = http.StatusServiceUnavailable
	}
	writeJSON(w, status, out)
}

func writeJSON(w http.ResponseWriter, status int, v any) {
	body, err := json.Marshal(v)
	if err != nil {
		status, body = http.StatusInternalServerError, []byte(`{"ready":false}`)
	}
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	_, _ = w.Write(append(body, '\n'))
}
