package llm_test

import (
	"context"
	"errors"
	"io"
	"net/http"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/parley-platform/parley/adapters/llm"
	"github.com/parley-platform/parley/domain/completions"
	"github.com/parley-platform/parley/domain/fault"
)

// looking is a request with pictures, of which those are there that are in kept; others are gone, or cannot be read.
func looking(kept map[string]string) completions.Request {
	var all []completions.Picture
	for _, name := range []string{"dot", "gone", "away"} {
		all = append(all, completions.Picture{AttachmentID: name, ContentType: "image/png", Blob: name})
	}
	return completions.Request{Messages: []completions.Message{{Role: completions.User, Text: "What is it?", Pictures: all}},
		Show: func(_ context.Context, p completions.Picture) ([]byte, error) {
			switch content, is := kept[p.Blob]; {
			case is:
				return []byte(content), nil
			case p.Blob == "away":
				return nil, errors.New("no storage")
			}
			return nil, fault.New(fault.NotFound, "gone")
		}}
}

// seen is a model that answers what a test says, and what it was asked.
type seen struct {
	llm.Model
	url   string
	asked []string
}

func seer(t *testing.T, kind, id string, sees bool, answers ...int) *seen {
	s := &seen{}
	url := serving(t, func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		s.asked = append(s.asked, string(body))
		if n := len(s.asked) - 1; n < len(answers) && answers[n] != 0 {
			w.WriteHeader(answers[n])
			return
		}
		streamed(w, recorded[kind])
	})
	s.url = url + "/v1"
	s.Model = llm.Model{ID: id, Provider: kind, Named: "m", By: provider(t, kind, url), Sees: sees}
	return s
}

// Given pictures beside a text, then a model that sees is shown those that are there, in its provider's form, and told of
// the others; one that sees none is told so.
func TestModelsThatSeeAreShownPictures(t *testing.T) {
	const others = `What is it?\n\n(A picture is not there any more, and is not shown.)\n\n(A picture cannot be shown at the moment.)`
	for kind, want := range map[string]string{
		"openai": `{"role":"user","content":[{"type":"text","text":"` + others + `"},{"type":"image_url","image_url":{"url":` +
			`"data:image/png;base64,ZG90cw=="}}]}`,
		"anthropic": `{"role":"user","content":[{"type":"text","text":"` + others + `"},{"type":"image","source":{"type":"base64",` +
			`"media_type":"image/png","data":"ZG90cw=="}}]}`,
	} {
		for sees, want := range map[bool]string{true: want, false: `What is it?\n\n(You are not shown pictures.)"`} {
			s := seer(t, kind, "one", sees)
			_, err := llm.OneModel(s.Model).Complete(t.Context(), looking(map[string]string{"dot": "dots"}),
				func(completions.Piece) error { return nil })
			require.NoError(t, err)
			require.Contains(t, s.asked[0], want)
			require.Equal(t, sees, strings.Contains(s.asked[0], "ZG90cw=="))
		}
	}
}

// Given a model that refuses what has pictures, then it is asked once more without; what it refuses all the same is refused.
func TestAModelThatRefusesPictures(t *testing.T) {
	ignore := func(completions.Piece) error { return nil }
	s := seer(t, "openai", "one", true, 400)
	_, err := llm.OneModel(s.Model).Complete(t.Context(), looking(map[string]string{"dot": "dots"}), ignore)
	require.NoError(t, err)
	require.Len(t, s.asked, 2)
	require.Contains(t, s.asked[0], "ZG90cw==")
	require.NotContains(t, s.asked[1], "ZG90cw==")
	require.Contains(t, s.asked[1], "(You are not shown pictures.)")

	s = seer(t, "openai", "one", true, 400, 400)
	_, err = llm.OneModel(s.Model).Complete(t.Context(), looking(map[string]string{"dot": "dots"}), ignore)
	require.True(t, fault.Is(err, fault.Validation))
	require.Len(t, s.asked, 2)
	s = seer(t, "openai", "one", true, 400)
	_, err = llm.OneModel(s.Model).Complete(t.Context(), hello, ignore)
	require.True(t, fault.Is(err, fault.Validation))
	require.Len(t, s.asked, 1, "it has no pictures")
}

// Given a tier of which the first model fails, then the next is asked as it can see.
func TestTheNextModelSeesAsItCan(t *testing.T) {
	sees, blind := seer(t, "openai", "sees", true, 404), seer(t, "openai", "blind", false)
	models := llm.NewModels([]llm.Model{sees.Model, blind.Model}, map[string][]string{completions.Balanced: {"sees", "blind"}})
	_, err := models.Complete(t.Context(), looking(map[string]string{"dot": "dots"}), func(completions.Piece) error { return nil })
	require.NoError(t, err)
	require.Contains(t, sees.asked[0], "ZG90cw==")
	require.Contains(t, blind.asked[0], "(You are not shown pictures.)")
}

// Given who asks without having files to show, then nobody is shown any.
func TestNobodyShowsPictures(t *testing.T) {
	s, r := seer(t, "openai", "one", true), looking(nil)
	r.Show = nil
	_, err := llm.OneModel(s.Model).Complete(t.Context(), r, func(completions.Piece) error { return nil })
	require.NoError(t, err)
	require.Contains(t, s.asked[0], "(A picture cannot be shown at the moment.)")
}

// Given a picture that came with the question, then it is shown without anybody being asked for it.
func TestAPictureInTheQuestionIsShown(t *testing.T) {
	s := seer(t, "anthropic", "one", true)
	r := completions.Request{Messages: []completions.Message{{Role: completions.User, Text: "What is it?",
		Pictures: []completions.Picture{{ContentType: "image/png", Content: []byte("dots")}}}}}
	_, err := llm.OneModel(s.Model).Complete(t.Context(), r, func(completions.Piece) error { return nil })
	require.NoError(t, err)
	require.Contains(t, s.asked[0], `"source":{"type":"base64","media_type":"image/png","data":"ZG90cw=="}`)
}

// Models see unless their server is somebody's own; what is said of one counts.
func TestAFileSaysWhichModelsSee(t *testing.T) {
	s := seer(t, "openai", "one", true)
	file := `providers: [{name: own, kind: openai, baseUrl: "` + s.url + `"}]
models: [{id: sees, provider: own, pictures: true}, {id: blind, provider: own}]
`
	models, err := llm.ReadModels([]byte(file), func(string) string { return "sk-test" })
	require.NoError(t, err)
	for i, id := range []string{"sees", "blind"} {
		r := looking(map[string]string{"dot": "dots"})
		r.ModelID = id
		_, err := models.Complete(t.Context(), r, func(completions.Piece) error { return nil })
		require.NoError(t, err)
		require.Equal(t, id == "sees", strings.Contains(s.asked[i], "ZG90cw=="), id)
	}
}
