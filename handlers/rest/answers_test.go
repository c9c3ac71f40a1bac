package rest_test

import (
	"encoding/json"
	"strconv"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/parley-platform/parley/handlers/rest"
)

func TestAListOfAnAnswer(t *testing.T) {
	require.Equal(t, []string{"2", "1"}, rest.Shown([]int{2, 1}, strconv.Itoa))
	empty, err := json.Marshal(rest.Shown(nil, strconv.Itoa))
	require.NoError(t, err)
	require.Equal(t, "[]", string(empty), "never null")
	require.Equal(t, rest.Pagination{Total: 70, Limit: 50, Offset: 20}, rest.Page{Limit: 50, Offset: 20}.Of(70))
}
