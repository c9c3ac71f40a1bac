package acts_test

import "strings"

// sealed stands for the vault: what follows a question mark is secret.
func sealed(_, raw string) (bare, whole string, err error) {
	bare, _, secret := strings.Cut(raw, "?")
	if !secret {
		return raw, "", nil
	}
	return bare, "sealed " + raw, nil
}
