package rest

import (
	"context"
	"encoding/json"
	"net/http"

	"github.com/prometheus/client_golang/prometheus"

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
	if a.cfg.Measure != nil {
		a.cfg.Measure.MustRegister(newReadyMetrics(a))
	}
	if a.cfg.Metrics != nil {
		a.router.Handle("/metrics", a.cfg.Metrics).Methods(http.MethodGet, http.MethodHead)
	}
}

// readyz is 503 until every part is ready and the gate is open.
func (a *API) readyz(w http.ResponseWriter, r *http.Request) {
	out, status := a.readiness(r.Context()), http.StatusOK
	if !out.Ready {
		status = http.StatusServiceUnavailable
	}
	writeJSON(w, status, out)
}

func (a *API) readiness(ctx context.Context) readiness {
	out := readiness{Ready: true, Parts: []Part{}}
	if a.cfg.Ready != nil {
		out.Parts = append(out.Parts, a.cfg.Ready(ctx)...)
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
	return out
}

// readyMetrics are the parts of /readyz for Prometheus, looked at when it asks.
type readyMetrics struct {
	api             *API
	ready, degraded *prometheus.Desc
}

func newReadyMetrics(a *API) *readyMetrics {
	return &readyMetrics{a,
		prometheus.NewDesc("parley_ready", "1 while a part of the node is ready, by its name in /readyz, else 0.", []string{"part"}, nil),
		prometheus.NewDesc("parley_degraded", "1 while a part is ready and its operator has something to mend; /readyz says what.",
			[]string{"part"}, nil)}
}

// Describe implements prometheus.Collector.
func (m *readyMetrics) Describe(out chan<- *prometheus.Desc) {
	out <- m.ready
	out <- m.degraded
}

// Collect implements prometheus.Collector.
func (m *readyMetrics) Collect(out chan<- prometheus.Metric) {
	is := map[bool]float64{true: 1}
	for _, p := range m.api.readiness(context.Background()).Parts {
		out <- prometheus.MustNewConstMetric(m.ready, prometheus.GaugeValue, is[p.Ready], p.Name)
		out <- prometheus.MustNewConstMetric(m.degraded, prometheus.GaugeValue, is[p.Degraded], p.Name)
	}
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
