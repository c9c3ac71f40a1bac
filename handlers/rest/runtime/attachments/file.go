package attachments

import (
	"bytes"
	"errors"
	"io"
	"mime"
	"mime/multipart"
	"net/http"
	"slices"
	"strings"

	"github.com/parley-platform/parley/domain/fault"
)

// file is what a form has brought.
type file struct {
	name    string
	media   string // as the content says
	content []byte
}

// fileOf reads a form that has one part `file`; others are passed over.
func fileOf(contentType string, body []byte) (out file, err error) {
	media, params, err := mime.ParseMediaType(contentType)
	if err != nil || media != form || params["boundary"] == "" {
		return out, fault.Field("Content-Type", "must be %s, with its boundary", form)
	}
	parts, found := multipart.NewReader(bytes.NewReader(body), params["boundary"]), false
	for {
		part, err := parts.NextPart()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			return out, fault.Field("body", "is no whole form")
		}
		if part.FormName() != "file" {
			continue
		}
		if found {
			return out, fault.Field("file", "must be given once")
		}
		found = true
		if out, err = read(part); err != nil {
			return out, err
		}
	}
	if !found {
		return out, fault.Field("file", "is required: a part of the form with the file")
	}
	return out, nil
}

func read(part *multipart.Part) (out file, err error) {
	content, err := io.ReadAll(io.LimitReader(part, maxFile+1))
	switch {
	case err != nil:
		return out, fault.Field("body", "is no whole form")
	case len(content) > maxFile:
		return out, fault.New(fault.TooLarge, "the file is larger than %d bytes", maxFile)
	case len(content) == 0:
		return out, fault.Field("file", "is empty")
	}
	media, problem := judge(part.Header.Get("Content-Type"), content)
	if problem != "" {
		return out, fault.Field("file", "%s", problem)
	}
	return file{part.FileName(), media, content}, nil
}

// programs are how files begin that a machine runs.
var programs = [][]byte{[]byte("\x7fELF"), []byte("#!"), []byte("\x00asm"),
	{0xFE, 0xED, 0xFA, 0xCE}, {0xFE, 0xED, 0xFA, 0xCF}, {0xCE, 0xFA, 0xED, 0xFE}, {0xCF, 0xFA, 0xED, 0xFE}, {0xCA, 0xFE, 0xBA, 0xBE}}

// texts are what a text may be taken for because its sender says so: nothing shows them as
// anything but text.
var texts = []string{"text/csv", "text/markdown", "application/json"}

// judge is what a file is, and what is wrong with it. Content that nobody knows is bytes.
func judge(claimed string, content []byte) (media, problem string) {
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
