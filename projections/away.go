package projections

import (
	"errors"

	"github.com/jackc/pgx/v5/pgconn"
)

// Away is whether an error is that Postgres was not reached. The driver tells then where it was looked for and as whom,
// which is for the node's log and not for those who ask how the node is.
func Away(err error) bool {
	var away *pgconn.ConnectError
	return errors.As(err, &away)
}

// Plainly is an error as anybody may read it who asks how the node is.
func Plainly(err error) string {
	if Away(err) {
		return "the database does not answer"
	}
	return err.Error()
}
