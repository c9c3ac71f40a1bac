// Package company plays what the example company has outside of Parley, so that its agents can be
// talked with where nothing of it exists: its customers, meters and payments, and whom it asks for
// weather, flights and rooms. serve --dev answers the hosts with it.
//
// What it answers follows from what it is asked, by rules that each function names. It keeps
// nothing, asks nobody, and lets everybody in: the names of its hosts belong to no one.
package company

import (
	"encoding/json"
	"io"
	"net/http"
	"strings"
)

// mostAsked is how many bytes of a request are read.
const mostAsked = 64 << 10

// systems are what stands behind each host.
var systems = map[string]http.HandlerFunc{
	"crm.example.com":     customers,
	"meters.example.com":  readings,
	"pay.example.com":     payments,
	"weather.example.com": weather,
	"flights.example.com": flights,
	"hotels.example.com":  rooms,
}

// At is where each of the hosts is answered, for whoever is told by names.
func At(address string) map[string]string {
	out := make(map[string]string, len(systems))
	for host := range systems {
		out[host] = address
	}
	return out
}

// Handler answers all hosts; told hears what each was asked.
func Handler(told func(host, asked string)) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		host, _, _ := strings.Cut(strings.ToLower(r.Host), ":")
		system, known := systems[host]
		if !known {
			http.Error(w, "the company has no such host", http.StatusMisdirectedRequest)
			return
		}
		body, err := io.ReadAll(http.MaxBytesReader(w, r.Body, mostAsked))
		if err != nil {
			http.Error(w, "the request cannot be read", http.StatusBadRequest)
			return
		}
		r.Body = io.NopCloser(strings.NewReader(string(body)))
		told(host, strings.TrimSpace(r.Method+" "+r.URL.RequestURI()+" "+string(body)))
		system(w, r)
	})
}

func answer(w http.ResponseWriter, status int, v any) {
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	_ = json.NewEncoder(w).Encode(v)
}

// customers finds one by e-mail address. There is one: Ada.
func customers(w http.ResponseWriter, r *http.Request) {
	if r.URL.Query().Get("email") != "ada.park@example.com" {
		http.NotFound(w, r)
		return
	}
	answer(w, http.StatusOK, map[string]string{"id": "cu-1001", "name": "Ada Park", "plan": "gold"})
}

// readings takes those of all meters but two: that of 00000000 is not right, and for 99999999 the
// system is down.
func readings(w http.ResponseWriter, r *http.Request) {
	var asked struct{ Meter string }
	if json.NewDecoder(r.Body).Decode(&asked) != nil {
		http.Error(w, "a reading is JSON", http.StatusBadRequest)
		return
	}
	if asked.Meter == "99999999" {
		http.Error(w, "down for maintenance", http.StatusInternalServerError)
		return
	}
	answer(w, http.StatusOK, map[string]bool{"ok": asked.Meter != "00000000"})
}

// payments takes a charge. Whoever plays the payment service says what became of it, at the address
// that stands in it.
func payments(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusAccepted) }

// flights knows what one costs by the letters of where it leads to; to Nowhere there is none.
func flights(w http.ResponseWriter, r *http.Request) {
	to := r.URL.Query().Get("to")
	if strings.EqualFold(to, "nowhere") {
		http.NotFound(w, r)
		return
	}
	answer(w, http.StatusOK, map[string]int{"price": 100 + 20*len(to)})
}

// rooms knows what a night costs by the letters of the city.
func rooms(w http.ResponseWriter, r *http.Request) {
	answer(w, http.StatusOK, map[string]int{"rate": 50 + 10*len(r.URL.Query().Get("city"))})
}

// weather is a server of the Model Context Protocol with one tool, forecast: it is sunny everywhere.
func weather(w http.ResponseWriter, r *http.Request) {
	var asked struct {
		ID     json.RawMessage
		Method string
		Params struct {
			ProtocolVersion string
			Name            string
			Arguments       struct{ City string }
		}
	}
	if r.Method != http.MethodPost {
		w.WriteHeader(http.StatusMethodNotAllowed) // it has nothing to say by itself
		return
	}
	if json.NewDecoder(r.Body).Decode(&asked) != nil {
		http.Error(w, "a message is JSON", http.StatusBadRequest)
		return
	}
	if len(asked.ID) == 0 {
		w.WriteHeader(http.StatusAccepted)
		return
	}
	said := map[string]any{"jsonrpc": "2.0", "id": asked.ID}
	switch {
	case asked.Method == "initialize":
		said["result"] = map[string]any{"protocolVersion": asked.Params.ProtocolVersion, "capabilities": map[string]any{"tools": struct{}{}},
			"serverInfo": map[string]string{"name": "weather", "version": "1"}}
	case asked.Method == "tools/list":
		said["result"] = map[string]any{"tools": []any{map[string]any{"name": "forecast", "inputSchema": map[string]any{"type": "object"}}}}
	case asked.Method == "tools/call" && asked.Params.Name == "forecast":
		forecast := map[string]string{"city": asked.Params.Arguments.City, "sky": "sunny"}
		text, _ := json.Marshal(forecast)
		said["result"] = map[string]any{"content": []any{map[string]string{"type": "text", "text": string(text)}}, "structuredContent": forecast}
	default:
		said["error"] = map[string]any{"code": -32601, "message": "there is no such method or tool"}
	}
	answer(w, http.StatusOK, said)
}
