package operation

import (
	"os"
	"os/exec"
	"strconv"
	"strings"
	"testing"
	"time"
)

// Processes that a command leaves behind are noticed, and so is their end; a command that starts none leaves none.
func TestProcessesThatAreLeftBehind(t *testing.T) {
	for _, c := range []struct {
		name, script string
		within       time.Duration
		ended        bool
	}{
		{"nothing", "true", time.Minute, true},
		{"for a moment", "sleep 0.1 >/dev/null & echo $!", time.Minute, true},
		{"for long", "sleep 600 >/dev/null & echo $!", time.Millisecond, false},
		{"a daemon for a moment", "setsid sh -c 'exec 3>&-; sleep 0.1 & exit' >/dev/null & wait", time.Minute, true},
		{"a daemon for long", "setsid sh -c 'exec 3>&-; sleep 600 >/dev/null & echo $!' & wait",
			time.Millisecond, false},
	} {
		var out strings.Builder
		command := exec.CommandContext(t.Context(), "sh", "-c", c.script)
		command.Stdout = &out
		f, err := newFamily(command)
		if err != nil {
			t.Fatal(err)
		}
		if err := f.run(command); err != nil {
			t.Fatal(err)
		}
		if ended := f.ended(t.Context(), c.within); ended != c.ended {
			t.Errorf("%s: ended %v", c.name, ended)
		}
		f.close()
		if pid, err := strconv.Atoi(strings.TrimSpace(out.String())); err == nil && !c.ended {
			if left, err := os.FindProcess(pid); err == nil {
				_ = left.Kill()
			}
		}
	}
}
