package postgres

import (
	"cmp"
	"fmt"
	"io"
	"os"
	"os/user"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"syscall"
)

// longestFile bounds the bytes read of a service file or a password file.
const longestFile = 4 << 20 // bytes

// systemServices lists the directories in which distributions' libpq looks for
// pg_service.conf if PGSYSCONFDIR is not set.
var systemServices = []string{"/etc/postgresql-common", "/etc/sysconfig/pgsql", "/usr/local/pgsql/etc"}

// findService looks for a service as libpq does: in the file that is named or the user's, then in the system's.
// It refuses what libpq refuses.
func findService(name, file string) (found settings, ignored []string, path string, err error) {
	file = cmp.Or(file, os.Getenv("PGSERVICEFILE"))
	named := file != ""
	var places []string
	if named {
		places = []string{file}
	} else if own := userFile(".pg_service.conf", ".pg_service.conf"); own != "" {
		places = []string{own}
	}
	system := systemServices
	if directory := os.Getenv("PGSYSCONFDIR"); directory != "" {
		system = []string{directory}
	}
	for _, directory := range system {
		places = append(places, filepath.Join(directory, "pg_service.conf"))
	}
	for i, path := range places {
		text, err := readFile(path)
		if err != nil && named && i == 0 {
			return nil, nil, "", fmt.Errorf("failed to read service file: %s; %s", path, adviceOnServices)
		}
		if err != nil {
			continue
		}
		found, ignored, err = serviceIn(string(text), name, path)
		if found != nil || err != nil {
			return found, ignored, path, err
		}
	}
	return nil, nil, "", fmt.Errorf("definition of service %q not found; %s", name, adviceOnServices)
}

const adviceOnServices = "define services in ~/.pg_service.conf, or set PGSERVICEFILE"

// serviceIn parses like libpq's parseServiceFile: the first section of that name counts, and in
// it the first value of a keyword.
func serviceIn(text, name, path string) (found settings, ignored []string, err error) {
	inside, over, number := false, false, 0
	for line := range strings.Lines(text) {
		number++
		line = strings.Trim(line, spaces)
		switch keyword, value, pair := strings.Cut(line, "="); {
		case line == "" || line[0] == '#':
		case line[0] == '[':
			over = over || found != nil
			inside = strings.HasPrefix(line[1:], name+"]")
			if inside && found == nil {
				found = settings{}
			}
		case !inside:
		case over:
			ignored = append(ignored, canonical(strings.Trim(keyword, spaces)))
		case strings.HasPrefix(line, "ldap"):
			return nil, nil, fmt.Errorf("service file %q, line %d: LDAP is not supported", path, number)
		case keyword == "service":
			return nil, nil, fmt.Errorf("nested service specifications not supported in service file %q, line %d",
				path, number)
		case !pair || !known(keyword):
			return nil, nil, fmt.Errorf("syntax error in service file %q, line %d", path, number)
		default:
			if _, earlier := found[keyword]; !earlier {
				found[keyword] = value
			}
		}
	}
	ignored = slices.DeleteFunc(ignored, func(keyword string) bool { _, is := found[keyword]; return is })
	return found, ignored, nil
}

// readFile reads a file that may be large, or a pipe without a writer.
func readFile(path string) ([]byte, error) {
	f, err := openAtOnce(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	return io.ReadAll(io.LimitReader(f, longestFile))
}

// openAtOnce opens a file for reading without blocking.
func openAtOnce(path string) (*os.File, error) {
	flags := os.O_RDONLY
	if runtime.GOOS != "windows" {
		flags |= syscall.O_NONBLOCK
	}
	return os.OpenFile(path, flags, 0)
}

// userFile returns libpq's path of one of the user's files, or "" if there is none.
func userFile(name, onWindows string) string {
	if runtime.GOOS == "windows" {
		return filepath.Join(os.Getenv("APPDATA"), "postgresql", onWindows)
	}
	home, err := os.UserHomeDir()
	if err != nil || home == "" {
		me, err := user.Current()
		if err != nil {
			return ""
		}
		home = me.HomeDir
	}
	return filepath.Join(home, name)
}
