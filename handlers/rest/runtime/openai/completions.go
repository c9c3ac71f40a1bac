package openai

import (
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"strings"
	"time"

	"github.com/danielgtaylor/huma/v2"
	"github.com/danielgtaylor/huma/v2/adapters/humamux"

	"github.com/parley-platform/parley/domain/completions"
	"github.com/parley-platform/parley/domain/fault"
	"github.com/parley-platform/parley/handlers/rest"
	"github.com/parley-platform/parley/handlers/rest/runtime"
	models "github.com/parley-platform/parley/projections/runtime"
)

const (
	idPrefix      = "chatcmpl-"
	sessionHeader = "X-Session-Id"
)

func (x API) complete(ctx context.Context, in *openAIIn) (*huma.StreamResponse, error) {
	ctx, err := in.project(ctx)
	if err != nil {
		return nil, err
	}
	served, isModel, err := x.asked(ctx, in.Body.Model)
	if err != nil {
		return nil, err
	}
	session, err := in.session()
	if err != nil {
		return nil, err
	}
	if isModel {
		return x.ask(ctx, in, session)
	}
	return x.say(ctx, in, served, session)
}

// ask asks a model.
func (x API) ask(ctx context.Context, in *openAIIn, session string) (*huma.StreamResponse, error) {
	if rest.ProjectOf(ctx).ID == "" {
		return nil, fault.Field("OpenAI-Project", "is required: the project that a model is asked for")
	}
	request, err := in.request()
	if err != nil {
		return nil, err
	}
	asked, err := x.Completions.Begin(ctx, session, request)
	if err != nil {
		return nil, err
	}
	told := in.telling(idPrefix+asked.ID(), x.Completions.Now())
	if in.Body.Stream {
		return asked.Stream(ctx, told), nil
	}
	whole, err := asked.Whole(ctx)
	if err != nil {
		return nil, err
	}
	return written("", func(w http.ResponseWriter) { told.write(w, whole) }), nil
}

// say is a turn of a session of a deployment. It is there as a whole when it is told.
func (x API) say(ctx context.Context, in *openAIIn, d models.Deployment, session string) (*huma.StreamResponse, error) {
	text, err := in.said()
	if err != nil {
		return nil, err
	}
	spoken, err := x.Chat.Say(ctx, d, session, text)
	if err != nil {
		return nil, ofModel(err)
	}
	told := in.telling(idPrefix+spoken.MessageID, x.Chat.Now())
	told.session = &OpenAIMetadata{SessionID: spoken.SessionID}
	whole := &runtime.AnswerShown{Content: strings.Join(spoken.Texts, "\n"), FinishReason: completions.EndTurn}
	if !in.Body.Stream {
		return written(spoken.SessionID, func(w http.ResponseWriter) { told.write(w, whole) }), nil
	}
	return written(spoken.SessionID, func(w http.ResponseWriter) {
		out := runtime.OpenEvents(w)
		told.Piece(out, completions.Piece{Kind: completions.Begun})
		for i, text := range spoken.Texts {
			if i > 0 {
				text = "\n" + text
			}
			told.Piece(out, completions.Piece{Kind: completions.TextDelta, Text: text})
		}
		told.End(ctx, out, nil, whole)
	}), nil
}

// ofModel says model where chat-agent says deploymentId.
func ofModel(err error) error {
	var f *fault.Error
	if errors.As(err, &f) && len(f.Details) > 0 && f.Details[0].Field == "deploymentId" {
		return fault.Field("model", "is not the deployment of the session")
	}
	return err
}

// written is an answer that is written by hand, as it may be a stream.
func written(session string, write func(http.ResponseWriter)) *huma.StreamResponse {
	return &huma.StreamResponse{Body: func(hc huma.Context) {
		_, w := humamux.Unwrap(hc)
		if session != "" {
			w.Header().Set(sessionHeader, session)
		}
		write(w)
	}}
}

// telling is what each answer to the request says of itself.
func (in *openAIIn) telling(id string, at time.Time) *telling {
	return &telling{id: id, model: in.Body.Model, at: at.Unix(), usage: in.Body.StreamOptions != nil && in.Body.StreamOptions.IncludeUsage,
		call: -1}
}

// write writes an answer that is no stream.
func (t *telling) write(w http.ResponseWriter, x *runtime.AnswerShown) {
	w.Header().Set("Content-Type", "application/json")
	e := json.NewEncoder(w)
	e.SetEscapeHTML(false)
	_ = e.Encode(t.whole(x)) // who does not read it is gone
}
