// Package files says what the files are that people give to sessions, by a form or with a message of
// a channel: by their content, never by who sends them.
//
// It has no storage of its own, and knows no session.
package files

import (
	"bytes"
	"mime"
	"net/http"
	"slices"
	"strings"
)

// Largest is how many bytes a file may have.
const Largest = 1 << 20

// programs are how files begin that a machine runs.
var programs = [][]byte{[]byte("\x7fELF"), []byte("#!"), []byte("\x00asm"),
	{0xFE, 0xED, 0xFA, 0xCE}, {0xFE, 0xED, 0xFA, 0xCF}, {0xCE, 0xFA, 0xED, 0xFE}, {0xCF, 0xFA, 0xED, 0xFE}, {0xCA, 0xFE, 0xBA, 0xBE}}

// speeches are how files of telephones begin that hold speech, as picture messages bring them.
var speeches = map[string]string{"#!AMR\n": "audio/amr", "#!AMR-WB\n": "audio/amr-wb"}

// texts are what a text may be taken for because its sender says so: nothing shows them as
// anything but text.
var texts = []string{"text/csv", "text/markdown", "application/json"}

// Judge is what a file is, and what is wrong with it. Content that nobody knows is bytes.
func Judge(claimed string, content []byte) (media, problem string) {
	if len(content) == 0 {
		return "", "is empty"
	}
	for begins, is := range speeches {
		if bytes.HasPrefix(content, []byte(begins)) {
			return is, ""
		}
	}
	media, _, _ = mime.ParseMediaType(http.DetectContentType(content))
	windows := bytes.HasPrefix(content, []byte("MZ")) && media != "text/plain" // a text may begin with these letters
	if windows || slices.ContainsFunc(programs, func(p []byte) bool { return bytes.HasPrefix(content, p) }) {
		return "", "is a program"
	}
	claimed, _, _ = mime.ParseMediaType(claimed)
	family, _, _ := strings.Cut(claimed, "/")
	is, _, _ := strings.Cut(media, "/")
	switch {
	case media == "application/octet-stream":
	case media == "application/ogg": // sound or film
	case slices.Contains([]string{"image", "audio", "video"}, family) && family != is && !bothOf(family, is):
		return "", "claims to be " + claimed + " and is " + media
	case media == "text/plain" && slices.Contains(texts, claimed):
		return claimed, ""
	}
	return media, ""
}

// bothOf reports whether both are sound or film, which have containers in common.
func bothOf(a, b string) bool {
	moving := []string{"audio", "video"}
	return slices.Contains(moving, a) && slices.Contains(moving, b)
}
