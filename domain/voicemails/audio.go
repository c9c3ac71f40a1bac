package voicemails

import (
	"bytes"
	"mime"
	"slices"
	"strings"
)

// MaxAudio is the largest recording, in bytes.
const MaxAudio = 10 << 20

// format is one kind of audio that is taken.
type format struct {
	contentType string
	aliases     []string
	extension   string
	begins      func(audio []byte) bool
}

var formats = []format{
	{"audio/wav", []string{"audio/x-wav", "audio/wave", "audio/vnd.wave"}, "wav", isWAV},
	{"audio/mpeg", []string{"audio/mp3"}, "mp3", func(a []byte) bool {
		return bytes.HasPrefix(a, []byte("ID3")) || len(a) > 2 && a[0] == 0xFF && a[1]&0xE0 == 0xE0
	}},
	{"audio/ogg", []string{"audio/opus"}, "ogg", func(a []byte) bool { return bytes.HasPrefix(a, []byte("OggS")) }},
	{"audio/flac", []string{"audio/x-flac"}, "flac", func(a []byte) bool { return bytes.HasPrefix(a, []byte("fLaC")) }},
	{"audio/mp4", []string{"audio/x-m4a", "audio/m4a"}, "m4a", func(a []byte) bool { return len(a) >= 12 && string(a[4:8]) == "ftyp" }},
	{"audio/webm", nil, "webm", func(a []byte) bool { return bytes.HasPrefix(a, []byte{0x1A, 0x45, 0xDF, 0xA3}) }},
}

// ContentTypes lists the media types of recordings by their own names.
func ContentTypes() []string {
	var out []string
	for _, f := range formats {
		out = append(out, f.contentType)
	}
	return out
}

// AnyBytes is the Content-Type of recordings of which the sender does not say, or cannot,
// what they are: their beginning does.
const AnyBytes = "application/octet-stream"

func isAnyBytes(contentType string) bool {
	media, _, err := mime.ParseMediaType(contentType)
	return err == nil && media == AnyBytes
}

func formatBegun(audio []byte) (format, bool) {
	i := slices.IndexFunc(formats, func(f format) bool { return f.begins(audio) })
	if i < 0 {
		return format{}, false
	}
	return formats[i], true
}

// formatOf finds a format by the Content-Type of a request, parameters and other
// names of the type included.
func formatOf(contentType string) (format, bool) {
	media, _, err := mime.ParseMediaType(contentType)
	if err != nil {
		return format{}, false
	}
	i := slices.IndexFunc(formats, func(f format) bool { return f.contentType == media || slices.Contains(f.aliases, media) })
	if i < 0 {
		return format{}, false
	}
	return formats[i], true
}

// CheckAudio tells the media type of a recording by its own name. A broken rule is
// told as a problem with the Content-Type or with the body, which is empty for good
// audio. Of WAV the header must be right; of the others only the beginning is looked at:
// a player finds out about the rest.
func CheckAudio(contentType string, audio []byte) (media, field, problem string) {
	media, field, problem = MediaOf(contentType, audio)
	if problem == "" && isWAV(audio) && media == formats[0].contentType {
		if problem = wavProblem(audio); problem != "" {
			return "", "body", problem
		}
	}
	return media, field, problem
}

// MediaOf is CheckAudio for recordings that cannot be had again: what is wrong with
// their headers is left to players.
func MediaOf(contentType string, audio []byte) (media, field, problem string) {
	f, known := formatOf(contentType)
	unsaid := isAnyBytes(contentType)
	if unsaid {
		f, known = formatBegun(audio)
	}
	switch {
	case !known && !unsaid:
		return "", "Content-Type", "must be one of " + strings.Join(append(ContentTypes(), AnyBytes), ", ")
	case len(audio) == 0:
		return "", "body", "is required: the recording"
	case !known:
		return "", "body", "does not begin like any of " + strings.Join(ContentTypes(), ", ")
	case !f.begins(audio):
		return "", "body", "is not " + f.contentType + ": it does not begin like it"
	}
	return f.contentType, "", ""
}
