package fio

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os/exec"
	"regexp"
	"strconv"
	"strings"
	"time"

	"github.com/realiops/realiops/internal/measure/supervisor"
	"github.com/realiops/realiops/internal/printable"
)

// Program is a machine's fio.
type Program struct {
	Path    string
	Version string // 3.33
}

// The oldest supported fio: it times flushes separately from writes.
const oldestMajor, oldestMinor = 3, 7

const howToGet = "install it with apt install fio (Debian, Ubuntu), dnf install fio (Fedora, RHEL) or brew " +
	"install fio (macOS)"

var versionForm = regexp.MustCompile(`^fio-((\d+)\.(\d+)\S*)`)

// Find finds fio and its version. An empty name means the one in the PATH.
func Find(ctx context.Context, name string) (Program, error) {
	if err := supervisor.Supported(); err != nil {
		return Program{}, fmt.Errorf("run fio: %w", err)
	}
	path, err := exec.LookPath(cmp.Or(name, "fio"))
	if errors.Is(err, exec.ErrNotFound) {
		return Program{}, fmt.Errorf("fio is not installed; %s", howToGet)
	}
	if err != nil {
		return Program{}, fmt.Errorf("find fio: %w", err)
	}
	const within = 10 * time.Second
	asking, cancel := context.WithTimeoutCause(ctx, within, fmt.Errorf("no answer within %s", printable.Duration(within)))
	defer cancel()
	c := exec.CommandContext(asking, path, "--version")
	c.WaitDelay = time.Second // a wrapper's children may hold its output open
	output, err := c.Output()
	switch {
	case ctx.Err() != nil:
		return Program{}, context.Cause(ctx)
	case asking.Err() != nil:
		return Program{}, fmt.Errorf("ask %s for its version: %w", path, context.Cause(asking))
	case err != nil:
		return Program{}, fmt.Errorf("ask %s for its version: %w", path, err)
	}
	version, err := versionOf(path, strings.TrimSpace(string(output)))
	return Program{Path: path, Version: version}, err
}

// versionOf returns 3.33 for fio-3.33, if that is recent enough.
func versionOf(path, output string) (string, error) {
	parts := versionForm.FindStringSubmatch(output)
	if parts == nil {
		return "", fmt.Errorf("%s is not fio: its version is %.60q", path, output)
	}
	major, _ := strconv.Atoi(parts[2]) // digits by the form
	minor, _ := strconv.Atoi(parts[3])
	if major < oldestMajor || major == oldestMajor && minor < oldestMinor {
		return "", fmt.Errorf("%s is fio %s, but timing flushes needs %d.%d or newer; %s", path, parts[1], oldestMajor,
			oldestMinor, howToGet)
	}
	return parts[1], nil
}
