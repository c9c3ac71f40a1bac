package privacy

import (
	"errors"
	"fmt"
	"strings"

	"github.com/parley-platform/parley/cmd/parley/api"
)

// who names a person.
type who struct {
	Telephone []string `help:"A number of the person, with the country code; may be given again." env:"-" placeholder:"NUMBER"`
	Email     []string `help:"An e-mail address of the person." env:"-" placeholder:"ADDRESS"`
	SIP       []string `name:"sip" help:"A SIP address of the person." env:"-" placeholder:"ADDRESS"`
	External  []string `help:"Your own id of the person, such as userId of a transfer." env:"-" placeholder:"ID"`
}

// identity is one as the API takes it.
type identity struct {
	Kind  string `json:"kind"`
	Value string `json:"value"`
}

func (c who) identities() (all []identity) {
	for _, of := range []struct {
		kind   string
		values []string
	}{{"telephone", c.Telephone}, {"email", c.Email}, {"sip", c.SIP}, {"external", c.External}} {
		for _, value := range of.values {
			all = append(all, identity{of.kind, value})
		}
	}
	return all
}

// named says a refusal by the flags, as nobody knows here which place one has in the request.
func (c who) named(err error) error {
	var r *api.Refusal
	if !errors.As(err, &r) {
		return err
	}
	for n, i := range c.identities() {
		field, flag := fmt.Sprintf("identities[%d].value", n), fmt.Sprintf("--%s %q", i.Kind, i.Value)
		r.Fault.Message = strings.ReplaceAll(r.Fault.Message, field, flag)
		for d := range r.Fault.Details {
			r.Fault.Details[d].Field = strings.ReplaceAll(r.Fault.Details[d].Field, field, flag)
		}
	}
	return err
}
