package container

import (
	"bytes"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"sync"
)

// remembered is how many last lines are searched for a cause.
const remembered = 20

// told is how many lines fit into an error.
const told = 3

// tail keeps the last lines written to it.
type tail struct {
	mu      sync.Mutex
	lines   []string
	partial []byte
}

// Write never fails.
func (t *tail) Write(p []byte) (int, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.partial = append(t.partial, p...)
	for {
		line, rest, found := bytes.Cut(t.partial, []byte("\n"))
		if !found {
			return len(p), nil
		}
		t.partial = rest
		t.keep(string(line))
	}
}

func (t *tail) keep(line string) {
	if line = strings.Join(strings.Fields(line), " "); line == "" {
		return
	}
	t.lines = append(t.lines, line)
	t.lines = t.lines[max(0, len(t.lines)-remembered):]
}

// explain adds the serious lines to an error, or the last ones if there are none.
func (t *tail) explain(err error) error {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.keep(string(t.partial))
	t.partial = nil
	lines := slices.DeleteFunc(slices.Clone(t.lines), func(line string) bool { return !grave.MatchString(line) })
	if len(lines) == 0 {
		lines = t.lines
	}
	if len(lines) == 0 {
		return err
	}
	return fmt.Errorf("%w; last output: %s", err, strings.Join(lines[max(0, len(lines)-told):], " | "))
}

// grave matches PostgreSQL's messages when it cannot go on.
var grave = regexp.MustCompile(`\b(FATAL|PANIC): `)
