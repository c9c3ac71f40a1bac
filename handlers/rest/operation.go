package rest

import (
	"context"
	"fmt"
	"net/http"
	"reflect"
	"slices"
	"strconv"
	"strings"

	"github.com/danielgtaylor/huma/v2"

	"github.com/parley-platform/parley/domain/access"
	"github.com/parley-platform/parley/domain/fault"
	"github.com/parley-platform/parley/handlers/rest/document"
)

// ErrorStyle is the form of an operation's refusals.
type ErrorStyle int

// The forms: of all operations, of the conversation hook, and of OpenAI.
const (
	StandardErrors ErrorStyle = iota // {"success":false,"error":{"code","message"}}
	HookErrors                       // {"code":<HTTP status>,"message"}
	OpenAIErrors                     // {"error":{"message","type","param","code"}}
)

// MaxBody is the largest body of an operation that does not say otherwise, in bytes
// (docs/api-rules.md "Order of refusals": 1 MiB). A body of exactly this size is taken.
const MaxBody = 1 << 20

// Operation is what is declared of one operation beside its input and output.
type Operation struct {
	ID          string // unique, kebab-case: "create-api-key"
	Method      string
	Path        string // "/api/v1/things/{thingId}"
	Summary     string // one line
	Description string // what summary and schemas do not say; optional
	Tags        []string

	Requirement access.Requirement // who may call it; access.Public is explicit
	Status      int                // of success; zero: 200, or 204 without a body
	Extension   bool               // not in the API's documents: x-extension
	Resolve     ResolveFunc        // the 404 and 403 of what path and headers name; optional
	Errors      ErrorStyle
	Refusals    []fault.Code // that it can answer beside those that all can, for the document
	Class       Class        // the rate it counts against; empty: Requests
	MaxBody     int64        // bytes; zero: MaxBody
	Unkeyed     bool         // no account of its own calls it: an Idempotency-Key would give one what is another's, and is not read
	Reads       bool         // it changes nothing, though its method is not GET
	Async       bool         // its commit is the first of a stream whose id the request derives: it may be answered early
	MaxValues   int          // of a JSON body; zero: MaxValues
}

// declared is an operation with what the core knows of it beside.
type declared struct {
	Operation
	body  bodyRule
	query map[string]queryRule // by the parameter's name
	lists []string             // parameters of the query that are comma lists
}

// Declare adds an operation to the API. The input type has huma's tags: path,
// query and header fields, and a Body whose members say json, required, enum,
// minimum, maxLength and so on; a parameter that the operation reads itself says with
// `shown` what the document calls it; members are optional unless tagged required. Huma
// gives the value of a `default` tag to a member that is absent or zero, so a
// member whose zero means something is a pointer.
//
// The handler is called when nothing was wrong with the request. What it needs
// beside the input is in the context: PrincipalOf, CorrelationID, ProjectOf,
// Idempotency. Its error is a fault.Error, or an unexpected failure that is logged
// and answered as INTERNAL_ERROR.
//
// A declaration that is incomplete is a bug and panics.
func Declare[I, O any](api *API, op Operation, handler func(ctx context.Context, in *I) (*O, error)) {
	api.add(op)
	api.declared[op.ID].lists = document.Lists(reflect.TypeFor[I]())
	if hidden := hiddenParams(reflect.TypeFor[I]()); hidden != "" {
		panic(fmt.Sprintf("rest: operation %q: %s is embedded but not exported, so its parameters would never be read: export it", op.ID, hidden))
	}
	for _, t := range []reflect.Type{reflect.TypeFor[I](), reflect.TypeFor[O]()} {
		if hidden := hiddenMembers(t, map[reflect.Type]bool{}); hidden != "" {
			panic(fmt.Sprintf("rest: operation %q: %s is embedded in a body but not exported, so the document would lack its members: export it",
				op.ID, hidden))
		}
	}
	described := api.describe(op, reflect.TypeFor[I]())
	huma.Register(api.huma, described, func(ctx context.Context, in *I) (*O, error) {
		out, err := call(ctx, in, handler)
		if err != nil {
			return nil, exchangeOf(ctx).refusal(ctx, err)
		}
		return out, nil
	})
	made := operationAt(api.huma.OpenAPI(), op)
	document.ShowParameters(made, reflect.TypeFor[I]())
	if op.Async {
		describeAsync(made)
	}
}

// hiddenParams names a struct with parameters that an input embeds without exporting
// it: huma passes over all of its fields, and every one would be zero.
func hiddenParams(input reflect.Type) string {
	for _, field := range reflect.VisibleFields(input) {
		if len(field.Index) == 1 {
			continue
		}
		_, path := field.Tag.Lookup("path")
		_, query := field.Tag.Lookup("query")
		_, header := field.Tag.Lookup("header")
		if !path && !query && !header {
			continue
		}
		for depth := 1; depth < len(field.Index); depth++ {
			if parent := input.FieldByIndex(field.Index[:depth]); !parent.IsExported() {
				return parent.Type.String()
			}
		}
	}
	return ""
}

// hiddenMembers names a struct with members of a body that another embeds without exporting
// it: huma passes over all of its fields.
func hiddenMembers(t reflect.Type, seen map[reflect.Type]bool) string {
	for t.Kind() == reflect.Pointer || t.Kind() == reflect.Slice || t.Kind() == reflect.Map {
		t = t.Elem()
	}
	if t.Kind() != reflect.Struct || seen[t] {
		return ""
	}
	seen[t] = true
	for i := range t.NumField() {
		f := t.Field(i)
		if f.Anonymous && !f.IsExported() && f.Type.Kind() == reflect.Struct && hasMembers(f.Type) {
			return f.Type.String()
		}
		if hidden := hiddenMembers(f.Type, seen); hidden != "" {
			return hidden
		}
	}
	return ""
}

func hasMembers(t reflect.Type) bool {
	for i := range t.NumField() {
		if _, ok := t.Field(i).Tag.Lookup("json"); ok {
			return true
		}
	}
	return false
}

// call speaks the refusals that come after those on fields, the rate's first.
func call[I, O any](ctx context.Context, in *I, handler func(context.Context, *I) (*O, error)) (*O, error) {
	if err := exchangeOf(ctx).overRate; err != nil {
		return nil, err
	}
	out, err := handler(ctx, in)
	if x := exchangeOf(ctx); err == nil && x.op != nil && !x.op.writes() {
		err = x.shut(ctx) // since the request came: then what was read may be a part only
	}
	return out, err
}

func (a *API) add(op Operation) {
	if problem := op.problem(); problem != "" {
		panic(fmt.Sprintf("rest: operation %q %s", op.ID, problem))
	}
	if _, taken := a.declared[op.ID]; taken {
		panic(fmt.Sprintf("rest: operation %q is declared twice", op.ID))
	}
	if first := a.shadowing(op); first != "" {
		panic(fmt.Sprintf("rest: operation %q is never reached: declare it before %q", op.ID, first))
	}
	if op.MaxBody == 0 {
		op.MaxBody = MaxBody
	}
	if op.MaxValues == 0 {
		op.MaxValues = MaxValues
	}
	if op.Class == "" {
		op.Class = Requests
	}
	a.declared[op.ID] = &declared{Operation: op}
}

func (op Operation) problem() string {
	switch {
	case op.ID == "" || op.Method == "" || !strings.HasPrefix(op.Path, "/") || op.Summary == "":
		return "needs an id, a method, a path and a summary"
	case !op.Requirement.Stated():
		return "does not state who may call it: set Requirement, access.Public if anyone may"
	case op.Resolve == nil && slices.ContainsFunc(strings.Split(op.Path, "/"), func(segment string) bool { return namesTenancy[segment] }):
		return "does not look whose it is what its path names: set Resolve, such as ProjectFrom"
	}
	return ""
}

// namesTenancy are the parameters of paths that name a project or an account: who may not
// have it is told so before the handler is asked.
var namesTenancy = map[string]bool{"{projectId}": true, "{botId}": true, "{streamId}": true, "{appId}": true, "{IID}": true,
	"{accountId}": true}

// shadowing is the operation, declared before, that takes the paths of this one:
// routes are tried in their order, and /things/{id} also matches /things/export.
func (a *API) shadowing(op Operation) string {
	segments := strings.Split(op.Path, "/")
	for _, d := range a.declared {
		if d.Method != op.Method || strings.Count(d.Path, "/") != len(segments)-1 {
			continue
		}
		if slices.EqualFunc(strings.Split(d.Path, "/"), segments, covers) {
			return d.ID
		}
	}
	return ""
}

func covers(earlier, later string) bool {
	return earlier == later || strings.HasPrefix(earlier, "{")
}

// Operations lists what was declared, by id.
func (a *API) Operations() []Operation {
	var ops []Operation
	for _, d := range a.declared {
		ops = append(ops, d.Operation)
	}
	slices.SortFunc(ops, func(x, y Operation) int { return strings.Compare(x.ID, y.ID) })
	return ops
}

// describe is the operation as huma registers and documents it.
func (a *API) describe(op Operation, input reflect.Type) huma.Operation {
	h := huma.Operation{
		OperationID: op.ID, Method: op.Method, Path: op.Path,
		Summary: op.Summary, Description: op.Description, Tags: op.Tags,
		DefaultStatus: op.Status,
		Responses:     a.describeRefusals(op, input),
		Parameters:    describeParams(op, input),
		Security:      securityOf(op.Requirement),
		Extensions:    map[string]any{"x-requirement": op.Requirement.String()},
		// The body was read and limited before huma sees it; a deadline of huma's own
		// would cut off handlers that take longer than it.
		MaxBodyBytes:    -1,
		BodyReadTimeout: -1,
	}
	if op.Extension {
		h.Extensions["x-extension"] = true
	}
	if !op.keyed() {
		h.Metadata = map[string]any{document.Unkeyed: true}
	}
	return h
}

// describeParams documents what the input type does not: parameters of the path that
// only Resolve reads, and the Idempotency-Key, which all writes take.
func describeParams(op Operation, input reflect.Type) []*huma.Param {
	var out []*huma.Param
	known := map[string]bool{}
	for _, f := range reflect.VisibleFields(input) {
		known[f.Tag.Get("path")] = true
	}
	for _, segment := range strings.Split(op.Path, "/") {
		name := strings.Trim(segment, "{}")
		if name != segment && !known[name] {
			out = append(out, &huma.Param{Name: name, In: "path", Required: true, Schema: &huma.Schema{Type: huma.TypeString}})
		}
	}
	if op.sends() {
		key := &huma.Param{Name: "Idempotency-Key", In: "header", Schema: &huma.Schema{Type: huma.TypeString},
			Description: "Makes repeating the request safe: the first result is answered again."}
		if !op.keyed() {
			key.Description = "Is not read here."
		}
		out = append(out, key)
	}
	return out
}

// sends reports whether its method is that of a write.
func (op Operation) sends() bool { return op.Method != http.MethodGet && op.Method != http.MethodHead }

// writes reports whether it changes anything.
func (op Operation) writes() bool { return op.sends() && !op.Reads }

// keyed reports whether an Idempotency-Key is read.
func (op Operation) keyed() bool { return op.writes() && !op.Unkeyed }

func (a *API) describeRefusals(op Operation, input reflect.Type) map[string]*huma.Response {
	codes := append([]fault.Code{fault.BadRequest, fault.NotFound, fault.Internal, fault.CatchingUp}, op.Refusals...)
	if !op.Requirement.IsPublic() {
		codes = append(codes, fault.Unauthorized, fault.Forbidden, fault.RateLimit)
	}
	if _, ok := input.FieldByName("Body"); ok {
		codes = append(codes, fault.TooLarge)
	}
	if op.writes() {
		codes = append(codes, fault.ProjectionFailed, fault.NotExecuted, fault.OutcomeUnknown)
	}
	schema := a.huma.OpenAPI().Components.Schemas.Schema(refusalType(op.Errors), true, "")
	out := map[string]*huma.Response{}
	for _, code := range codes {
		status := statusOf(code)
		out[strconv.Itoa(status)] = &huma.Response{
			Description: describeStatus(status, codes),
			Content:     map[string]*huma.MediaType{"application/json": {Schema: schema}},
		}
	}
	return out
}

func operationAt(document *huma.OpenAPI, op Operation) *huma.Operation {
	item := document.Paths[op.Path]
	return map[string]*huma.Operation{http.MethodGet: item.Get, http.MethodPost: item.Post, http.MethodPut: item.Put,
		http.MethodPatch: item.Patch, http.MethodDelete: item.Delete}[op.Method]
}
