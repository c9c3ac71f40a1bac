package embedded

import (
	"errors"
	"fmt"
	"net"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/parley-platform/parley/adapters/embedded/datafolder"
)

// addressFile holds the address of the broker of a folder, as its clients are told it.
const addressFile = "address"

// noteAddress leaves it for those who look for the broker; a fixed port is not the one
// that the folder remembers for itself.
func noteAddress(dir, address string) error {
	return datafolder.Note(filepath.Join(dir, addressFile), address)
}

// notedAddress is the last one that was noted, else loopback with the port that the
// folder remembers, as of a version that noted none; empty when there is neither.
func notedAddress(dir string) string {
	text, err := os.ReadFile(filepath.Join(dir, addressFile))
	if address := strings.TrimSpace(string(text)); err == nil {
		if _, _, err := net.SplitHostPort(address); err == nil {
			return address
		}
	}
	if port := datafolder.RememberedPort(dir); port != 0 {
		return "127.0.0.1:" + strconv.Itoa(port)
	}
	return ""
}

// BrokerAt is the address of the broker that another process runs in the folder, a free
// port or that of --kafka-listen, and its generated login; nil for one of a version that
// had none.
func BrokerAt(dir string) (address string, login *Login, err error) {
	address = notedAddress(dir)
	if address == "" {
		return "", nil, fmt.Errorf("%s does not say where its broker listens (files address and port): name it with --kafka-brokers", dir)
	}
	found, err := LoginAt(dir)
	if errors.Is(err, os.ErrNotExist) {
		return address, nil, nil
	}
	return address, &found, err
}
