package openai

import (
	"cmp"
	"context"
	"errors"
	"net/http"
	"strings"
	"time"

	"github.com/danielgtaylor/huma/v2"

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
	served, model, err := x.asked(ctx, in.Body.Model)
	if err != nil {
		return nil, err
	}
	session, err := in.session()
	if err != nil {
		return nil, err
	}
	if model != nil {
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

// say is a turn of a session of a deployment.
func (x API) say(ctx context.Context, in *openAIIn, d models.Deployment, session string) (*huma.StreamResponse, error) {
	text, err := in.said()
	if err != nil {
		return nil, err
	}
	talk, err := x.Chat.BeginTurn(ctx, d, session, text)
	if err != nil {
		return nil, ofModel(err)
	}
	told := in.telling(idPrefix+talk.MessageID, x.Chat.Now())
	told.session = &OpenAIMetadata{SessionID: talk.SessionID}
	if in.Body.Stream {
		return written(talk.SessionID, func(w http.ResponseWriter) { told.talk(ctx, runtime.OpenEvents(w), talk) }), nil
	}
	spoken, err := talk.Whole(ctx)
	if err != nil {
		return nil, err
	}
	told.id = idPrefix + cmp.Or(spoken.MessageID, talk.MessageID)
	return written(talk.SessionID, func(w http.ResponseWriter) { told.write(w, turnShown(spoken)) }), nil
}

// talk tells a turn as it goes on. What a model is about to say may still be taken back, which
// this form cannot say, so each text comes when it is said.
func (t *telling) talk(ctx context.Context, out *runtime.EventWriter, talk *runtime.BegunTurn) {
	t.Piece(out, completions.Piece{Kind: completions.Begun})
	joined := ""
	spoken, err := talk.Told(ctx, out, func(text string) {
		t.Piece(out, completions.Piece{Kind: completions.TextDelta, Text: joined + text})
		joined = "\n"
	})
	t.End(ctx, out, err, turnShown(spoken))
}

func turnShown(s runtime.Spoken) *runtime.AnswerShown {
	out := &runtime.AnswerShown{Content: strings.Join(s.Texts, "\n"), FinishReason: completions.EndTurn}
	out.Usage.InputTokens, out.Usage.OutputTokens, out.Usage.TotalTokens = s.Took.TokensIn, s.Took.TokensOut, s.Took.TokensIn+s.Took.TokensOut
	return out
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
	return rest.ByHand(func(w http.ResponseWriter) {
		if session != "" {
			w.Header().Set(sessionHeader, session)
		}
		write(w)
	})
}

// telling is what each answer to the request says of itself.
func (in *openAIIn) telling(id string, at time.Time) *telling {
	return &telling{id: id, model: in.Body.Model, at: at.Unix(), usage: in.Body.StreamOptions != nil && in.Body.StreamOptions.IncludeUsage,
		call: -1}
}

// write writes an answer that is no stream.
func (t *telling) write(w http.ResponseWriter, x *runtime.AnswerShown) {
	w.Header().Set("Content-Type", "application/json")
	_ = rest.MarshalPlainly(w, t.whole(x)) // who does not read it is gone
}
