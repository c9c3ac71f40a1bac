package calls

import "encoding/json"

// Customer is who is called, as far as who asked for the dial-out said it in its
// metadata: the names that customerinfo of call details has.
type Customer struct {
	FirstName string `json:"firstName,omitempty" personal:"callee"`
	LastName  string `json:"lastName,omitempty" personal:"callee"`
	Email     string `json:"email,omitempty" personal:"callee"`
}

// maxCustomerText is the longest text that is taken, in bytes; what is longer is not a
// name.
const maxCustomerText = 512

// CustomerOf finds the customer in an object: CustomerFirstName or firstName, and so
// on, at its top or in its member contact. What is no text is passed over.
func CustomerOf(metadata json.RawMessage) Customer {
	var top map[string]json.RawMessage
	if json.Unmarshal(metadata, &top) != nil {
		return Customer{}
	}
	var contact map[string]json.RawMessage
	_ = json.Unmarshal(top["contact"], &contact) // one that is no object has no members
	find := func(names ...string) string {
		for _, members := range []map[string]json.RawMessage{top, contact} {
			for _, name := range names {
				var text string
				if json.Unmarshal(members[name], &text) == nil && text != "" && len(text) <= maxCustomerText {
					return text
				}
			}
		}
		return ""
	}
	return Customer{FirstName: find("CustomerFirstName", "firstName"), LastName: find("CustomerLastName", "lastName"),
		Email: find("CustomerEmail", "email")}
}
