package document_test

import (
	"context"
	"encoding/json"
	"net/http"
	"reflect"
	"testing"

	"github.com/danielgtaylor/huma/v2"
	"github.com/danielgtaylor/huma/v2/adapters/humamux"
	"github.com/gorilla/mux"
	"github.com/stretchr/testify/require"

	"github.com/parley-platform/parley/handlers/rest/document"
)

type address struct {
	City string `json:"city"`
}

type both struct {
	Optional string `json:"optional"`
}

type thing struct {
	More
	ID       string            `json:"id"`
	Note     string            `json:"note,omitempty"`
	Old      string            `json:"old-id" hidden:"true"`
	Where    *address          `json:"where"`
	Shared   both              `json:"shared"`
	Labels   map[string]string `json:"labels"`
	Anything map[string]any    `json:"anything"`
	At       string            `json:"at" format:"date-time"`
	State    *string           `json:"state" nullable:"true" enum:"on,off"`
}

// More is embedded.
type More struct {
	Extra int `json:"extra"`
	Rare  int `json:"rare,omitzero"`
}

type changeIn struct {
	Pick  string `query:"pick" default:"a" maxLength:"9" shown:"list:a,b" doc:"What."`
	Since string `query:"since" shown:"date-time"`
	Again string `query:"again" shown:"no"`
	Limit int    `query:"limit" doc:"How many."`
	Body  struct {
		Name   string   `json:"name" pattern:"^a$" patternDescription:"an a"`
		Shared both     `json:"shared"`
		Unique []string `json:"unique" uniqueItems:"true"`
	}
}

type changeOut struct{ Body thing }

// told declares one operation, and gives huma's document and what is made of it.
func told(t *testing.T) (declared *huma.OpenAPI, shown *huma.OpenAPI) {
	t.Helper()
	var c huma.Config
	c.OpenAPI = &huma.OpenAPI{OpenAPI: "3.1.0", Info: &huma.Info{Title: "x", Version: "1"}, Webhooks: map[string]*huma.PathItem{},
		Tags:       []*huma.Tag{{Name: "Used"}, {Name: "Not used"}, {Name: document.NotificationsTag}},
		Components: &huma.Components{Schemas: huma.NewMapRegistry("#/components/schemas/", document.Name)}}
	c.Formats, c.DefaultFormat = huma.DefaultFormats, "application/json"
	c.AllowAdditionalPropertiesByDefault, c.FieldsOptionalByDefault = true, true
	api := humamux.New(mux.NewRouter(), c)
	huma.Register(api, huma.Operation{OperationID: "change", Method: http.MethodPost, Path: "/things", Tags: []string{"Used"},
		Security: []map[string][]string{{"key": {}}}, Responses: map[string]*huma.Response{"401": {}, "429": {}, "503": {}}},
		func(context.Context, *changeIn) (*changeOut, error) { return nil, nil })
	document.ShowParameters(api.OpenAPI().Paths["/things"].Post, reflect.TypeFor[changeIn]())
	document.DescribeWebhook[address](api.OpenAPI(), document.Webhook{Name: "moved", Summary: "It moved", Description: "When it did.",
		Path: "/things", Address: "$request.body#/url"})
	return api.OpenAPI(), document.Of(api.OpenAPI())
}

func asJSON(t *testing.T, v any) string {
	t.Helper()
	out, err := json.Marshal(v)
	require.NoError(t, err)
	return string(out)
}

func schema(d *huma.OpenAPI, name string) *huma.Schema { return d.Components.Schemas.Map()[name] }

func TestWhatIsAlwaysSentIsRequired(t *testing.T) {
	_, d := told(t)
	require.ElementsMatch(t, []string{"extra", "id", "where", "shared", "labels", "anything", "at", "state"}, schema(d, "Thing").Required,
		"not what may be left out, and not the spelling that is not told")
	require.Equal(t, []string{"city"}, schema(d, "Address").Required)
	require.Empty(t, schema(d, "ChangeRequest").Required)
	require.Empty(t, schema(d, "Both").Required, "what is also taken is required only where it says so")
}

func TestNothingIsToldThatOpenAPIDoesNotKnow(t *testing.T) {
	declared, d := told(t)
	text := asJSON(t, d)
	for _, word := range []string{"patternDescription", `"additionalProperties":true`, "uniqueItems", "old-id"} {
		require.NotContains(t, text, word)
	}
	require.JSONEq(t, `{}`, asJSON(t, schema(d, "Thing").Properties["anything"].AdditionalProperties), "a map of anything stays one")
	require.Equal(t, huma.TypeString, schema(d, "Thing").Properties["labels"].AdditionalProperties.(*huma.Schema).Type)
	require.Equal(t, true, schema(d, "Thing").AdditionalProperties == nil)

	require.Equal(t, "an a", schema(declared, "ChangeRequest").Properties["name"].PatternDescription, "requests are judged as before")
	require.True(t, schema(declared, "ChangeRequest").Properties["unique"].UniqueItems)
	require.Equal(t, true, schema(declared, "ChangeRequest").AdditionalProperties)
	require.Empty(t, schema(declared, "Thing").Required)
}

func TestNullIsOneOfTheValuesOfWhatMayBeNull(t *testing.T) {
	declared, d := told(t)
	require.JSONEq(t, `{"type":["string","null"],"enum":["on","off",null]}`, asJSON(t, schema(d, "Thing").Properties["state"]))
	require.Len(t, schema(declared, "Thing").Properties["state"].Enum, 2, "what requests are told of as possible is values")
}

func TestParametersAreShownAsTheyAreUsed(t *testing.T) {
	_, d := told(t)
	byName := map[string]string{}
	for _, p := range d.Paths["/things"].Post.Parameters {
		byName[p.Name] = asJSON(t, p)
	}
	require.Len(t, byName, 3)
	require.JSONEq(t, `{"name":"pick","in":"query","description":"What.","style":"form","explode":false,
		"schema":{"type":"array","default":["a"],"items":{"type":"string","enum":["a","b"]}}}`, byName["pick"])
	require.JSONEq(t, `{"name":"since","in":"query","schema":{"type":"string","format":"date-time"}}`, byName["since"])
	require.JSONEq(t, `{"name":"limit","in":"query","description":"How many.","schema":{"type":"integer","format":"int64"}}`,
		byName["limit"])
	require.Panics(t, func() {
		document.ShowParameters(&huma.Operation{}, reflect.TypeFor[struct {
			Name string `header:"name" shown:"no"`
		}]())
	})
}

func TestAnswersTellTheirHeaders(t *testing.T) {
	_, d := told(t)
	for status, want := range map[string][]string{
		"200": {"X-Request-Id", "X-RateLimit-Limit", "X-RateLimit-Remaining", "X-RateLimit-Reset", "Idempotency-Replayed"},
		"401": {"X-Request-Id", "WWW-Authenticate"},
		"429": {"X-Request-Id", "X-RateLimit-Limit", "X-RateLimit-Remaining", "X-RateLimit-Reset", "Retry-After"},
		"503": {"X-Request-Id", "Retry-After"},
	} {
		var have []string
		for name, header := range d.Paths["/things"].Post.Responses[status].Headers {
			have = append(have, name)
			require.Equal(t, "#/components/headers/"+name, header.Ref)
			require.NotEmpty(t, d.Components.Headers[name].Description)
		}
		require.ElementsMatch(t, want, have, status)
	}
}

func TestWebhooksAreToldTwice(t *testing.T) {
	declared, d := told(t)
	hook := d.Webhooks["moved"].Post
	require.Equal(t, "on-moved", hook.OperationID)
	require.Equal(t, "#/components/schemas/Address", hook.RequestBody.Content["application/json"].Schema.Ref)
	back := d.Paths["/things"].Post.Callbacks["moved"]["{$request.body#/url}"].Post
	require.Equal(t, hook.RequestBody.Content["application/json"].Schema.Ref, back.RequestBody.Content["application/json"].Schema.Ref)
	require.NotEqual(t, hook.OperationID, back.OperationID)
	var tags []string
	for _, tag := range d.Tags {
		tags = append(tags, tag.Name)
	}
	require.Equal(t, []string{"Used", document.NotificationsTag}, tags)
	require.Panics(t, func() {
		document.DescribeWebhook[address](declared, document.Webhook{Name: "moved", Summary: "x", Description: "x"})
	})
}

func TestNamesOfSchemas(t *testing.T) {
	for hint, want := range map[string]string{"dialOutOutBody": "DialOutResult", "createKeyInBody": "CreateKeyRequest",
		"hookBody": "HookRequest", "Body": "Body", "campaignData": "Campaign", "tagGiven": "TagInput"} {
		require.Equal(t, want, document.Name(reflect.TypeFor[struct{}](), hint))
	}
}
