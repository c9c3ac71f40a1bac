package embedded

import (
	"errors"
	"fmt"
	"github.com/parley-platform/parley/adapters/embedded/datafolder"
	"os"
	"strconv"
)

// BrokerAt is the address of the broker that another process runs in the folder, a
// loopback address with the port that the folder remembers, and its generated login;
// nil for one of a version that had none.
func BrokerAt(dir string) (address string, login *Login, err error) {
	port := datafolder.RememberedPort(dir)
	if port == 0 {
		return "", nil, fmt.Errorf("%s does not say where its broker listens: name it with --kafka-brokers", dir)
	}
	address = "127.0.0.1:" + strconv.Itoa(port)
	found, err := LoginAt(dir)
	if errors.Is(err, os.ErrNotExist) {
		return address, nil, nil
	}
	return address, &found, err
}
