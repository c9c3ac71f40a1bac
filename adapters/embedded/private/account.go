package private

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/user"
	"path/filepath"
	"strconv"
	"syscall"
)

// account is whom the server runs as when this process is root: Postgres refuses
// to run as root.
type account struct {
	name     string
	uid, gid uint32
}

func serverAccount() (*account, error) {
	if os.Geteuid() != 0 {
		return nil, nil
	}
	for _, name := range []string{"postgres", "nobody"} {
		if u, err := user.Lookup(name); err == nil {
			return newAccount(u)
		}
	}
	return nil, errors.New("this process is root, Postgres refuses to run as root, and there is neither a user postgres nor nobody; " +
		"run as an ordinary user, or name a server with --database-url")
}

func newAccount(u *user.User) (*account, error) {
	uid, errUID := strconv.ParseUint(u.Uid, 10, 32)
	gid, errGID := strconv.ParseUint(u.Gid, 10, 32)
	if err := errors.Join(errUID, errGID); err != nil {
		return nil, fmt.Errorf("user %s: %w", u.Username, err)
	}
	return &account{name: u.Username, uid: uint32(uid), gid: uint32(gid)}, nil
}

// own gives the whole tree to the account. A tree made under another account (a
// run without a postgres user before the package was installed) changes hands too.
// What vanishes below root meanwhile belonged to a program that ends, such as an
// initdb whose starter was killed: it is not missed.
func (a *account) own(root string) error {
	if a == nil {
		return nil
	}
	return filepath.WalkDir(root, func(path string, entry fs.DirEntry, err error) error {
		if err == nil {
			err = a.ownEntry(path, entry)
		}
		if path != root && errors.Is(err, fs.ErrNotExist) {
			return nil
		}
		return err
	})
}

func (a *account) ownEntry(path string, entry fs.DirEntry) error {
	info, err := entry.Info()
	if err != nil {
		return err
	}
	if st := info.Sys().(*syscall.Stat_t); st.Uid == a.uid && st.Gid == a.gid {
		return nil
	}
	return os.Lchown(path, int(a.uid), int(a.gid))
}

// blockedAt returns the first folder above dir that the account may not pass
// through, or "" when it can reach dir.
func (a *account) blockedAt(dir string) (string, error) {
	if a == nil {
		return "", nil
	}
	for at := filepath.Dir(dir); ; at = filepath.Dir(at) {
		info, err := os.Stat(at)
		if err != nil {
			return "", err
		}
		if !a.mayPass(info) {
			return at, nil
		}
		if at == filepath.Dir(at) {
			return "", nil
		}
	}
}

func (a *account) mayPass(info fs.FileInfo) bool {
	st := info.Sys().(*syscall.Stat_t)
	switch {
	case st.Uid == a.uid:
		return info.Mode()&0o100 != 0
	case st.Gid == a.gid:
		return info.Mode()&0o010 != 0
	default:
		return info.Mode()&0o001 != 0
	}
}
