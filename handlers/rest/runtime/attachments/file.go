package attachments

import (
	"bytes"
	"errors"
	"io"
	"mime"
	"mime/multipart"

	"github.com/parley-platform/parley/domain/fault"
	"github.com/parley-platform/parley/handlers/acts/files"
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
	content, err := io.ReadAll(io.LimitReader(part, files.Largest+1))
	switch {
	case err != nil:
		return out, fault.Field("body", "is no whole form")
	case len(content) > files.Largest:
		return out, fault.New(fault.TooLarge, "the file is larger than %d bytes", files.Largest)
	}
	media, problem := files.Judge(part.Header.Get("Content-Type"), content)
	if problem != "" {
		return out, fault.Field("file", "%s", problem)
	}
	return file{part.FileName(), media, content}, nil
}
