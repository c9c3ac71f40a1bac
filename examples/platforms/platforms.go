// Package platforms plays the providers of channels: it takes the messages that adapters send,
// answers as each provider does, also badly when it is told to, and shows what it took. serve --dev
// has it in their place, so that a reply can be read without an account anywhere; fault tests and
// benchmarks have it as the other side.
//
// It never sends anything, asks nobody, and lets every credential in that looks like one. It keeps
// the newest messages in memory, and no credential.
package platforms

import (
	"cmp"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"
)

// The bounds of what is read and kept.
const (
	mostAsked = 4 << 20 // bytes of a request
	mostKept  = 20_000  // messages
)

// Message is what a provider took.
type Message struct {
	Number  int             `json:"number"` // from 1, of all that were taken
	Kind    string          `json:"channelType"`
	ID      string          `json:"id"` // that the provider gave it
	To      string          `json:"to"`
	Text    string          `json:"text"`
	Choices []Choice        `json:"choices,omitempty"`
	By      string          `json:"by"`              // the method, or the path
	Edits   int             `json:"edits,omitempty"` // how often it was written anew
	Key     string          `json:"key,omitempty"`   // by which the provider knows a repeat
	At      time.Time       `json:"at"`
	Request json.RawMessage `json:"request,omitempty"` // as it came, where it is JSON; else its members

	of      string // the ID of the message that is written anew by this one, or deleted; empty: it is a message of its own
	deletes bool
}

// Choice is a button that a message has.
type Choice struct {
	Label string `json:"label"`
	Token string `json:"token"`
}

// platform is one provider. The path of a request has no prefix of the kind any more.
type platform struct {
	// read says what a request asks for. Where it is no message that would be taken, the answer is
	// all there is.
	read func(q request) (m Message, answer *reply)
	// taken is what is answered when a message was taken; it gives it its ID.
	taken func(m *Message) reply
	// repeated is what is answered when a message with the same key was taken before; nil: the provider
	// knows no repeats.
	repeated func(before Message) reply
	// gone is what is answered where a message is to be written anew that there is not.
	gone reply
	// look is what is answered to who asks for the messages of a conversation; nil: the provider does not say.
	look func(q request, took []Message) (answer reply, ok bool)
	// busy is how the provider says that it had too many requests, and to wait for so many seconds;
	// 0: it does not say.
	busy func(seconds int) reply
	// fails is how it says that something else is wrong, by what is wrong.
	fails map[Trouble]reply
}

// platforms has a line for each kind of channel whose provider is played.
var platforms = map[string]platform{
	"email":      email,
	"instagram":  instagram,
	"line":       line,
	"livekit":    livekit,
	"messenger":  messenger,
	"msteams":    msteams,
	"slack":      slack,
	"telegram":   telegram,
	"twilio_sms": twilio,
	"whatsapp":   whatsapp,
	"zendesk":    zendesk,
}

// Kinds lists the kinds of channels whose providers are played.
func Kinds() []string { return slices.Sorted(maps.Keys(platforms)) }

// At is where the provider of a kind is, for a recorder at an address.
func At(recorder, kind string) string { return strings.TrimRight(recorder, "/") + "/" + kind }

// Recorder is all the providers.
type Recorder struct {
	Now  func() time.Time
	Told func(Message) // hears of each message that was taken; may be nil

	mu       sync.Mutex
	number   int
	took     []Message // the oldest first
	troubles []*Fault
}

type request struct {
	method, path string
	host         string // as who asks calls the recorder
	header       http.Header
	query        url.Values
	body         []byte
}

type reply struct {
	status int
	header map[string]string
	body   string
	public bool // everybody is told it, whatever is wrong with a credential
}

func says(status int, v any) reply {
	data, _ := json.Marshal(v) // of literals of this package, which always can be
	return reply{status: status, body: string(data)}
}

// after says in a header how long the provider wants to be left alone.
func (r reply) after(seconds int) reply {
	if seconds > 0 {
		r.header = map[string]string{"Retry-After": strconv.Itoa(seconds)}
	}
	return r
}

// ServeHTTP answers a provider's requests under its kind, and those to the recorder itself.
func (x *Recorder) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	body, err := io.ReadAll(http.MaxBytesReader(w, r.Body, mostAsked))
	if err != nil {
		http.Error(w, "the request is too large, or cut", http.StatusRequestEntityTooLarge)
		return
	}
	kind, path, _ := strings.Cut(strings.TrimPrefix(r.URL.Path, "/"), "/")
	q := request{r.Method, "/" + path, r.Host, r.Header, r.URL.Query(), body}
	p, played := platforms[kind]
	switch {
	case kind == "messages" || kind == "faults":
		write(w, x.control(kind, q))
	case !played:
		write(w, says(http.StatusNotFound, map[string]any{"error": fmt.Sprintf("no provider of %q is played here: there are %s", kind,
			strings.Join(Kinds(), ", "))}))
	default:
		x.provider(w, kind, p, q)
	}
}

func (x *Recorder) provider(w http.ResponseWriter, kind string, p platform, q request) {
	m, answer := p.read(q)
	m.Kind = kind
	if answer != nil && answer.public {
		write(w, *answer)
		return
	}
	switch trouble, seconds := x.trouble(m, answer != nil); {
	case trouble == Busy:
		write(w, p.busy(seconds))
	case trouble == HangsUp:
		hangUp(w)
	case trouble == Cuts:
		x.take(p, &m)
		hangUp(w)
	case trouble != "":
		write(w, p.fails[trouble])
	case answer != nil:
		if p.look != nil {
			if seen, ok := p.look(q, x.Sent(kind, "")); ok {
				answer = &seen
			}
		}
		write(w, *answer)
	default:
		write(w, x.take(p, &m))
	}
}

// take keeps a message, and gives the provider's answer to it.
func (x *Recorder) take(p platform, m *Message) reply {
	x.mu.Lock()
	same := func(before Message) bool { return before.Kind == m.Kind && before.Key == m.Key }
	if before := slices.IndexFunc(x.took, same); before >= 0 && p.repeated != nil && m.Key != "" {
		defer x.mu.Unlock()
		return p.repeated(x.took[before])
	}
	if m.of != "" {
		out, is := x.edit(p, m)
		x.mu.Unlock()
		if is && x.Told != nil {
			x.Told(*m)
		}
		return out
	}
	x.number++
	m.Number, m.At = x.number, x.Now().UTC()
	out := p.taken(m)
	if x.took = append(x.took, *m); len(x.took) > 2*mostKept {
		x.took = slices.Clone(x.took[len(x.took)-mostKept:])
	}
	x.mu.Unlock()
	if x.Told != nil {
		x.Told(*m)
	}
	return out
}

// edit writes a message anew, which is m then, or deletes it. is: it is written anew.
func (x *Recorder) edit(p platform, m *Message) (out reply, is bool) {
	i := slices.IndexFunc(x.took, func(before Message) bool { return before.Kind == m.Kind && before.ID == m.of })
	if i < 0 {
		return p.gone, false
	}
	before := &x.took[i]
	before.Text, before.Choices, before.Request, before.Edits = m.Text, m.Choices, m.Request, before.Edits+1
	out, is = p.taken(before), !m.deletes
	if *m = *before; !is {
		x.took = slices.Delete(x.took, i, i+1)
	}
	return out, is
}

// Sent are the messages to whom of a kind, the oldest first; an empty kind is any, and so is an
// empty to.
func (x *Recorder) Sent(kind, to string) (out []Message) {
	x.mu.Lock()
	defer x.mu.Unlock()
	for _, m := range x.took {
		if (kind == "" || m.Kind == kind) && (to == "" || m.To == to) {
			out = append(out, m)
		}
	}
	return out
}

// Forget drops what was taken, and all troubles.
func (x *Recorder) Forget() {
	x.mu.Lock()
	defer x.mu.Unlock()
	x.took, x.troubles = nil, nil
}

func write(w http.ResponseWriter, r reply) {
	w.Header().Set("Content-Type", "application/json")
	for name, value := range r.header {
		w.Header().Set(name, value)
	}
	w.WriteHeader(cmp.Or(r.status, http.StatusOK))
	_, _ = io.WriteString(w, r.body)
}

// hangUp ends the connection without an answer.
func hangUp(w http.ResponseWriter) {
	c, _, err := http.NewResponseController(w).Hijack()
	if err != nil {
		panic(http.ErrAbortHandler)
	}
	_ = c.Close()
}

// members are those of a body of JSON, or of a form, whose values are texts.
func (q request) members() (out map[string]json.RawMessage, raw json.RawMessage) {
	if json.Unmarshal(q.body, &out) == nil {
		return out, q.body
	}
	form, err := url.ParseQuery(string(q.body))
	if err != nil {
		return nil, nil
	}
	out = map[string]json.RawMessage{}
	for name := range form {
		out[name], _ = json.Marshal(form.Get(name)) // a text always can be
	}
	raw, _ = json.Marshal(out)
	return out, raw
}

// text is a member that is a text, or a number.
func text(members map[string]json.RawMessage, name string) string {
	var s string
	if json.Unmarshal(members[name], &s) == nil {
		return s
	}
	var n json.Number
	if json.Unmarshal(members[name], &n) == nil {
		return n.String()
	}
	return ""
}
