package texts

import (
	"strings"
	"unicode/utf16"
	"unicode/utf8"
)

// The alphabet of GSM 03.38: its basic characters take one septet, those of the
// extension table two.
const (
	gsmBasic = "@£$¥èéùìòÇ\nØø\rÅåΔ_ΦΓΛΩΠΨΣΘΞÆæßÉ " +
		"!\"#¤%&'()*+,-./0123456789:;<=>?¡ABCDEFGHIJKLMNOPQRSTUVWXYZÄÖÑÜ§¿abcdefghijklmnopqrstuvwxyzäöñüà"
	gsmExtra = "\f^{}\\[~]|€"
)

// Segments is how many parts a text is sent as: of 160 septets, or 153 where there are
// several, if the GSM alphabet has all its characters; else of 70 or 67 UTF-16 units.
func Segments(text string) int {
	septets, gsm := 0, true
	for _, r := range text {
		switch {
		case strings.ContainsRune(gsmBasic, r):
			septets++
		case strings.ContainsRune(gsmExtra, r):
			septets += 2
		default:
			gsm = false
		}
	}
	if gsm {
		return parts(septets, 160, 153)
	}
	return parts(len(utf16.Encode([]rune(text))), 70, 67)
}

// typed are the characters that people type in the place of those that programs and models set for them.
var typed = strings.NewReplacer("\u2018", "'", "\u2019", "'", "\u201a", "'", "\u201b", "'", "\u2032", "'", "\u201c", `"`, "\u201d", `"`,
	"\u201e", `"`, "\u201f", `"`, "\u2033", `"`, "\u2010", "-", "\u2011", "-", "\u2012", "-", "\u2013", "-", "\u2014", "-", "\u2015", "-",
	"\u2026", "...", "\u2022", "-", "\u00a0", " ", "\u2009", " ", "\u202f", " ", "\u200b", "", "\ufeff", "")

// Typed is a text with what people type in the place of what programs set, such as curly quotes, where that makes
// fewer parts of it: one such character alone has each part hold 70 units in place of 160. Else it is the text.
func Typed(text string) string {
	out := typed.Replace(text)
	if utf8.RuneCountInString(out) > MaxText || Segments(out) >= Segments(text) {
		return text
	}
	return out
}

func parts(units, alone, each int) int {
	if units <= alone {
		return 1
	}
	return (units + each - 1) / each
}
