package runtime

import (
	"reflect"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/parley-platform/parley/domain/connections"
)

// What a session that came by a connection has as its channel, lists can be asked for.
func TestSessionsAreListedByEachKindOfConnection(t *testing.T) {
	field, ok := reflect.TypeFor[listSessionsIn]().FieldByName("Channel")
	require.True(t, ok)
	require.Subset(t, strings.Split(field.Tag.Get("enum"), ","), connections.Slugs())
}
