package operation

import (
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
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

// Who does not want to wait any longer kills what ignores the request to end, but no daemon.
func TestFamiliesThatDoNotEnd(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Skip("only /proc shows a family")
	}
	pids := filepath.Join(t.TempDir(), "pids")
	command := exec.CommandContext(t.Context(), "sh", "-c",
		"trap '' INT TERM; setsid sleep 600 & echo $! >>"+pids+"; sh -c 'sleep 600; true'")
	f, err := newFamily(command)
	if err != nil {
		t.Fatal(err)
	}
	defer f.close()
	ended := make(chan error, 1)
	go func() { ended <- f.run(command) }()
	for until := time.Now().Add(time.Minute); len(f.members()) < 4 && time.Now().Before(until); {
		time.Sleep(askEvery)
	}
	f.end(100 * time.Millisecond)
	if err := <-ended; err == nil || !strings.Contains(err.Error(), "killed") {
		t.Errorf("the command: %v", err)
	}
	for until := time.Now().Add(time.Minute); len(f.foreground()) > 0 && time.Now().Before(until); {
		time.Sleep(askEvery)
	}
	text, _ := os.ReadFile(pids)
	if left := f.members(); len(left) != 1 || left[0] != "/proc/"+strings.TrimSpace(string(text)) {
		t.Errorf("left are %q of %s", left, text)
	}
	if pid, err := strconv.Atoi(strings.TrimSpace(string(text))); err == nil {
		if daemon, err := os.FindProcess(pid); err == nil {
			_ = daemon.Kill()
		}
	}
}
