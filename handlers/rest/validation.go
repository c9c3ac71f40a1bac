package rest

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strconv"
	"strings"

	"github.com/danielgtaylor/huma/v2"
	"github.com/danielgtaylor/huma/v2/validation"

	"github.com/parley-platform/parley/domain/fault"
)

// missing begins the message of a member that is required and not there. Huma puts
// such a fault on the object around it, so the name is read from the message.
const missing = "is required: "

// noBody is what huma says of a body that is no JSON and that is not there; of JSON the fitter does.
const noBody = "request body is required"

// Huma answers 422 with a form of its own; here a fault of a field is a
// VALIDATION_ERROR that names the field. Its hooks for that are global.
func init() {
	huma.NewErrorWithContext = func(c huma.Context, status int, message string, errs ...error) huma.StatusError {
		return exchangeOf(c.Context()).refusal(c.Context(), faultOf(status, message, errs))
	}
	huma.NewError = func(status int, message string, errs ...error) huma.StatusError {
		return (&exchange{}).refusal(context.Background(), faultOf(status, message, errs))
	}
	huma.ValidateStrictCasing = true  // the fitter leaves exact names only
	huma.DefaultArrayNullable = false // null is no list; absent members may be null all the same
	speakPlainly()
}

// speakPlainly gives huma's messages the form "<field> <problem>" that faults of
// the domain have.
func speakPlainly() {
	validation.MsgExpectedRequiredProperty = missing + "%s"
	validation.MsgExpectedDependentRequiredProperty = missing + "%s, because there is %s"
	validation.MsgUnexpectedProperty = "is not known"
	validation.MsgExpectedBoolean = "must be true or false"
	validation.MsgExpectedMatchExactlyOneSchema = "must be one of the types and values that are documented"
	validation.MsgExpectedNumber = "must be a number"
	validation.MsgExpectedInteger = "must be a whole number"
	validation.MsgExpectedString = "must be a string"
	validation.MsgExpectedArray = "must be an array"
	validation.MsgExpectedObject = "must be an object"
	validation.MsgExpectedArrayItemsUnique = "must not repeat an item"
	validation.MsgExpectedOneOf = "must be one of %s"
	validation.MsgExpectedMinimumNumber = "must be at least %v"
	validation.MsgExpectedExclusiveMinimumNumber = "must be more than %v"
	validation.MsgExpectedMaximumNumber = "must be at most %v"
	validation.MsgExpectedExclusiveMaximumNumber = "must be less than %v"
	validation.MsgExpectedNumberBeMultipleOf = "must be a multiple of %v"
	validation.MsgExpectedMinLength = "must have at least %d characters"
	validation.MsgExpectedMaxLength = "must have at most %d characters"
	validation.MsgExpectedBePattern = "must be %s"
	validation.MsgExpectedMatchPattern = "must match %s"
	validation.MsgExpectedMinItems = "must have at least %d items"
	validation.MsgExpectedMaxItems = "must have at most %d items"
	validation.MsgExpectedMinProperties = "must have at least %d members"
	validation.MsgExpectedMaxProperties = "must have at most %d members"
	validation.MsgExpectedRFC3339DateTime = "must be an ISO 8601 date and time with zone"
	validation.MsgExpectedRFC3339Date = "must be a date, yyyy-mm-dd"
	validation.MsgExpectedRFC3339Time = "must be a time"
	validation.MsgExpectedRFC5322Email = "must be an e-mail address"
	validation.MsgExpectedRFC3986URI = "must be a URI"
	validation.MsgExpectedRFC4122UUID = "must be a UUID"
	huma.ErrorFormatter = formatProblem
}

// formatProblem writes numbers without exponents and leaves out the arguments that
// a message has no place for, such as the cause of a failed parse.
func formatProblem(format string, args ...any) string {
	args = slices.Clone(args[:min(len(args), strings.Count(format, "%"))])
	for i, a := range args {
		if n, ok := a.(float64); ok {
			args[i] = strconv.FormatFloat(n, 'f', -1, 64)
		}
	}
	return fmt.Sprintf(format, args...)
}

// faultOf is what huma has found, as a fault.
func faultOf(status int, message string, errs []error) error {
	if status >= http.StatusInternalServerError {
		return errors.Join(append(errs, errors.New(message))...)
	}
	var fields fault.Fields
	if message == noBody {
		fields.Add("body", "is required")
	}
	for _, err := range errs {
		var own *fault.Error // of a Resolver of the input type
		if errors.As(err, &own) {
			if len(own.Details) == 0 {
				return own
			}
			fields = append(fields, own.Details...)
			continue
		}
		fields = append(fields, detailOf(err))
	}
	if len(fields) == 0 {
		return fault.New(fault.BadRequest, "%s", message)
	}
	return fields.InOrder().Err()
}

func detailOf(err error) fault.Detail {
	var d *huma.ErrorDetail
	if !errors.As(err, &d) {
		return fault.Detail{Field: "body", Problem: "is wrong"}
	}
	field, problem := fieldName(d.Location), d.Message
	if name, ok := strings.CutPrefix(problem, missing); ok {
		name, because, _ := strings.Cut(name, ",")
		return fault.Detail{Field: join(field, name), Problem: strings.TrimSuffix("is required,"+because, ",")}
	}
	if _, undecoded := d.Value.(string); undecoded && d.Location == "body" {
		problem = "has a value that cannot be read" // huma quotes the decoder and its types
	}
	return fault.Detail{Field: field, Problem: plain(problem)}
}

// plain rewords the few messages that huma does not let one replace.
func plain(problem string) string {
	switch {
	case strings.HasPrefix(problem, "required ") && strings.HasSuffix(problem, " parameter is missing"):
		return "is required"
	case problem == "invalid integer":
		return "must be a whole number"
	case problem == "invalid float", problem == "invalid floating value":
		return "must be a number"
	case problem == "invalid boolean":
		return "must be true or false"
	case strings.HasPrefix(problem, "invalid date/time"):
		return "must be an ISO 8601 date and time"
	}
	return problem
}

// fieldName is the name as the caller knows it: body.timers.toneTimeoutMs is
// timers.toneTimeoutMs, query.limit is limit.
func fieldName(location string) string {
	for _, place := range []string{"body.", "query.", "path.", "header.", "cookie.", "form."} {
		if name, ok := strings.CutPrefix(location, place); ok {
			return name
		}
	}
	if item, ok := strings.CutPrefix(location, "body["); ok { // the body is a list
		return "[" + item
	}
	return location
}

func join(parent, name string) string {
	if parent == "" || parent == "body" {
		return name
	}
	return parent + "." + name
}
