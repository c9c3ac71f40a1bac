package dsl

import (
	"fmt"
	"math"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"
)

// SlotProblem says why something is no value of a slot.
type SlotProblem struct {
	Code string
	Hint string
}

// What may be wrong with a value.
const (
	ProblemEmpty    = "empty"    // nothing was said
	ProblemForm     = "form"     // not of the slot's type
	ProblemOption   = "option"   // none of the options
	ProblemValidate = "validate" // VALIDATE does not hold, or cannot be computed
	ProblemTooLong  = "too_long"
)

// Error is the hint.
func (p *SlotProblem) Error() string { return p.Hint }

func formed(hint string, args ...any) *SlotProblem {
	return &SlotProblem{ProblemForm, fmt.Sprintf(hint, args...)}
}

// Most characters of a value.
const (
	mostString = 1_000
	mostText   = 20_000
)

// Read makes a value of the slot out of what a user said: all of it (EXTRACT exact), or
// what is found in it (pattern). The language chooses the labels of options and the words
// for yes and no. The scope is what VALIDATE sees; `value` is put into it.
func (s *Slot) Read(said, language string, scope Scope) (any, *SlotProblem) {
	said = strings.TrimSpace(said)
	if said == "" {
		return nil, &SlotProblem{ProblemEmpty, "nothing was said"}
	}
	if utf8.RuneCountInString(said) > mostText {
		return nil, &SlotProblem{ProblemTooLong, fmt.Sprintf("is longer than %d characters", mostText)}
	}
	v, problem := s.convert(said, language)
	if problem != nil {
		return nil, problem
	}
	return s.validated(v, scope)
}

// Find makes a value of the slot out of what is found in what a user said, whatever EXTRACT says.
func (s *Slot) Find(said, language string, scope Scope) (any, *SlotProblem) {
	finding := *s
	finding.Extract = ExtractPattern
	return finding.Read(said, language, scope)
}

// Formed is whether a text shows by its form that it is a value of the slot: not every text is.
func (s *Slot) Formed() bool {
	switch s.Type {
	case SlotString, SlotText:
		return s.Pattern != nil
	case SlotList:
		return len(s.Options) > 0
	}
	return true
}

// Take judges a value that is already one of JSON: of a model, of gatherValues, a DEFAULT.
// A text is read as if a user had said it.
func (s *Slot) Take(v any, scope Scope) (any, *SlotProblem) {
	switch v := v.(type) {
	case string:
		exact := *s
		exact.Extract = ExtractExact
		return exact.Read(v, "", scope)
	case bool:
		if s.Type == SlotBoolean {
			return s.validated(v, scope)
		}
	case int:
		return s.Take(float64(v), scope)
	case int64:
		return s.Take(float64(v), scope)
	case float64:
		switch {
		case s.Type == SlotNumber && !math.IsInf(v, 0) && !math.IsNaN(v):
			return s.validated(v, scope)
		case s.Type == SlotInteger && v == math.Trunc(v) && math.Abs(v) < 1<<53:
			return s.validated(int64(v), scope)
		}
	case []any:
		if s.Type == SlotList {
			return s.takeList(v, scope)
		}
	}
	return nil, formed("is a value of another type than %s", s.Type)
}

func (s *Slot) takeList(v []any, scope Scope) (any, *SlotProblem) {
	out := make([]any, 0, len(v))
	for _, item := range v {
		text, isText := item.(string)
		if !isText {
			return nil, formed("a list has texts only")
		}
		one, problem := s.option(text, "")
		if problem != nil {
			return nil, problem
		}
		out = append(out, one)
	}
	if len(out) == 0 || len(out) > maxList {
		return nil, formed("must have 1 to %d items", maxList)
	}
	return s.validated(out, scope)
}

func (s *Slot) validated(v any, scope Scope) (any, *SlotProblem) {
	if s.Validate == nil {
		return v, nil
	}
	with := Scope{}
	for name, x := range scope {
		with[name] = x
	}
	with["value"] = v
	if held, err := s.Validate.Holds(with); err != nil {
		return nil, &SlotProblem{ProblemValidate, err.Error()}
	} else if !held {
		return nil, &SlotProblem{ProblemValidate, "is not allowed: " + s.Validate.String()}
	}
	return v, nil
}

// finders are what a value of a type looks like inside of a sentence.
var finders = map[SlotType]*regexp.Regexp{
	SlotInteger:  regexp.MustCompile(`[-+]?\b[0-9]+\b`),
	SlotNumber:   regexp.MustCompile(`[-+]?\b[0-9]+([.,][0-9]+)?\b`),
	SlotDate:     regexp.MustCompile(`\b[0-9]{4}-[0-9]{1,2}-[0-9]{1,2}\b|\b[0-9]{1,2}\.[0-9]{1,2}\.[0-9]{4}\b`),
	SlotDatetime: regexp.MustCompile(`\b[0-9]{4}-[0-9]{2}-[0-9]{2}[Tt ][0-9]{2}:[0-9]{2}(:[0-9]{2}(\.[0-9]+)?)?(Z|z|[-+][0-9]{2}:[0-9]{2})?`),
	SlotEmail:    regexp.MustCompile(`[^\s<>(),;:"]+@[^\s<>(),;:"@]+\.[A-Za-z]{2,}`),
	SlotPhone:    regexp.MustCompile(`\+[0-9][0-9 ()/.-]{5,24}[0-9]`),
}

func (s *Slot) convert(said, language string) (any, *SlotProblem) {
	if s.Extract == ExtractPattern && s.Type != SlotList { // of a list, split finds each item
		find := finders[s.Type]
		if s.Pattern != nil {
			find = unanchored(s.Pattern.re)
		}
		if find != nil {
			found := find.FindString(said)
			if found == "" {
				return nil, formed("there is no %s in it", s.Type)
			}
			said = strings.TrimSpace(found)
		}
	}
	switch s.Type {
	case SlotInteger, SlotNumber, SlotBoolean, SlotDate, SlotDatetime, SlotEmail, SlotPhone:
		return readers[s.Type](said)
	case SlotEnum:
		if s.Extract == ExtractPattern {
			return s.optionIn(said, language)
		}
		return s.option(said, language)
	case SlotList:
		return s.split(said, language)
	}
	return s.plain(said)
}

// unanchored is the pattern without its ^ and $, so that it finds its like in a sentence.
func unanchored(re *regexp.Regexp) *regexp.Regexp {
	inner := strings.TrimSuffix(strings.TrimPrefix(re.String(), "^"), "$")
	if strings.HasSuffix(inner, `\`) { // the $ was a character
		return re
	}
	found, err := regexp.Compile(inner)
	if err != nil {
		return re
	}
	return found
}

func (s *Slot) plain(said string) (any, *SlotProblem) {
	switch {
	case s.Type != SlotText && utf8.RuneCountInString(said) > mostString:
		return nil, &SlotProblem{ProblemTooLong, fmt.Sprintf("is longer than %d characters", mostString)}
	case s.Type != SlotText && strings.ContainsAny(said, "\r\n"):
		return nil, formed("must be one line")
	case s.Pattern != nil && s.Pattern.re.FindString(said) != said:
		return nil, formed("is not of the form %s", s.Pattern)
	}
	return said, nil
}

// option is the one with that id or label, whatever the case.
func (s *Slot) option(said, language string) (any, *SlotProblem) {
	if len(s.Options) == 0 {
		return said, nil
	}
	for _, o := range s.Options {
		if strings.EqualFold(o.ID, said) || strings.EqualFold(o.label(language), said) {
			return o.ID, nil
		}
	}
	return nil, &SlotProblem{ProblemOption, "is none of the options"}
}

func (o Option) label(language string) string {
	if o.Label.Empty() {
		return o.ID
	}
	label, _ := o.Label.Say(language, Scope{}) // an error leaves a label that nobody says
	return label
}

// optionIn is the one option whose id or label is a word of what was said.
func (s *Slot) optionIn(said, language string) (any, *SlotProblem) {
	var found []string
	words := " " + strings.Join(strings.FieldsFunc(strings.ToLower(said), noWord), " ") + " "
	for _, o := range s.Options {
		for _, name := range []string{o.ID, o.label(language)} {
			sought := strings.Join(strings.FieldsFunc(strings.ToLower(name), noWord), " ")
			if sought != "" && strings.Contains(words, " "+sought+" ") && !slices.Contains(found, o.ID) {
				found = append(found, o.ID)
			}
		}
	}
	if len(found) != 1 {
		return nil, &SlotProblem{ProblemOption, fmt.Sprintf("names %d of the options", len(found))}
	}
	return found[0], nil
}

func noWord(r rune) bool { return strings.ContainsRune(" \t\r\n.,;:!?()[]{}\"'-_/", r) }

func (s *Slot) split(said, language string) (any, *SlotProblem) {
	parts := []string{}
	if s.Extract == ExtractPattern && s.Pattern != nil {
		parts = unanchored(s.Pattern.re).FindAllString(said, maxList+1)
	} else {
		parts = append(parts, strings.FieldsFunc(said, func(r rune) bool { return r == ',' || r == ';' || r == '\n' })...)
	}
	var out []any
	for _, p := range parts {
		if p = strings.TrimSpace(p); p == "" {
			continue
		}
		one, problem := s.option(p, language)
		if problem != nil {
			return nil, problem
		}
		if !slices.Contains(out, one) {
			out = append(out, one)
		}
	}
	if len(out) == 0 || len(out) > maxList {
		return nil, formed("must have 1 to %d items", maxList)
	}
	return out, nil
}

var readers = map[SlotType]func(string) (any, *SlotProblem){
	SlotInteger: func(said string) (any, *SlotProblem) {
		v, err := strconv.ParseInt(said, 10, 64)
		if err != nil || v > 1<<53 || v < -1<<53 { // beyond, JSON's numbers lose digits
			return nil, formed("must be a whole number, in digits")
		}
		return v, nil
	},
	SlotNumber: func(said string) (any, *SlotProblem) {
		said = strings.TrimPrefix(strings.Replace(said, ",", ".", 1), "+")
		v, err := strconv.ParseFloat(said, 64)
		if err != nil || !decimalForm.MatchString(strings.TrimLeft(said, "0")) && !plainDecimal.MatchString(said) || math.IsInf(v, 0) {
			return nil, formed("must be a number, such as 12 or 12.5, without separators of thousands")
		}
		return v, nil
	},
	SlotBoolean: readBoolean,
	SlotDate: func(said string) (any, *SlotProblem) {
		for _, form := range []string{time.DateOnly, "2006-1-2", "2.1.2006"} {
			if t, err := time.Parse(form, said); err == nil && t.Year() >= 1000 {
				return t.Format(time.DateOnly), nil
			}
		}
		return nil, formed("must be a day, such as 2026-11-24 or 24.11.2026")
	},
	SlotDatetime: func(said string) (any, *SlotProblem) {
		if len(said) > 10 && said[10] == ' ' {
			said = said[:10] + "T" + said[11:]
		}
		said = strings.ToUpper(said)
		for _, form := range []string{time.RFC3339Nano, "2006-01-02T15:04:05", "2006-01-02T15:04", "2006-01-02T15:04Z07:00"} {
			if t, err := time.Parse(form, said); err == nil {
				return t.UTC().Format(time.RFC3339), nil
			}
		}
		return nil, formed("must be a day and a time, such as 2026-11-24 15:04 (in UTC, unless an offset is said)")
	},
	SlotEmail: func(said string) (any, *SlotProblem) {
		said = strings.TrimSuffix(said, ".")
		if len(said) > 254 || finders[SlotEmail].FindString(said) != said || strings.Contains(said, "..") {
			return nil, formed("must be an e-mail address")
		}
		return strings.ToLower(said), nil
	},
	SlotPhone: func(said string) (any, *SlotProblem) {
		digits := strings.NewReplacer(" ", "", "-", "", "(", "", ")", "", "/", "", ".", "").Replace(said)
		if strings.HasPrefix(digits, "00") {
			digits = "+" + digits[2:]
		}
		if !e164.MatchString(digits) {
			return nil, formed("must be a telephone number with its country, such as +49 30 123456")
		}
		return digits, nil
	},
}

var (
	plainDecimal = regexp.MustCompile(`^-?[0-9]+(\.[0-9]+)?$`)
	e164         = regexp.MustCompile(`^\+[1-9][0-9]{5,14}$`)
)

func readBoolean(said string) (any, *SlotProblem) {
	switch yes, no := YesOrNo(said); {
	case yes:
		return true, nil
	case no:
		return false, nil
	}
	return nil, formed("must be yes or no")
}

// Yes and no in the languages in which an agent is most often asked, and the words that only make
// them kinder; others come as buttons, or by a model.
var (
	yesWords  = wordsOf("yes y yep yeah sure true 1 ok okay ja jawohl oui si sí sì sim")
	noWords   = wordsOf("no n nope false 0 nein nee non não nao")
	kindWords = wordsOf("please thanks thank you go ahead bitte danke gerne por favor gracias merci s il vous plaît per favore grazie " +
		"obrigado obrigada graag dank je u wel")
)

// YesOrNo is whether somebody says yes, or no, and nothing beside it: "Yes, please!" is a yes, "Yes, but
// tomorrow" is neither.
func YesOrNo(said string) (yes, no bool) {
	for word := range strings.FieldsFuncSeq(strings.ToLower(said), func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) }) {
		switch {
		case yesWords[word]:
			yes = true
		case noWords[word]:
			no = true
		case !kindWords[word]:
			return false, false
		}
	}
	return yes && !no, no && !yes
}

func wordsOf(all string) map[string]bool {
	out := map[string]bool{}
	for word := range strings.FieldsSeq(all) {
		out[word] = true
	}
	return out
}
