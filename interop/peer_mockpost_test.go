//go:build interop

package interop

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// mockpostPython is what runs mockpost, with all that tools/mockpost.txt names.
var mockpostPython = sync.OnceValues(func() (string, error) {
	dir := filepath.Join(repository, ".tools", "interop", "mockpost")
	err := quietly(repository, "scripts/pinned.sh", "venv", dir, filepath.Join("interop", "tools", "mockpost.txt"))
	return filepath.Join(dir, "bin", "python"), err
})

// mockpost is the address of a server that plays several platforms, which ends with the tests. Its ports are free ones:
// those that are not asked for too.
var mockpost = sync.OnceValues(func() (string, error) {
	python, err := mockpostPython()
	if err != nil {
		return "", err
	}
	dir := filepath.Join(scratch, "mockpost")
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return "", err
	}
	said, err := os.Create(filepath.Join(dir, "said"))
	if err != nil {
		return "", err
	}
	defer func() { _ = said.Close() }()
	cmd := exec.Command(python, "-m", "uvicorn", "mockpost.main:app", "--host", "127.0.0.1", "--port", "0", "--no-access-log")
	cmd.Dir, cmd.Stdout, cmd.Stderr = dir, said, said
	cmd.Env = append(os.Environ(), "MOCKPOST_SMTP_PORT=0", "MOCKPOST_FTP_PORT=0", "MOCKPOST_FTPS_PORT=0", "MOCKPOST_FTPS_IMPLICIT_PORT=0",
		"MOCKPOST_SFTP_PORT=0")
	if err := cmd.Start(); err != nil {
		return "", err
	}
	endsWithTests(cmd)
	var text []byte
	for end := time.Now().Add(patience); time.Now().Before(end); time.Sleep(50 * time.Millisecond) {
		if text, err = os.ReadFile(said.Name()); err != nil {
			return "", err
		}
		if at := serves.FindSubmatch(text); at != nil {
			return string(at[1]), nil
		}
	}
	return "", fmt.Errorf("mockpost does not say where it is:\n%s", text)
})

var serves = regexp.MustCompile(`running on (http://127\.0\.0\.1:\d+)`)

// Given mockpost in the place of Telegram, WhatsApp and Twilio, when people talk by all three at once, then each of them
// has each reply once, in its order, in the form of their platform.
func TestPeerMockpost(t *testing.T) {
	t.Parallel()
	at, err := mockpost()
	require.NoError(t, err)
	s, err := startWith([]string{"TELEGRAM_BASE_URL=" + at + "/telegram", "WHATSAPP_BASE_URL=" + at + "/whatsapp", "TWILIO_BASE_URL=" + at +
		"/twilio"}, "several")
	require.NoError(t, err)
	python, err := mockpostPython()
	require.NoError(t, err)
	said := job{env: s.environ()}.run(t, python, filepath.Join("interop", "messengers", "several.py"), at)
	const greets, which, number = `"Hello, this is Acme support. How can I help you today?",
		"Is it about a meter, a trip, billing or something technical, or do you want a person?"`, "Which meter is it?",
		`"What is your 8-digit meter number?"`
	require.JSONEq(t, `{"telegram": [`+greets+`, "`+which+`", `+number+`], "whatsapp": [`+greets+`, {"text": "`+which+`"}, `+number+`],
		"sms": [`+greets+`, "`+which+`\n1. Electricity\n2. Gas\n3. Water", `+number+`]}`, said)
}
