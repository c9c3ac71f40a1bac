package document

import (
	"fmt"
	"net/http"
	"reflect"

	"github.com/danielgtaylor/huma/v2"
)

// Webhook is a request that the service makes, for the document alone: nothing here sends
// it. Those who send it are reactors.
type Webhook struct {
	Name        string // unique, kebab-case: "call-answered"
	Summary     string
	Description string // when it is sent, and where

	Path    string // of the POST operation that names the address
	Address string // where in the request it does, as OpenAPI says it: "$request.body#/notifyurl"
}

// DescribeWebhook adds a webhook whose body is what a B becomes as JSON: to the document, and
// as a callback to the operation that it comes of.
func DescribeWebhook[B any](d *huma.OpenAPI, hook Webhook) {
	if hook.Name == "" || hook.Summary == "" || hook.Description == "" || d.Webhooks[hook.Name] != nil {
		panic(fmt.Sprintf("document: webhook %q needs a name of its own, a summary and a description", hook.Name))
	}
	schema := d.Components.Schemas.Schema(reflect.TypeFor[B](), true, hook.Name)
	d.Webhooks[hook.Name] = &huma.PathItem{Post: hook.operation("on-"+hook.Name, schema)}
	asked := d.Paths[hook.Path].Post
	if asked.Callbacks == nil {
		asked.Callbacks = map[string]map[string]*huma.PathItem{}
	}
	asked.Callbacks[hook.Name] = map[string]*huma.PathItem{"{" + hook.Address + "}": {Post: hook.operation(hook.Name+"-callback", schema)}}
}

func (hook Webhook) operation(id string, schema *huma.Schema) *huma.Operation {
	header := func(name, doc string) *huma.Param {
		return &huma.Param{Name: name, In: "header", Required: true, Description: doc, Schema: &huma.Schema{Type: huma.TypeString}}
	}
	again := fmt.Sprintf("%d and %d are tried again for an hour. Any other ends this one as undelivered; then the next one is sent.",
		http.StatusRequestTimeout, http.StatusTooManyRequests)
	return &huma.Operation{
		OperationID: id, Summary: hook.Summary, Description: hook.Description, Tags: []string{NotificationsTag},
		Security: []map[string][]string{}, // the signature is all: who receives it may ask for headers of his own
		Parameters: []*huma.Param{
			header("SAVG-Signature", "`t=<unix seconds>,v1=<hex>`: the HMAC-SHA256 of `<t>.<body>` under the project's webhook secret. While a "+
				"secret is replaced there is one v1 for each."),
			header("X-Delivery-Id", "The same on every attempt."),
		},
		RequestBody: &huma.RequestBody{Required: true, Content: map[string]*huma.MediaType{"application/json": {Schema: schema}}},
		Responses: map[string]*huma.Response{
			"2XX": {Description: "It is delivered."}, "4XX": {Description: again}, "5XX": {Description: "It is tried again for an hour."},
		},
	}
}
