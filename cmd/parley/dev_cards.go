package main

import (
	"regexp"
	"strings"
)

// What may be the number of a card, and what keys are in events: a screen is often a file, or kept by whoever runs the server.
var (
	numbers    = regexp.MustCompile(`[0-9]+(?:[ -][0-9]+)*`) // one in groups, or several
	digits     = regexp.MustCompile(`[0-9]+`)
	someKeys   = regexp.MustCompile(`("digits":")[0-9*#A-D]+(")`)
	keysAsText = regexp.MustCompile(`("text":")[0-9*#A-D]+(",.*"pressed":true)`)
)

// withoutCards is a text as it may stand on the screen: keys that somebody pressed are left out of it, and so are numbers that cards
// may have, wherever they stand. Who may read them reads them by the API.
func withoutCards(text string) string {
	text = someKeys.ReplaceAllString(text, "${1}[keys]${2}")
	text = keysAsText.ReplaceAllString(text, "${1}[keys]${2}")
	var b strings.Builder
	from := 0
	for _, all := range numbers.FindAllStringIndex(text, -1) {
		groups := digits.FindAllStringIndex(text[all[0]:all[1]], -1)
		for i := 0; i < len(groups); i++ {
			at, last := all[0]+groups[i][0], len(groups)-1
			for ; last >= i && !isCard(text, at, all[0]+groups[last][1]); last-- {
			}
			if last >= i {
				b.WriteString(text[from:at] + "[a card's number]")
				from, i = all[0]+groups[last][1], last
			}
		}
	}
	return b.String() + text[from:]
}

// isCard reports whether a part of a text may be a card's number: 13 to 19 digits, the last of which checks the others.
func isCard(text string, from, to int) bool {
	n := 0
	for _, c := range text[from:to] {
		if c >= '0' && c <= '9' {
			n++
		}
	}
	return n >= 13 && n <= 19 && !inAWord(text, from, to) && checks(text[from:to])
}

// inAWord reports whether a part of a text goes on to its left or right: an id, or a longer number.
func inAWord(text string, from, to int) bool {
	part := func(c byte) bool {
		return c >= '0' && c <= '9' || c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c == '_' || c == '.' || c == '+'
	}
	return from > 0 && part(text[from-1]) || to < len(text) && text[to] != '.' && part(text[to])
}

// checks reports whether the last digit of a number is the one that a card's number ends with (ISO/IEC 7812).
func checks(number string) bool {
	sum, double := 0, false
	for i := len(number) - 1; i >= 0; i-- {
		if number[i] < '0' || number[i] > '9' {
			continue
		}
		n := int(number[i] - '0')
		if double {
			n = n/5 + n*2%10
		}
		sum, double = sum+n, !double
	}
	return sum%10 == 0
}
