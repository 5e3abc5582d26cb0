package embedded

import (
	"bytes"
	"errors"
	"io"
	"os/exec"
	"regexp"
	"strings"
	"sync"
)

// journalSize bounds the server's messages kept in memory: enough for a cause of death and its context.
const journalSize = 64 << 10 // bytes

// journal receives the messages of initdb and the server. It writes them to a file for users, and keeps the last ones
// in memory to explain the server's death, since a full disk may lose the file.
type journal struct {
	file io.WriteCloser // nil: no file

	mu   sync.Mutex
	tail []byte
}

// Write never fails: the server must not stop because its messages cannot be stored.
func (j *journal) Write(text []byte) (int, error) {
	j.mu.Lock()
	defer j.mu.Unlock()
	if j.file != nil {
		_, _ = j.file.Write(text)
	}
	j.tail = append(j.tail, text...)
	if excess := len(j.tail) - journalSize; excess > 0 {
		j.tail = append(j.tail[:0], j.tail[excess:]...)
	}
	return len(text), nil
}

// close closes the file, and keeps the messages in memory.
func (j *journal) close() {
	j.mu.Lock()
	defer j.mu.Unlock()
	if j.file != nil {
		j.file.Close()
	}
	j.file = nil
}

// forget clears the memory, so that a later complaint is about later messages.
func (j *journal) forget() {
	j.mu.Lock()
	defer j.mu.Unlock()
	j.tail = nil
}

func (j *journal) lines() []string {
	j.mu.Lock()
	defer j.mu.Unlock()
	return strings.Split(string(bytes.TrimSpace(j.tail)), "\n")
}

// explain replaces a program's exit error by its complaint, or else its last line.
func (j *journal) explain(err error) error {
	if _, ended := errors.AsType[*exec.ExitError](err); !ended {
		return err
	}
	lines := j.lines()
	for _, text := range []string{complaint(lines), lines[len(lines)-1]} {
		if text != "" {
			return errors.New(text)
		}
	}
	return err
}

// message matches a line of a server's log: time, process, severity, text. Before it has a log, the server begins lines
// with its name instead.
var message = regexp.MustCompile(`(?:^|\] |: )(PANIC|FATAL|ERROR|LOG|error|fatal|postgres):\s+(.*)`)

// telling lists the messages that explain an end, the clearest first. The last message of a kind counts.
var telling = []*regexp.Regexp{
	regexp.MustCompile(`^PANIC: `),
	regexp.MustCompile(`No space left on device`),
	regexp.MustCompile(`^LOG: .* was terminated by signal `),
	regexp.MustCompile(`^LOG: received (smart|fast|immediate) shutdown request`),
	regexp.MustCompile(`^FATAL: `),
	regexp.MustCompile(`^(error|fatal|postgres): `),
}

// inFile matches the file position in a complaint about a setting, which the user gave on the command line.
var inFile = regexp.MustCompile(` in file "[^"]*" line \d+`)

// complaint returns the one line that explains why a program ended, or "".
func complaint(lines []string) string {
	var said []string // severity: text
	for _, line := range lines {
		if m := message.FindStringSubmatch(line); m != nil {
			said = append(said, m[1]+": "+strings.TrimSpace(m[2]))
		}
	}
	if found, ok := aboutSettings(said); ok {
		return found
	}
	for _, pattern := range telling {
		for i := len(said) - 1; i >= 0; i-- {
			if pattern.MatchString(said[i]) {
				return textOf(said[i])
			}
		}
	}
	return ""
}

// aboutSettings finds the server's message before it rejects its configuration file as a whole.
func aboutSettings(said []string) (string, bool) {
	for i, s := range said {
		if i > 0 && strings.HasPrefix(s, "FATAL: configuration file ") && strings.HasSuffix(s, "contains errors") {
			return inFile.ReplaceAllString(textOf(said[i-1]), ""), true
		}
	}
	return "", false
}

func textOf(said string) string {
	_, text, _ := strings.Cut(said, ": ")
	return text
}
