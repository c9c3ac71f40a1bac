package private

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
)

// elsewhere is where a root-run server lives when the account it drops to cannot
// reach the data folder, as in a clone under /root.
const elsewhere = "/var/lib/parley"

const (
	locationFile = "LOCATION" // in the data folder: where the home is
	originFile   = "ORIGIN"   // in the home: whose it is
)

// openFolder finds the folder in which the server of dir lives. It changes hands once
// nothing works in it any more.
func openFolder(dir string, log *slog.Logger) (folder, error) {
	dir, err := absolute(dir)
	if err != nil {
		return folder{}, err
	}
	owner, err := serverAccount()
	if err != nil {
		return folder{}, err
	}
	f := folder{home: dir, owner: owner}
	blocked, err := owner.blockedAt(dir)
	if err != nil {
		return folder{}, err
	}
	if blocked != "" {
		if f.home, err = moveElsewhere(dir, blocked, owner, log); err != nil {
			return folder{}, err
		}
	}
	return f, nil
}

// give makes the folder that of the account that the server runs as.
func (f folder) give() error {
	if err := f.owner.own(f.home); err != nil {
		return fmt.Errorf("give %s to the user %s: %w", f.home, f.owner.name, err)
	}
	return nil
}

func absolute(dir string) (string, error) {
	dir, err := filepath.Abs(dir)
	if err != nil {
		return "", err
	}
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return "", err
	}
	return filepath.EvalSymlinks(dir)
}

// moveElsewhere gives the server a home that its account can reach. A note in the
// data folder names the home, and a note in the home names the data folder.
func moveElsewhere(dir, blocked string, owner *account, log *slog.Logger) (string, error) {
	if err := os.MkdirAll(elsewhere, 0o755); err != nil {
		return "", unreachable(dir, blocked, owner, err)
	}
	if err := clearAbandoned(owner, log); err != nil {
		return "", err
	}
	sum := sha256.Sum256([]byte(dir))
	home := filepath.Join(elsewhere, "postgres-"+hex.EncodeToString(sum[:6]))
	if err := os.MkdirAll(home, 0o700); err != nil {
		return "", unreachable(dir, blocked, owner, err)
	}
	if still, err := owner.blockedAt(home); err != nil || still != "" {
		return "", unreachable(dir, blocked, owner, err)
	}
	// The data folder's note first: a home that says whose it is but is not known
	// there would be cleared by another process that starts now.
	err := errors.Join(
		os.WriteFile(filepath.Join(dir, locationFile), []byte(home+"\n"), 0o600),
		os.WriteFile(filepath.Join(home, originFile), []byte(dir+"\n"), 0o600))
	if err != nil {
		return "", err
	}
	log.Info("the read models live outside of the data folder, which the user of Postgres cannot reach",
		"user", owner.name, "blocked", blocked, "folder", home)
	return home, nil
}

// clearAbandoned deletes the homes whose data folder is gone, or is a new one of
// the same path: its log is another log, and what a server derived from the old one
// is of no use to anyone.
func clearAbandoned(owner *account, log *slog.Logger) error {
	homes, err := filepath.Glob(filepath.Join(elsewhere, "postgres-*"))
	if err != nil {
		return err
	}
	for _, home := range homes {
		origin, err := os.ReadFile(filepath.Join(home, originFile))
		if err != nil {
			continue
		}
		note, err := os.ReadFile(filepath.Join(strings.TrimSpace(string(origin)), locationFile))
		if err == nil && strings.TrimSpace(string(note)) == home {
			continue
		}
		log.Info("clearing what a deleted data folder left behind", "folder", home, "of", strings.TrimSpace(string(origin)))
		if err := errors.Join(stopLeftovers(folder{home: home, owner: owner}, log), os.RemoveAll(home)); err != nil {
			return err
		}
	}
	return nil
}

func unreachable(dir, blocked string, owner *account, cause error) error {
	err := fmt.Errorf("the user %s, as whom Postgres runs because this process is root, cannot pass through %s to %s; "+
		"allow it (chmod o+x %s), choose a --data folder that everyone can reach, or run as an ordinary user",
		owner.name, blocked, dir, blocked)
	if cause != nil {
		return fmt.Errorf("%w (%w)", err, cause)
	}
	return err
}
