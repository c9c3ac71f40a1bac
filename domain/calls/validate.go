package calls

import (
	"bytes"
	"encoding/json"
	"net/url"
	"regexp"
	"sort"
	"strings"
	"unicode/utf8"

	"github.com/parley-platform/parley/domain/fault"
)

const (
	maxURLLength   = 2_048
	maxNameLength  = 128
	maxHeaders     = 64
	maxHeaderValue = 8 << 10
)

var (
	// callerID is what a call can show as ours, the user part of a caller ID: a number or the user of a SIP address.
	callerID    = regexp.MustCompile(`^[A-Za-z0-9+*#_.~!-]{1,64}$`)
	headerName  = regexp.MustCompile("^[A-Za-z0-9!#$%&'*+.^_`|~-]+$")
	languageTag = regexp.MustCompile(`^[A-Za-z]{2,8}([-_][A-Za-z0-9]{1,8})*$`)
)

// protected are the headers that a caller's cannot replace (docs/api-rules.md
// "Notifications").
var protected = map[string]bool{"savg-signature": true, "host": true, "content-length": true}

// Validate names every field of the request that is wrong, by its name in the API.
func (c DialOut) Validate() fault.Fields {
	var f fault.Fields
	c.checkWho(&f)
	c.checkNotify(&f)
	if c.TimeoutInMs != nil && (*c.TimeoutInMs < MinTimeoutInMs || *c.TimeoutInMs > MaxTimeoutInMs) {
		f.Add("timeoutInMs", "must be %d to %d", MinTimeoutInMs, MaxTimeoutInMs)
	}
	if len(c.Metadata) > 0 && !isObject(c.Metadata) {
		f.Add("metadata", "must be an object")
	}
	c.checkSays(&f)
	c.checkDetection(&f)
	c.CallControlParameter.check(&f)
	return f
}

func (c DialOut) checkWho(f *fault.Fields) {
	if c.BotID == "" {
		f.Add("botId", "is required")
	} else if len(c.BotID) > maxNameLength {
		f.Add("botId", "must be at most %d characters", maxNameLength)
	}
	if c.Target == "" {
		f.Add("target", "is required")
	} else if target, problem := NormalTarget(c.Target); problem != "" {
		f.Add("target", "%s", problem)
	} else if strings.HasPrefix(target, "tel:+0") { // with the + it would be somebody else, or nobody, and no spelling of who is meant
		f.Add("target", "must have the country code, which does not begin with 0")
	}
	if c.OurNumber == "" {
		f.Add("caller", "is required")
	} else if !callerID.MatchString(c.OurNumber) {
		f.Add("caller", "must be 1 to 64 letters, digits or + * # _ . ~ ! - (the user part of the caller ID)")
	}
	if len(c.Trunk) > maxNameLength {
		f.Add("trunk", "must be at most %d characters", maxNameLength)
	}
}

func (c DialOut) checkNotify(f *fault.Fields) {
	if c.NotifyURL != "" {
		if problem := urlProblem(c.NotifyURL); problem != "" {
			f.Add("notifyurl", "%s", problem)
		}
	}
	if len(c.NotifyHeaders) > maxHeaders {
		f.Add("notifyHeaders", "must be at most %d headers", maxHeaders)
		return
	}
	names := make([]string, 0, len(c.NotifyHeaders))
	for name := range c.NotifyHeaders {
		names = append(names, name)
	}
	sort.Strings(names)
	said := map[string]string{} // by name in lower case: a receiver sees one of them
	for _, name := range names {
		value, lower := c.NotifyHeaders[name], strings.ToLower(name)
		problem := headerProblem(name, value)
		if before, twice := said[lower]; problem == "" && twice && before != value {
			problem = "has " + name + " in two spellings with two values"
		}
		if said[lower] = value; problem != "" {
			f.Add("notifyHeaders", "%s", problem)
		}
	}
}

func urlProblem(raw string) string {
	const want = "must be an absolute http or https URL"
	u, err := url.Parse(raw)
	switch {
	case len(raw) > maxURLLength:
		return "must be at most 2048 characters"
	case err != nil || u.Hostname() == "" || u.Opaque != "":
		return want
	case !strings.EqualFold(u.Scheme, "http") && !strings.EqualFold(u.Scheme, "https"):
		return want
	case u.User != nil:
		return "must not hold a user or password; send them in notifyHeaders"
	case u.Port() != "" && !validPort(u.Port()):
		return "has a port that is not 1 to 65535"
	}
	return ""
}

// headerProblem never repeats a value: it may be a credential.
func headerProblem(name, value string) string {
	switch {
	case !headerName.MatchString(name):
		return "has a name that is not a header name: " + quoted(name)
	case protected[strings.ToLower(name)]:
		return "cannot set " + name
	case strings.ContainsFunc(value, breaksHeader):
		return "has a value with characters that a header cannot have, for " + name
	case len(value) > maxHeaderValue:
		return "has a value of more than 8192 bytes, for " + name
	}
	return ""
}

func breaksHeader(r rune) bool { return r < ' ' && r != '\t' || r == 0x7f }

func quoted(s string) string {
	if len(s) > 64 {
		s = s[:64]
	}
	b, _ := json.Marshal(s)
	return string(b)
}

func isObject(raw json.RawMessage) bool {
	return bytes.HasPrefix(bytes.TrimSpace(raw), []byte("{")) && json.Valid(raw)
}

func (c DialOut) checkDetection(f *fault.Fields) {
	for _, t := range []struct {
		name  string
		value *int
	}{
		{"noSpeechTimeoutMs", c.Timers.NoSpeechTimeoutMs},
		{"decisionTimeoutMs", c.Timers.DecisionTimeoutMs},
		{"toneTimeoutMs", c.Timers.ToneTimeoutMs},
		{"greetingCompletionTimeoutMs", c.Timers.GreetingCompletionTimeoutMs},
	} {
		checkRange(f, "timers."+t.name, t.value, 1, MaxTimerMs)
	}
	switch DetectionMode(c.MachineDetection) {
	case "", DetectionDisabled, DetectionDetect, DetectionDisconnect:
	default:
		f.Add("machineDetection", "must be disconnect, detect or disabled")
	}
	checkRange(f, "thresholdWordCount", c.ThresholdWordCount, 1, MaxThresholdWordCount)
	for _, name := range c.AmdEventsSubscription {
		if !Result(name).Known() {
			f.Add("amdEventsSubscription", "has an unknown event %s", quoted(name))
		}
	}
}

func (p *CallControlParameter) check(f *fault.Fields) {
	if p == nil {
		return
	}
	const field = "callControlParameter."
	if p.STTProvider == "" {
		f.Add(field+"sttProvider", "is required")
	} else if utf8.RuneCountInString(p.STTProvider) > maxNameLength {
		f.Add(field+"sttProvider", "must be at most %d characters", maxNameLength)
	}
	if p.STTLanguage == "" {
		f.Add(field+"sttLanguage", "is required")
	} else if !languageTag.MatchString(p.STTLanguage) || len(p.STTLanguage) > 35 {
		f.Add(field+"sttLanguage", "must be a language tag such as en-US")
	}
	if utf8.RuneCountInString(p.STTLabel) > maxNameLength {
		f.Add(field+"sttLabel", "must be at most %d characters", maxNameLength)
	}
	checkRange(f, field+"continuousASRTimeoutInMS", p.ContinuousASRTimeoutInMS, 0, maxSpeechSettingMs)
	checkRange(f, field+"deepgramUtteranceEndMs", p.DeepgramUtteranceEndMs, 0, maxSpeechSettingMs)
	checkRange(f, field+"deepgramEndpointing", p.DeepgramEndpointing, 0, maxSpeechSettingMs)
}

func checkRange(f *fault.Fields, field string, value *int, low, high int) {
	if value != nil && (*value < low || *value > high) {
		f.Add(field, "must be %d to %d", low, high)
	}
}

// checkSays looks at the lines where somebody is to say them: to all others metadata is the caller's
// own.
func (c DialOut) checkSays(f *fault.Fields) {
	if target, _ := NormalTarget(c.Target); target != Talker || !isObject(c.Metadata) {
		return
	}
	var of struct {
		Says json.RawMessage `json:"says"`
	}
	var lines []string
	if err := json.Unmarshal(c.Metadata, &of); err != nil || len(of.Says) == 0 {
		return
	}
	if json.Unmarshal(of.Says, &lines) != nil {
		f.Add("metadata.says", "must be an array of texts")
		return
	}
	if len(lines) > MostSays {
		f.Add("metadata.says", "may have at most %d lines", MostSays)
	}
	for _, line := range lines {
		if utf8.RuneCountInString(line) > LongestSays {
			f.Add("metadata.says", "has a line of more than %d characters", LongestSays)
			return
		}
	}
}
