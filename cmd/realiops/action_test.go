package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"go.yaml.in/yaml/v3"

	"github.com/realiops/realiops/internal/test/servertest"
)

// action holds the parts of action.yml that the tests look at.
type action struct {
	Inputs map[string]any `yaml:"inputs"`
	Runs   struct {
		Steps []struct {
			Uses string            `yaml:"uses"`
			Run  string            `yaml:"run"`
			With map[string]string `yaml:"with"`
			Env  map[string]string `yaml:"env"`
		} `yaml:"steps"`
	} `yaml:"runs"`
}

func parsedAction(t *testing.T) (text string, a action) {
	t.Helper()
	read, err := os.ReadFile(filepath.Join("..", "..", "action.yml"))
	if err != nil {
		t.Fatal(err)
	}
	if err := yaml.Unmarshal(read, &a); err != nil {
		t.Fatal(err)
	}
	return string(read), a
}

// Others' actions are pinned to a commit, whose version a comment says. What the caller of the action hands in reaches
// scripts by the environment alone, where no shell reads it for code, and the connection string no argument, which
// other users could see.
func TestActionIsPinned(t *testing.T) {
	t.Parallel()
	text, action := parsedAction(t)
	pinned := regexp.MustCompile(`^[^@]+@[0-9a-f]{40}$`)
	handed := map[string]bool{}
	for _, step := range action.Runs.Steps {
		versioned := regexp.MustCompile(regexp.QuoteMeta(step.Uses) + ` # v\d+\.\d+\.\d+\n`)
		if step.Uses != "" && (!pinned.MatchString(step.Uses) || !versioned.MatchString(text)) {
			t.Errorf("%s is pinned to no commit of a version that is told", step.Uses)
		}
		if strings.Contains(step.Run, "${{") || strings.Contains(step.Run, "--dsn") {
			t.Errorf("a script is put together by the host, or hands on the connection string as an argument:\n%s", step.Run)
		}
		for _, value := range step.With {
			if strings.Contains(value, "${{") {
				t.Errorf("another action is handed %s", value)
			}
		}
		for name, value := range step.Env {
			input := regexp.MustCompile(`^\$\{\{ inputs\.([a-z]+) }}$`).FindStringSubmatch(value)
			if input == nil || action.Inputs[input[1]] == nil {
				t.Errorf("%s is %s, which is no input", name, value)
				continue
			}
			handed[input[1]] = true
		}
	}
	for input := range action.Inputs {
		if !handed[input] {
			t.Errorf("the input %s goes nowhere", input)
		}
	}
}

// The action's last step, as a code host would run it, holds a statement to a budget that it meets and to one that it
// does not.
func TestAction(t *testing.T) {
	t.Parallel()
	_, action := parsedAction(t)
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
		c.Env = append(c.Env, "REALIOPS_DSN="+endpoint.Config().ConnString(), "SQL=insert into t values (1)", "REPETITIONS=2", "MAX="+limit)
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
