package blob

import (
	"context"
	"errors"
	"io/fs"
	"log/slog"
	"os"
	"regexp"
	"time"
)

// A process that is killed while it writes a blob leaves the part that it had written, under
// the name of a newFile. Nothing names that file, so no erasure would find it: it is removed.

// newFile is how a file is called while its content is written, as os.CreateTemp takes it.
const newFile = ".new-*"

var isNewFile = regexp.MustCompile(`^\.new-[0-9]+$`)

// abandoned is for how long nobody has written to a file of whose writer we take it that it is
// gone. A blob takes seconds; a writer that sleeps for longer gets an error, and puts again.
const abandoned = time.Hour

// Tidy removes what writers that were killed have left, of this process and of others that
// use the storage. Where some may still be written it looks again later, so a process that
// was killed and started again at once removes its own, too. It returns when nothing of
// the kind is left, or when ctx ends.
func (s *Store) Tidy(ctx context.Context, log *slog.Logger) {
	for {
		removed, left, err := s.in.tidy(ctx)
		if ctx.Err() != nil {
			return
		}
		if removed > 0 {
			log.Info("removed files of the blob storage that were never finished: whoever wrote them was killed", "files", removed)
		}
		if err != nil {
			log.Warn("searching the blob storage for files that were never finished failed, trying again in an hour", "error", err)
		} else if left == 0 {
			return
		}
		select {
		case <-ctx.Done():
			return
		case <-time.After(abandoned):
		}
	}
}

// tidy has nothing to do: a bucket shows whole objects only.
func (*bucket) tidy(context.Context) (removed, left int, err error) { return 0, 0, nil }

func (f folder) tidy(ctx context.Context) (removed, left int, err error) {
	root, err := os.OpenRoot(f.path) // no link that somebody lays leads out of it
	if err != nil {
		return 0, 0, err
	}
	defer func() { _ = root.Close() }()
	names, err := unfinished(ctx, root)
	if len(names) == 0 {
		return 0, 0, err
	}
	now, clockErr := f.now()
	if clockErr != nil {
		return 0, len(names), errors.Join(err, clockErr)
	}
	for _, name := range names {
		info, statErr := root.Lstat(name)
		if statErr == nil && now.Sub(info.ModTime()) < abandoned {
			if info.Size() > 0 { // an empty one holds nothing of anybody: it is another node's look at the clock
				left++
			}
			continue
		}
		if statErr == nil {
			statErr = root.Remove(name)
		}
		switch {
		case statErr == nil:
			removed++
		case !errors.Is(statErr, fs.ErrNotExist): // then it got its name, or another node was here first
			err = errors.Join(err, statErr)
		}
	}
	return removed, left, err
}

// unfinished are the files that have not got their name. A folder that cannot be read
// does not keep us from the others.
func unfinished(ctx context.Context, root *os.Root) (names []string, err error) {
	walkErr := fs.WalkDir(root.FS(), ".", func(path string, entry fs.DirEntry, pathErr error) error {
		switch {
		case ctx.Err() != nil:
			return ctx.Err()
		case pathErr != nil && !errors.Is(pathErr, fs.ErrNotExist):
			err = errors.Join(err, pathErr)
		case pathErr == nil && entry.Type().IsRegular() && isNewFile.MatchString(entry.Name()):
			names = append(names, path)
		}
		return nil
	})
	return names, errors.Join(err, walkErr)
}

// now is the time by the clock that the folder's files are dated by: on a mount that is the
// file server's, and may be far from this machine's.
func (f folder) now() (time.Time, error) {
	file, err := os.CreateTemp(f.path, newFile)
	if err != nil {
		return time.Time{}, err
	}
	info, err := file.Stat()
	if err = errors.Join(err, file.Close(), os.Remove(file.Name())); err != nil {
		return time.Time{}, err
	}
	return info.ModTime(), nil
}
