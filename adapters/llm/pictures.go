package llm

import (
	"context"
	"errors"
	"slices"

	"github.com/parley-platform/parley/domain/completions"
	"github.com/parley-platform/parley/domain/fault"
)

// What a model is told in place of pictures that it is not shown.
const (
	seesNone    = "\n\n(You are not shown pictures.)"
	pictureGone = "\n\n(A picture is not there any more, and is not shown.)"
	pictureAway = "\n\n(A picture cannot be shown at the moment.)"
)

// hasPictures is whether a request has any.
func hasPictures(r completions.Request) bool {
	return slices.ContainsFunc(r.Messages, func(m completions.Message) bool { return len(m.Pictures) > 0 })
}

// withoutPictures is a request for a model that sees none.
func withoutPictures(r completions.Request) completions.Request {
	r.Messages = slices.Clone(r.Messages)
	for i, m := range r.Messages {
		if len(m.Pictures) > 0 {
			r.Messages[i].Pictures, r.Messages[i].Text = nil, m.Text+seesNone
		}
	}
	return r
}

// withPictures is a request with the content of its pictures, which may be in it. One that is not there is left out, and the
// model is told.
func withPictures(ctx context.Context, r completions.Request) completions.Request {
	r.Messages = slices.Clone(r.Messages)
	for i := range r.Messages {
		m := &r.Messages[i]
		all := m.Pictures
		m.Pictures = nil
		for _, p := range all {
			var err error
			if p.Content == nil {
				p.Content, err = shown(ctx, r, p)
			}
			switch {
			case err == nil:
				m.Pictures = append(m.Pictures, p)
			case fault.Is(err, fault.NotFound):
				m.Text += pictureGone
			default:
				m.Text += pictureAway
			}
		}
	}
	return r
}

// shown is the content of a picture that has to be fetched for the model.
func shown(ctx context.Context, r completions.Request, p completions.Picture) ([]byte, error) {
	if r.Show == nil {
		return nil, errors.New("nobody shows pictures")
	}
	return r.Show(ctx, p)
}

// album is a request as models that see are asked it: its pictures are read once, however many are asked.
type album struct {
	request completions.Request
	filled  *completions.Request
}

// of is the request for a model.
func (a *album) of(ctx context.Context, m *Model) completions.Request {
	switch {
	case !hasPictures(a.request):
		return a.request
	case !m.Sees:
		return withoutPictures(a.request)
	case a.filled == nil:
		filled := withPictures(ctx, a.request)
		a.filled = &filled
	}
	return *a.filled
}
