package texts

import (
	"strings"
	"unicode/utf16"
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

func parts(units, alone, each int) int {
	if units <= alone {
		return 1
	}
	return (units + each - 1) / each
}
