package rest

// Services is everything the operations need. Its zero value can be declared too,
// for what only looks at the declarations, such as the OpenAPI document.
type Services struct {
	Keys         Keys
	Calls        Calls
	Interactions InteractionsAPI
	CallDetails  CallDetailsAPI
	Events       EventsAPI
	Admin        Applier
}

// Declare adds every operation to the API, in the order of the spec.
func (s Services) Declare(api *API) *API {
	DeclareKeys(api, s.Keys)
	DeclareCalls(api, s.Calls)
	DeclareInteractions(api, s.Interactions)
	DeclareCallDetails(api, s.CallDetails)
	DeclareEvents(api, s.Events)
	DeclareAdmin(api, s.Admin)
	return api
}
