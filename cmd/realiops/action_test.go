package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"go.yaml.in/yaml/v3"

	"github.com/realiops/realiops/internal/test/servertest"
)

// The action's last step, as a code host would run it, holds a statement to a budget that it meets and to one that it does not.
func TestAction(t *testing.T) {
	t.Parallel()
	text, err := os.ReadFile(filepath.Join("..", "..", "action.yml"))
	if err != nil {
		t.Fatal(err)
	}
	var action struct {
		Runs struct {
			Steps []struct {
				Run string            `yaml:"run"`
				Env map[string]string `yaml:"env"`
			} `yaml:"steps"`
		} `yaml:"runs"`
	}
	if err := yaml.Unmarshal(text, &action); err != nil {
		t.Fatal(err)
	}
	step := action.Runs.Steps[len(action.Runs.Steps)-1]
	endpoint := servertest.Alone(t, "17")
	boss := servertest.Connect(t, endpoint)
	servertest.Exec(t, boss, "create table t (id int)")
	if err := boss.Close(t.Context()); err != nil { // open, it might report what it did up to ten seconds later
		t.Fatal(err)
	}
	bin := programIn(t)
	for limit, status := range map[string]int{"rows=1": 0, "rows=0": 4} {
		summary := filepath.Join(t.TempDir(), "summary.md")
		c := exec.CommandContext(t.Context(), "bash", "-e", "-o", "pipefail", "-c", step.Run)
		c.Env = append(os.Environ(), "PATH="+bin+":"+os.Getenv("PATH"), "GITHUB_STEP_SUMMARY="+summary)
		for name := range step.Env {
			c.Env = append(c.Env, name+"=")
		}
		c.Env = append(c.Env, "DSN="+endpoint.Config().ConnString(), "SQL=insert into t values (1)", "REPETITIONS=2", "MAX="+limit)
		out, _ := c.CombinedOutput()
		told, err := os.ReadFile(summary)
		if err != nil || c.ProcessState.ExitCode() != status || !strings.Contains(string(told), "| rows | 1 | 1 | 1 |") {
			t.Errorf("%s: exit status %d, want %d, %v\n%s%s", limit, c.ProcessState.ExitCode(), status, err, out, told)
		}
		if failed := strings.Contains(string(out), "::error title=realiops measure::realiops: over the budget: rows: 1 a run, and at most 0"); failed != (status != 0) {
			t.Errorf("%s: annotated %v\n%s", limit, failed, out)
		}
	}
}
