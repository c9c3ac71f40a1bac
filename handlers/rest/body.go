package rest

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"mime"
	"net/http"
	"reflect"
	"strings"
	"sync"
	"unicode/utf8"

	"github.com/danielgtaylor/huma/v2"

	"github.com/parley-platform/parley/domain/fault"
	"github.com/parley-platform/parley/domain/plainjson"
	"github.com/parley-platform/parley/handlers/rest/document"
	"github.com/parley-platform/parley/handlers/rest/jsontext"
)

// MaxValues is how many values the body of an operation may hold that does not say
// otherwise: members and items, those inside of others too.
const MaxValues = 20_000

// bodyRule is what an operation expects of its body.
type bodyRule struct {
	json     bool // false: no body, or one that the operation reads itself
	required bool
	schema   *huma.Schema
	registry huma.Registry
}

// ruleOf reads the rule from what huma made of the input type.
func ruleOf(h *huma.Operation, registry huma.Registry) bodyRule {
	if h.RequestBody == nil || h.RequestBody.Content["application/json"] == nil {
		return bodyRule{}
	}
	schema := h.RequestBody.Content["application/json"].Schema
	return bodyRule{json: true, required: h.RequestBody.Required, schema: jsontext.Resolved(schema, registry), registry: registry}
}

// takeBody refuses a body that is too large or does not parse. Of callers that are known
// it is kept; that of anybody else is judged as it comes, and nothing of it stays.
func (a *API) takeBody(x *exchange, r *http.Request) (*http.Request, error) {
	if r.ContentLength > x.op.MaxBody {
		return r, x.tooLarge()
	}
	if r.Body == nil || r.Body == http.NoBody {
		return r, x.checkBody(r, &jsontext.Scanner{}, nil)
	}
	if coding := strings.Join(r.Header.Values("Content-Encoding"), ", "); coding != "" && !strings.EqualFold(coding, "identity") {
		return r, fault.New(fault.BadRequest, "the Content-Encoding must be identity: bodies are taken as they are, not packed")
	}
	if x.denied != nil {
		return r, a.judgeBody(x, r)
	}
	if err := a.readBody(x, r); err != nil {
		return r, err
	}
	return r, a.parseBody(x, r)
}

func (x *exchange) tooLarge() error {
	return fault.New(fault.TooLarge, "the body is larger than %d bytes", x.op.MaxBody)
}

func unread(err error) error {
	return fault.New(fault.BadRequest, "the body could not be read to its end").Because(err)
}

var pieces = sync.Pool{New: func() any { return new([smallBody]byte) }}

// judgeBody reads a body to its end without keeping it. A body that is both broken and
// too large is too large.
func (a *API) judgeBody(x *exchange, r *http.Request) error {
	release, err := a.intake.stranger(r.Context())
	if err != nil {
		return err
	}
	defer release()
	piece := pieces.Get().(*[smallBody]byte)
	defer pieces.Put(piece)
	var s jsontext.Scanner
	var broken error
	for size := int64(0); ; {
		n, err := r.Body.Read(piece[:])
		if size += int64(n); size > x.op.MaxBody {
			return x.tooLarge()
		}
		if broken == nil && x.op.body.json {
			_, broken = s.Write(piece[:n])
		}
		if errors.Is(err, io.EOF) {
			return x.checkBody(r, &s, broken)
		}
		if err != nil {
			return unread(err)
		}
	}
}

// readBody takes the body into memory, when there is room. The length that a client
// announces is believed for the room only; one that it does not announce has room for the
// largest until it was read, and not for as long as the request takes, which may be minutes.
func (a *API) readBody(x *exchange, r *http.Request) error {
	announced := r.ContentLength
	if announced < 0 {
		announced = x.op.MaxBody
	}
	var taken *room
	if announced > smallBody {
		var err error
		if taken, err = a.intake.raw.take(r.Context(), x.principal.TenantID, announced); err != nil {
			return err
		}
		x.release = append(x.release, taken.release)
	}
	var body bytes.Buffer
	if r.ContentLength > 0 {
		body.Grow(int(r.ContentLength) + bytes.MinRead)
	}
	_, err := body.ReadFrom(io.LimitReader(r.Body, x.op.MaxBody+1))
	switch {
	case int64(body.Len()) > x.op.MaxBody:
		return x.tooLarge()
	case err != nil:
		return unread(err)
	}
	if taken != nil {
		taken.keep(int64(body.Len()))
	}
	x.body = body.Bytes()
	replaceBody(r, x.body)
	return nil
}

func replaceBody(r *http.Request, body []byte) {
	r.Body = io.NopCloser(bytes.NewReader(body))
	r.ContentLength = int64(len(body))
}

// checkBody refuses a body that is not the kind of JSON that the operation takes, after
// it was scanned to its end. What is too deep or too much is only noted: it is refused
// after 401, 403 and 404, like other faults of members.
func (x *exchange) checkBody(r *http.Request, s *jsontext.Scanner, broken error) error {
	rule := x.op.body
	if !rule.json {
		return nil
	}
	if broken == nil && s.Empty() {
		if rule.required {
			x.problems.Add("body", "is required")
		}
		return nil
	}
	if !isJSON(r.Header.Get("Content-Type")) {
		return fault.New(fault.BadRequest, "the Content-Type must be application/json")
	}
	if broken == nil {
		broken = s.End()
	}
	if broken != nil {
		return broken
	}
	if want := rule.kind(); want != "" && want != kindOf(s.Top) && (s.Top != 'n' || rule.required) {
		return fault.New(fault.BadRequest, "the body must be a JSON %s", want)
	}
	if s.Levels > jsontext.MaxDepth {
		x.unfit = true
		x.problems.Add(nonEmpty(s.Member, "body"), "must not be nested deeper than %d levels", jsontext.MaxDepth)
	}
	if s.Values > x.op.MaxValues {
		x.unfit = true
		x.problems.Add("body", "must not hold more than %d values: members and items, those inside of others too", x.op.MaxValues)
	}
	return nil
}

func nonEmpty(name, otherwise string) string {
	if name == "" || !utf8.ValidString(name) {
		return otherwise
	}
	return name
}

// parseBody replaces the body by exactly the members that the operation knows. Wrong
// members are only noted.
func (a *API) parseBody(x *exchange, r *http.Request) error {
	rule := x.op.body
	if !rule.json {
		return nil
	}
	var s jsontext.Scanner
	_, broken := s.Write(x.body)
	if err := x.checkBody(r, &s, broken); err != nil {
		return err
	}
	if s.Empty() || s.Top == 'n' && !rule.required {
		replaceBody(r, nil)
		return nil
	}
	if x.unfit {
		return nil
	}
	if len(x.body) > smallBody || s.Values > smallValues {
		taken, err := a.intake.made.take(r.Context(), x.principal.TenantID, int64(len(x.body))*madePerByte+int64(s.Values)*madePerValue)
		if err != nil {
			return err
		}
		x.release = append(x.release, taken.release)
	}
	f := jsontext.Fitter{Registry: rule.registry, Problems: &x.problems}
	fitted, err := plainjson.Of(f.Fit(rule.schema, nil, x.body))
	if err != nil {
		return fault.New(fault.Internal, "the body could not be read").Because(err)
	}
	replaceBody(r, fitted)
	r.Header.Set("Content-Type", "application/json")
	return nil
}

// kind is the JSON type that the whole body must have; empty when any will do.
func (b bodyRule) kind() string {
	if b.schema != nil && (b.schema.Type == huma.TypeObject || b.schema.Type == huma.TypeArray) {
		return b.schema.Type
	}
	return ""
}

// kindOf goes by the first byte of a value.
func kindOf(first byte) string {
	switch first {
	case '{':
		return huma.TypeObject
	case '[':
		return huma.TypeArray
	default:
		return "other"
	}
}

// isJSON takes application/json and what is built on it. No header at all is taken
// for JSON, which all bodies of this API are.
func isJSON(contentType string) bool {
	if contentType == "" {
		return true
	}
	media, _, err := mime.ParseMediaType(contentType)
	return err == nil && (media == "application/json" ||
		strings.HasPrefix(media, "application/") && strings.HasSuffix(media, "+json"))
}

// Form is a type of what comes by an answer that goes on, such as a message on a socket. What is read
// is judged as the body of an operation is. Members are optional that say omitempty.
type Form[T any] struct {
	schema   *huma.Schema
	registry huma.Registry
}

// FormOf is the form of a type, which has the tags of bodies.
func FormOf[T any]() Form[T] {
	registry := huma.NewMapRegistry("#/", document.Name)
	schema := jsontext.Resolved(registry.Schema(reflect.TypeFor[T](), true, ""), registry)
	for _, s := range registry.Map() {
		if s.AdditionalProperties == false {
			s.AdditionalProperties = true // what is not known is ignored
		}
	}
	return Form[T]{schema, registry}
}

// Read is what JSON says, or the fault that is in it.
func (f Form[T]) Read(data []byte) (out T, err error) {
	var s jsontext.Scanner
	if _, err = s.Write(data); err == nil {
		err = s.End()
	}
	switch {
	case err != nil:
		return out, err
	case s.Top != '{':
		return out, fault.New(fault.BadRequest, "the message must be a JSON object")
	case s.Levels > jsontext.MaxDepth, s.Values > MaxValues:
		return out, fault.Field("message", "must not be deeper than %d levels, nor hold more than %d values", jsontext.MaxDepth, MaxValues)
	}
	var problems fault.Fields
	fitted, err := plainjson.Of(jsontext.Fitter{Registry: f.registry, Problems: &problems}.Fit(f.schema, nil, data))
	if err != nil {
		return out, fault.New(fault.Internal, "the message could not be read").Because(err)
	}
	var judged any
	if err := unmarshalPlainly(fitted, &judged); err != nil {
		return out, fault.New(fault.Internal, "the message could not be read").Because(err)
	}
	var found huma.ValidateResult
	huma.Validate(f.registry, f.schema, huma.NewPathBuffer(make([]byte, 0, 128), 0), huma.ModeWriteToServer, judged, &found)
	for _, e := range found.Errors {
		problems = append(problems, detailOf(e))
	}
	if err := problems.InOrder().Err(); err != nil {
		return out, err
	}
	return out, json.Unmarshal(fitted, &out)
}
