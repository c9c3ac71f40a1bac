package sms

import (
	"crypto/hmac"
	"crypto/sha1"
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"fmt"
	"maps"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"github.com/parley-platform/parley/domain/channels"
	"github.com/parley-platform/parley/domain/fault"
)

// mostMedia is how many files Twilio sends with one message, and some more.
const mostMedia = 20

// Routes names the connections that a request may be for, by what it says of itself: the
// number or messaging service that was written to, or that wrote.
func (*Twilio) Routes(r channels.Request) (names []string) {
	form, err := url.ParseQuery(string(r.Body))
	if err != nil {
		return nil
	}
	for _, member := range []string{"To", "From", "MessagingServiceSid"} {
		if v := form.Get(member); v != "" {
			names = append(names, v)
		}
	}
	return names
}

// Verify checks the signature.
func (*Twilio) Verify(c channels.Connection, r channels.Request) error { return Signed(c, r) }

// Signed refuses what Twilio has not signed for an account, whatever it is of: over the URL and the
// members of a form, or over a URL that holds the body's sum. Twilio leaves the port out at times,
// or writes the default one.
func Signed(c channels.Connection, r channels.Request) error {
	token := c.Credentials.Reveal(AuthToken)
	if token == "" {
		return fault.New(fault.Unauthorized, "the connection has no auth token, with which Twilio signs")
	}
	given, err := base64.StdEncoding.DecodeString(r.Get("X-Twilio-Signature"))
	if err != nil || len(given) != sha1.Size {
		return fault.New(fault.Unauthorized, "the header X-Twilio-Signature is missing, or no signature")
	}
	signed, err := signedMembers(r)
	if err != nil {
		return err
	}
	for _, address := range withAndWithoutPort(r.URL) {
		mac := hmac.New(sha1.New, []byte(token))
		_, _ = mac.Write([]byte(address + signed))
		if hmac.Equal(mac.Sum(nil), given) {
			return nil
		}
	}
	return fault.New(fault.Unauthorized, "the signature is not of this request and this connection")
}

// signedMembers is what is signed beside the URL: the members of a form by their names,
// each with its values, once each and sorted. Of any other body the URL has the sum.
func signedMembers(r channels.Request) (string, error) {
	if address, err := url.Parse(r.URL); err == nil && address.Query().Has("bodySHA256") {
		sum := sha256.Sum256(r.Body)
		if !hmac.Equal([]byte(address.Query().Get("bodySHA256")), []byte(hex.EncodeToString(sum[:]))) {
			return "", fault.New(fault.Unauthorized, "the body is not the one whose sum is in the URL")
		}
		return "", nil
	}
	form, err := url.ParseQuery(string(r.Body))
	if err != nil {
		return "", fault.New(fault.Unauthorized, "the body is not a form")
	}
	var out strings.Builder
	for _, name := range slices.Sorted(maps.Keys(form)) {
		values := slices.Clone(form[name])
		slices.Sort(values)
		for _, v := range slices.Compact(values) {
			out.WriteString(name + v)
		}
	}
	return out.String(), nil
}

// withAndWithoutPort spells a URL both ways, if its port is the default one.
func withAndWithoutPort(address string) []string {
	u, err := url.Parse(address)
	if err != nil {
		return []string{address}
	}
	port := map[string]string{"https": "443", "http": "80", "wss": "443", "ws": "80"}[u.Scheme]
	if host, had := strings.CutSuffix(u.Host, ":"+port); had || u.Port() == "" && port != "" {
		start := len(u.Scheme) + len("://")
		rest := address[start+len(u.Host):]
		return []string{address[:start] + host + rest, address[:start] + host + ":" + port + rest}
	}
	return []string{address}
}

// nothing is the answer that makes Twilio say nothing to the person.
var nothing = channels.Answer{ContentType: "text/xml", Body: []byte("<Response/>")}

// opts are the words by which people say that they want no texts, or want them again, as carriers have
// them. Twilio answers them, and takes no text for who has said STOP.
var opts = map[string]channels.Opt{"STOP": channels.OptOut, "STOPALL": channels.OptOut, "UNSUBSCRIBE": channels.OptOut,
	"CANCEL": channels.OptOut, "END": channels.OptOut, "QUIT": channels.OptOut, "REVOKE": channels.OptOut, "OPTOUT": channels.OptOut,
	"START": channels.OptIn, "UNSTOP": channels.OptIn, "YES": channels.OptIn}

// Parse reads a text that came in, or what became of one that went out. HELP that Twilio has answered
// is left out.
func (*Twilio) Parse(c channels.Connection, r channels.Request) (channels.Received, error) {
	out := channels.Received{Answer: nothing}
	form, err := url.ParseQuery(string(r.Body))
	if err != nil {
		return out, fmt.Errorf("reading a request of Twilio: the body is not a form")
	}
	id, from, to, status := form.Get("MessageSid"), form.Get("From"), form.Get("To"), statusOf(form)
	outbound := status != "" && status != "received" && status != "receiving"
	ours := []string{to, form.Get("MessagingServiceSid")}
	if outbound {
		ours[0] = from
	}
	is := func(name string) bool { return name != "" && slices.Contains(ours, name) }
	switch {
	case id == "" || len(id) > 64:
		return out, fmt.Errorf("reading a request of Twilio: MessageSid is missing or too long")
	case form.Get("AccountSid") != c.Credentials.Reveal(AccountSID), !is(c.External) && !(outbound && is(c.Credentials.Reveal(From))):
	case outbound:
		out.Reports = reportOf(id, status, form.Get("ErrorCode"))
	case from == c.External, from == "":
	default:
		e := channels.Entry{ExternalID: id, Thread: to + ":" + from, From: from, Text: form.Get("Body"), Files: filesOf(form)}
		switch kind := form.Get("OptOutType"); kind {
		case "":
			e.Opt = opts[strings.ToUpper(strings.Trim(e.Text, " \t\r\n.!"))]
		case "STOP", "START":
			e.Opt, e.Text, e.Files = opts[kind], "", nil
		default: // HELP, and what Twilio invents tomorrow: it has answered that
			return out, nil
		}
		out.Entries = []channels.Entry{e}
	}
	return out, nil
}

func statusOf(form url.Values) string {
	if s := form.Get("MessageStatus"); s != "" {
		return s
	}
	return form.Get("SmsStatus")
}

// states are Twilio's words of a message; one that it invents tomorrow says nothing to us.
var states = map[string]channels.State{
	"accepted": channels.Underway, "scheduled": channels.Underway, "queued": channels.Underway, "sending": channels.Underway,
	"sent": channels.Underway, "delivered": channels.Delivered, "read": channels.Read,
	"failed": channels.Undelivered, "undelivered": channels.Undelivered, "canceled": channels.Undelivered,
}

// reportOf tells of one message: each status once, so that id and status name the report.
func reportOf(id, status, code string) []channels.Report {
	state, known := states[status]
	if !known {
		return nil
	}
	r := channels.Report{ExternalID: id + ":" + status, ProviderMessageID: id, State: state}
	if _, err := strconv.Atoi(code); err == nil && state == channels.Undelivered {
		r.Code = code
	}
	return []channels.Report{r}
}

func filesOf(form url.Values) (files []channels.File) {
	n, _ := strconv.Atoi(form.Get("NumMedia"))
	for i := range min(max(n, 0), mostMedia) {
		if u := form.Get("MediaUrl" + strconv.Itoa(i)); u != "" {
			files = append(files, channels.File{URL: u, ContentType: form.Get("MediaContentType" + strconv.Itoa(i))})
		}
	}
	return files
}
