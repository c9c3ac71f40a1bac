package twiliovoice

import (
	"encoding/xml"
	"fmt"
	"net/url"
	"regexp"
	"strconv"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"github.com/parley-platform/parley/adapters/channels/sms"
	"github.com/parley-platform/parley/domain/calls"
	"github.com/parley-platform/parley/domain/channels"
)

// Client begins the number of a browser that calls with a token of ours.
const Client = "client:"

// Routes names the connections that a request may be for, by what it says of itself: the number
// that was called, or that calls. A browser names none.
func (*Voice) Routes(r channels.Request) (names []string) {
	form, err := url.ParseQuery(string(r.Body))
	if err != nil {
		return nil
	}
	for _, member := range []string{"To", "From"} {
		if v := form.Get(member); v != "" && !strings.HasPrefix(v, Client) {
			names = append(names, v)
		}
	}
	return names
}

// Browser is the identity of the browser that calls, as its token had it; empty: none does.
func (*Voice) Browser(r channels.Request) string {
	form, err := url.ParseQuery(string(r.Body))
	if err != nil {
		return ""
	}
	for _, member := range []string{"From", "To"} {
		if identity, is := strings.CutPrefix(form.Get(member), Client); is {
			return identity
		}
	}
	return ""
}

// Verify checks the signature, that of a stream's opening too: over its address, which may have
// a slash at its end.
func (*Voice) Verify(c channels.Connection, r channels.Request) error {
	err := sms.Signed(c, r)
	if err != nil && strings.HasPrefix(r.URL, "ws") {
		other := strings.TrimSuffix(r.URL, "/")
		if other == r.URL {
			other += "/"
		}
		r.URL = other
		if sms.Signed(c, r) == nil {
			return nil
		}
	}
	return err
}

// statuses are Twilio's words of a call; one that it invents tomorrow says nothing to us.
var statuses = map[string]calls.Told{
	"queued": calls.ToldInitiated, "initiated": calls.ToldInitiated, "ringing": calls.ToldRinging, "in-progress": calls.ToldInProgress,
	"answered": calls.ToldInProgress, "completed": calls.ToldCompleted, "busy": calls.ToldFailed, "no-answer": calls.ToldFailed,
	"canceled": calls.ToldFailed, "failed": calls.ToldFailed,
}

// Parse reads what Twilio says of a call: that it comes in, or how far it is.
func (*Voice) Parse(c channels.Connection, r channels.Request) (channels.Received, error) {
	form, err := url.ParseQuery(string(r.Body))
	if err != nil {
		return channels.Received{}, fmt.Errorf("reading a request of Twilio: the body is not a form")
	}
	id, raw := form.Get("CallSid"), strings.ToLower(form.Get("CallStatus"))
	switch {
	case !callSID.MatchString(id):
		return channels.Received{}, fmt.Errorf("reading a request of Twilio: CallSid is missing, or none")
	case !fit(form.Get("From")) || !fit(form.Get("To")):
		return channels.Received{}, fmt.Errorf("reading a request of Twilio: From or To is too long, or no text")
	case raw == "" || len(raw) > 32:
		return channels.Received{}, fmt.Errorf("reading a request of Twilio: CallStatus is missing or too long")
	case form.Get("AccountSid") != c.Credentials.Reveal(AccountSID):
		return channels.Received{}, nil
	}
	out := channels.Call{ExternalID: id + ":" + form.Get("SequenceNumber") + ":" + raw, ProviderID: id, Status: statuses[raw], Raw: raw,
		Direction: calls.Inbound, Person: form.Get("From"), OurNumber: form.Get("To"), Sequence: number(form.Get("SequenceNumber")),
		Duration: seconds(form.Get("CallDuration"))}
	if strings.HasPrefix(form.Get("Direction"), "outbound") {
		out.Direction, out.Person, out.OurNumber = calls.Outbound, out.OurNumber, out.Person
	}
	switch {
	case !strings.HasPrefix(out.Person, Client) && c.External != out.OurNumber: // of another number of the account
		return channels.Received{}, nil
	case out.OurNumber == "": // a browser need not say whom it calls
		out.OurNumber = c.External
	}
	if code := number(form.Get("SipResponseCode")); code != nil && *code < 700 {
		out.SIPCode = *code
	}
	if at, err := time.Parse(time.RFC1123Z, form.Get("Timestamp")); err == nil {
		out.At = at.UTC()
	}
	return channels.Received{Calls: []channels.Call{out}}, nil
}

var callSID = regexp.MustCompile(`^[A-Za-z0-9]{1,64}$`)

// fit is whether a text can be the name of an end of a call.
func fit(text string) bool {
	return len(text) <= 256 && utf8.ValidString(text) && !strings.ContainsFunc(text, unicode.IsControl)
}

func number(text string) *int {
	n, err := strconv.Atoi(text)
	if err != nil || n < 0 {
		return nil
	}
	return &n
}

func seconds(text string) *time.Duration {
	n := number(text)
	if n == nil || *n > 7*24*60*60 {
		return nil
	}
	d := time.Duration(*n) * time.Second
	return &d
}

// Parameter is what a stream says to us when it starts.
type Parameter struct {
	Name  string `xml:"name,attr"`
	Value string `xml:"value,attr"`
}

// Streamed is the answer that has a call's sound streamed to an address, and says more with it.
func Streamed(address string, with ...Parameter) channels.Answer {
	type stream struct {
		URL        string      `xml:"url,attr"`
		Parameters []Parameter `xml:"Parameter"`
	}
	return document(struct {
		XMLName xml.Name `xml:"Response"`
		Stream  stream   `xml:"Connect>Stream"`
	}{Stream: stream{address, with}})
}

// Rejected is the answer that takes no call.
func Rejected() channels.Answer {
	return document(struct {
		XMLName xml.Name `xml:"Response"`
		Reject  struct{} `xml:"Reject"`
	}{})
}

// HungUp is the answer that ends a call which is over for us.
func HungUp() channels.Answer {
	return document(struct {
		XMLName xml.Name `xml:"Response"`
		Hangup  struct{} `xml:"Hangup"`
	}{})
}

func document(v any) channels.Answer {
	body, _ := xml.Marshal(v) // of texts, which always can be
	return channels.Answer{ContentType: "text/xml; charset=utf-8", Body: append([]byte(xml.Header), body...)}
}
