package load

import (
	"encoding/json"
	"fmt"
	"net"
	"net/http"
	"strings"
	"sync"
	"time"
)

// Texts is the provider of text messages, who takes them as Twilio does and keeps a
// record of its own of what it was asked. It lives through all faults.
//
// It answers by the last two digits of the recipient: 01 has opted out, 02 comes when the
// provider is busy and is taken the second time, everything else is taken. With Doubt, 03
// is taken and never answered.
type Texts struct {
	URL    string
	Others http.Handler // has what is asked for another account; nil: it is refused
	server *http.Server
	doubt  bool

	mu    sync.Mutex
	asked map[string]*Text
}

// Text is what a provider was asked for one recipient.
type Text struct {
	Asked int // how often
	Taken int // how often it said yes, or would have
	Times []time.Time
}

// The account that nodes send from.
const (
	TextAccount = "AC00000000000000000000000000000000"
	TextToken   = "development-only-token"
)

// TakeTexts starts the provider.
func TakeTexts(doubt bool) (*Texts, error) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return nil, fmt.Errorf("listening for text messages: %w", err)
	}
	t := &Texts{URL: "http://" + l.Addr().String(), doubt: doubt, asked: map[string]*Text{}}
	t.server = &http.Server{Handler: t, ReadHeaderTimeout: 10 * time.Second}
	go func() { _ = t.server.Serve(l) }()
	return t, nil
}

// Close ends the provider.
func (t *Texts) Close() { _ = t.server.Close() }

// ServeHTTP takes a message or refuses it. Only a request that was read counts: one that
// broke before may be sent again.
func (t *Texts) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	user, password, _ := r.BasicAuth()
	if user != TextAccount && t.Others != nil {
		r.URL.Path = "/twilio_sms" + r.URL.Path
		t.Others.ServeHTTP(w, r)
		return
	}
	if err := r.ParseForm(); err != nil {
		return // the node died while it asked
	}
	if user != TextAccount || password != TextToken || !strings.HasSuffix(r.URL.Path, "/Accounts/"+TextAccount+"/Messages.json") {
		refuse(w, http.StatusUnauthorized, 20003)
		return
	}
	to := r.PostForm.Get("To")
	times, taken := t.note(to)
	switch {
	case strings.HasSuffix(to, "01"):
		refuse(w, http.StatusBadRequest, 21610)
	case !taken:
		refuse(w, http.StatusServiceUnavailable, 20503)
	case t.doubt && strings.HasSuffix(to, "03"):
		panic(http.ErrAbortHandler) // the connection ends without an answer
	default:
		w.WriteHeader(http.StatusCreated)
		_ = json.NewEncoder(w).Encode(map[string]any{"sid": fmt.Sprintf("SM%s%d", strings.TrimPrefix(to, "+"), times), "status": "queued",
			"num_segments": "1"})
	}
}

// note counts a request, and says the how many-th of its recipient it is and whether it
// is taken.
func (t *Texts) note(to string) (times int, taken bool) {
	t.mu.Lock()
	defer t.mu.Unlock()
	x := t.asked[to]
	if x == nil {
		x = &Text{}
		t.asked[to] = x
	}
	x.Asked++
	x.Times = append(x.Times, time.Now())
	taken = !strings.HasSuffix(to, "01") && (!strings.HasSuffix(to, "02") || x.Asked%2 == 0)
	if taken {
		x.Taken++
	}
	return x.Asked, taken
}

func refuse(w http.ResponseWriter, status, code int) {
	w.WriteHeader(status)
	_ = json.NewEncoder(w).Encode(map[string]any{"code": code, "message": "refused", "status": status})
}

// Record is what it was asked so far, by recipient.
func (t *Texts) Record() map[string]Text {
	t.mu.Lock()
	defer t.mu.Unlock()
	out := map[string]Text{}
	for to, x := range t.asked {
		out[to] = Text{Asked: x.Asked, Taken: x.Taken, Times: append([]time.Time(nil), x.Times...)}
	}
	return out
}
