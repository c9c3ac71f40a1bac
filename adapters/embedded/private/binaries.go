package private

import (
	"context"
	"fmt"
	"log/slog"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
)

// oldestMajor is the oldest Postgres that Parley's SQL is written for.
const oldestMajor = 15

// binaries are the programs of one Postgres version.
type binaries struct {
	dir   string
	major int
}

func (b binaries) postgres() string { return filepath.Join(b.dir, "postgres") }
func (b binaries) initdb() string   { return filepath.Join(b.dir, "initdb") }

// findBinaries chooses the machine's own Postgres: the first in PATH, else the
// newest of Debian's folders, but always the version that the cluster was made
// with, since no other can open it. Where there is none it is fetched.
func findBinaries(ctx context.Context, f folder, log *slog.Logger) (binaries, error) {
	want, err := clusterMajor(f)
	if err != nil {
		return binaries{}, err
	}
	var unfit []string
	for _, dir := range candidates() {
		b, err := inspect(ctx, dir)
		if err != nil {
			continue
		}
		if b.major >= oldestMajor && (want == 0 || b.major == want) {
			return b, nil
		}
		unfit = append(unfit, fmt.Sprintf("%d in %s", b.major, dir))
	}
	b, err := fetchBinaries(ctx, f, want, log)
	if err != nil {
		return binaries{}, noBinaries(f, want, unfit, err)
	}
	return b, nil
}

// candidates are the folders that hold both programs, in the order of preference.
func candidates() []string {
	var dirs []string
	add := func(dir string) {
		if dir, err := filepath.EvalSymlinks(filepath.Join(dir, "postgres")); err == nil {
			dir = filepath.Dir(dir)
			if isProgram(filepath.Join(dir, "initdb")) && !slices.Contains(dirs, dir) {
				dirs = append(dirs, dir)
			}
		}
	}
	if program, err := exec.LookPath("postgres"); err == nil {
		add(filepath.Dir(program))
	}
	debian, _ := filepath.Glob("/usr/lib/postgresql/*/bin")
	slices.SortFunc(debian, func(a, b string) int { return folderMajor(b) - folderMajor(a) })
	for _, dir := range debian {
		add(dir)
	}
	return dirs
}

func folderMajor(bin string) int {
	major, _ := strconv.Atoi(filepath.Base(filepath.Dir(bin)))
	return major
}

func isProgram(path string) bool {
	info, err := os.Stat(path)
	return err == nil && !info.IsDir() && info.Mode()&0o111 != 0
}

// inspect asks the server program for its version: "postgres (PostgreSQL) 15.13 (...)".
func inspect(ctx context.Context, dir string) (binaries, error) {
	b := binaries{dir: dir}
	out, err := exec.CommandContext(ctx, b.postgres(), "--version").Output()
	if err != nil {
		return b, err
	}
	_, version, _ := strings.Cut(string(out), "(PostgreSQL) ")
	digits := strings.IndexFunc(version, func(r rune) bool { return r < '0' || r > '9' })
	if digits < 1 {
		return b, fmt.Errorf("%s: unknown version %q", dir, out)
	}
	b.major, err = strconv.Atoi(version[:digits])
	return b, err
}

// clusterMajor is the version that the cluster was made with, 0 when there is none.
func clusterMajor(f folder) (int, error) {
	if !f.hasCluster() {
		return 0, nil
	}
	path := filepath.Join(f.cluster(), "PG_VERSION")
	text, err := os.ReadFile(path)
	if err != nil {
		return 0, err
	}
	major, err := strconv.Atoi(strings.TrimSpace(string(text)))
	if err != nil {
		return 0, fmt.Errorf("%s: %w; delete %s: the read models come back from the log", path, err, f.home)
	}
	return major, nil
}

func noBinaries(f folder, want int, unfit []string, cause error) error {
	found := "none on this machine"
	if len(unfit) > 0 {
		found = "only version " + strings.Join(unfit, ", ")
	}
	if want != 0 {
		return fmt.Errorf("%s was made by Postgres %d, and there is %s; install that version, or delete the folder and start again "+
			"(the read models come back from the log): %w", f.home, want, found, cause)
	}
	return fmt.Errorf("Postgres %d or newer is needed, and there is %s; install it (Debian: apt-get install postgresql), "+
		"or name a server with --database-url: %w", oldestMajor, found, cause)
}
