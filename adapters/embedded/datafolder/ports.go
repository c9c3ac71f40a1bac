package datafolder

import (
	"errors"
	"fmt"
	"log/slog"
	"math/rand/v2"
	"net"
	"os"
	"path/filepath"
	"strconv"
	"strings"
)

// First choices lie below the range from which the operating system takes the
// local ports of outgoing connections: a port from that range is often taken
// when its owner comes back for it after a restart.
const (
	firstPort = 20000
	lastPort  = 29999
	portFile  = "port"
)

// ListenLoopback is ListenOn where nobody but this machine gets in.
func ListenLoopback(dir, address string, log *slog.Logger) (net.Listener, error) {
	host, port, err := loopback(address)
	if err != nil {
		return nil, err
	}
	return ListenOn(dir, host, port, log)
}

// ListenOn listens on a port. 0 means the port that the folder remembers, else a
// free one, which the folder remembers from then on, so that what was configured
// against it (a consumer, a dev.env) outlives a restart.
func ListenOn(dir, host string, port int, log *slog.Logger) (net.Listener, error) {
	if port != 0 {
		l, err := net.Listen("tcp", net.JoinHostPort(host, strconv.Itoa(port)))
		if err != nil {
			return nil, fmt.Errorf("%w; choose another port, or 0 for any free one", err)
		}
		return l, nil
	}
	l, err := rememberedOrFree(dir, host, log)
	if err != nil {
		return nil, err
	}
	return l, rememberPort(dir, l.Addr().(*net.TCPAddr).Port)
}

func rememberedOrFree(dir, host string, log *slog.Logger) (net.Listener, error) {
	if port := RememberedPort(dir); port != 0 {
		l, err := net.Listen("tcp", net.JoinHostPort(host, strconv.Itoa(port)))
		if err == nil {
			return l, nil
		}
		log.Warn("the port of this data folder is taken by another process, choosing a free one",
			"folder", dir, "port", port, "error", err)
	}
	for range 32 {
		port := firstPort + rand.IntN(lastPort-firstPort+1)
		if l, err := net.Listen("tcp", net.JoinHostPort(host, strconv.Itoa(port))); err == nil {
			return l, nil
		}
	}
	return net.Listen("tcp", net.JoinHostPort(host, "0"))
}

// loopback splits address and refuses any that another machine could reach: there
// the embedded parts speak with TLS and passwords only.
func loopback(address string) (host string, port int, err error) {
	host, port, err = SplitAddress(address)
	if err != nil {
		return "", 0, err
	}
	if host == "localhost" {
		return "127.0.0.1", port, nil
	}
	if ip := net.ParseIP(host); ip == nil || !ip.IsLoopback() {
		return "", 0, fmt.Errorf("listen address %q: the embedded broker listens on loopback only (127.0.0.1, ::1, localhost), "+
			"because any other address needs TLS and SASL: give it a certificate and a user (--kafka-cert, --kafka-key, --kafka-user, "+
			"--kafka-password-file), "+
			"or run Apache Kafka and name it with --kafka-brokers", address)
	}
	return host, port, nil
}

// SplitAddress reads HOST:PORT.
func SplitAddress(address string) (host string, port int, err error) {
	host, portText, err := net.SplitHostPort(address)
	if err != nil {
		return "", 0, fmt.Errorf("listen address %q: want HOST:PORT, such as 127.0.0.1:0: %w", address, err)
	}
	port, err = strconv.Atoi(portText)
	if err != nil || port < 0 || port > 65535 {
		return "", 0, fmt.Errorf("listen address %q: the port must be a number from 0 to 65535", address)
	}
	return host, port, nil
}

// PortOf is where a listener listens.
func PortOf(l net.Listener) int { return l.Addr().(*net.TCPAddr).Port }

// RememberedPort is the port that the folder remembers; 0 when it remembers none.
func RememberedPort(dir string) int {
	text, err := os.ReadFile(filepath.Join(dir, portFile))
	if err != nil {
		return 0
	}
	port, err := strconv.Atoi(strings.TrimSpace(string(text)))
	if err != nil || port < 1 || port > 65535 {
		return 0
	}
	return port
}

func rememberPort(dir string, port int) error {
	if RememberedPort(dir) == port {
		return nil
	}
	return wrapped("remember the port", Note(filepath.Join(dir, portFile), strconv.Itoa(port)))
}

// Note writes a line that must survive a kill as it was or as it is now: half a port
// is another port, and half a password opens nothing.
func Note(path, line string) error {
	f, err := os.CreateTemp(filepath.Dir(path), filepath.Base(path)+".new-*") // mode 0600
	if err != nil {
		return err
	}
	_, err = f.WriteString(line + "\n")
	if err = errors.Join(err, f.Sync(), f.Close()); err == nil {
		err = os.Rename(f.Name(), path)
	}
	if err != nil {
		_ = os.Remove(f.Name())
	}
	return err
}

func wrapped(what string, err error) error {
	if err == nil || errors.Is(err, net.ErrClosed) {
		return nil
	}
	return fmt.Errorf("%s: %w", what, err)
}
