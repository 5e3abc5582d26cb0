package main

import (
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"go.yaml.in/yaml/v3"

	"github.com/realiops/realiops/internal/cli"
	"github.com/realiops/realiops/internal/cli/command"
	"github.com/realiops/realiops/internal/test/servertest"
)

// action holds the parts of action.yml that the tests check.
type action struct {
	Inputs map[string]any `yaml:"inputs"`
	Runs   struct {
		Steps []struct {
			Name string            `yaml:"name"`
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

// Third parties' actions are pinned to a commit, with its version in a comment. Inputs of our action reach
// scripts only through the environment, where no shell interprets them. The connection string is never an
// argument, which other users could see.
func TestActionIsPinned(t *testing.T) {
	t.Parallel()
	text, action := parsedAction(t)
	ofOurs := regexp.MustCompile(`^\$\{\{ steps\.[a-z]+\.outputs\.[a-z]+ }}$`) // written by an earlier step
	pinned := regexp.MustCompile(`^[^@]+@[0-9a-f]{40}$`)
	handed := map[string]bool{}
	for _, step := range action.Runs.Steps {
		versioned := regexp.MustCompile(regexp.QuoteMeta(step.Uses) + ` # v\d+\.\d+\.\d+\n`)
		if step.Uses != "" && (!pinned.MatchString(step.Uses) || !versioned.MatchString(text)) {
			t.Errorf("%s is pinned to no commit of a version that is told", step.Uses)
		}
		if strings.Contains(step.Run, "${{") || strings.Contains(step.Run, "--dsn") {
			t.Errorf("a script is put together by the host, or hands on the connection string as an argument:\n%s",
				step.Run)
		}
		for _, value := range step.With {
			if strings.Contains(value, "${{") && !ofOurs.MatchString(value) {
				t.Errorf("another action is handed %s", value)
			}
		}
		for name, value := range step.Env {
			inputs := regexp.MustCompile(`\$\{\{ inputs\.([a-z]+) }}`).FindAllStringSubmatch(value, -1)
			number := name == "NUMBER" && value == "${{ github.event.pull_request.number }}" // the host's
			if len(inputs) == 0 && !number && !ofOurs.MatchString(value) {
				t.Errorf("%s is %s, which is no input", name, value)
			}
			for _, input := range inputs {
				if action.Inputs[input[1]] == nil {
					t.Errorf("%s is %s, which is no input", name, value)
				}
				handed[input[1]] = true
			}
		}
	}
	for input := range action.Inputs {
		if !handed[input] {
			t.Errorf("the input %s goes nowhere", input)
		}
	}
}

// TestActionsFlags: measure has each flag that the action gives it.
func TestActionsFlags(t *testing.T) {
	t.Parallel()
	_, action := parsedAction(t)
	measure, _, err := cli.Command(command.Env{Getenv: os.Getenv}).Find([]string{"measure"})
	if err != nil {
		t.Fatal(err)
	}
	flags := 0
	for _, step := range action.Runs.Steps {
		for _, flag := range regexp.MustCompile(`how\+?=\((--.*)\)`).FindAllStringSubmatch(step.Run, -1) {
			for _, name := range regexp.MustCompile(`--([a-z-]+)`).FindAllStringSubmatch(flag[1], -1) {
				flags++
				if measure.Flags().Lookup(name[1]) == nil {
					t.Errorf("measure has no --%s", name[1])
				}
			}
		}
	}
	if flags < 9 {
		t.Errorf("%d flags of measure: where is it called?", flags)
	}
}

// step returns a step of the action as a code host would run it, with its inputs.
func (a action) step(t *testing.T, name string, path string, handed ...string) *exec.Cmd {
	t.Helper()
	for _, step := range a.Runs.Steps {
		if step.Name != name {
			continue
		}
		c := exec.CommandContext(t.Context(), "bash", "-e", "-o", "pipefail", "-c", step.Run)
		c.Env = append(os.Environ(), "PATH="+path+":"+os.Getenv("PATH"), "HOME="+t.TempDir())
		for of := range step.Env {
			c.Env = append(c.Env, of+"=")
		}
		c.Env = append(c.Env, handed...)
		return c
	}
	t.Fatalf("there is no step %q", name)
	return nil
}

// The action compares a statement with a budget that it meets, one that it does not, and a base, and reports in the
// summary, for JUnit, and in a comment.
func TestAction(t *testing.T) {
	t.Parallel()
	_, action := parsedAction(t)
	endpoint := servertest.Alone(t, "17")
	boss := servertest.Connect(t, endpoint)
	servertest.Exec(t, boss, "create table t (id int)")
	if err := boss.Close(t.Context()); err != nil { // an open session might report its work up to ten seconds later
		t.Fatal(err)
	}
	bin, dir := filepath.Dir(built(t)), t.TempDir()
	base := filepath.Join(dir, "base.jsonl")
	for _, c := range []struct {
		limit, base, save string
		status            int
		says              string
	}{
		{"rows=1\nwal_fsyncs=9/tx # a line each, as YAML's | gives them\n", "", base, 0, ""},
		{"rows=base", base, "", 0, ""},
		{"rows=0", "", "", 4,
			"::error title=realiops measure::realiops: over the budget: rows: 1 a run; the budget is 0"},
	} {
		summary, outputs, junit := filepath.Join(t.TempDir(), "summary.md"), filepath.Join(t.TempDir(), "outputs"),
			filepath.Join(t.TempDir(), "junit.xml")
		step := action.step(t, "Measure", bin, "GITHUB_STEP_SUMMARY="+summary, "GITHUB_OUTPUT="+outputs,
			"REALIOPS_DSN="+endpoint.Config().ConnString(),
			"SQL=insert into t values (1)", "REPETITIONS=2", "MAX="+c.limit, "BASE="+c.base, "SAVE="+c.save,
			"JUNIT="+junit)
		out, _ := step.CombinedOutput()
		told, err := os.ReadFile(summary)
		if err != nil || step.ProcessState.ExitCode() != c.status ||
			!strings.Contains(string(told), "| rows | 1 | 1 | 1 |") || !strings.Contains(string(out), c.says) {
			t.Errorf("%s: exit status %d, want %d, %v\n%s%s", c.limit, step.ProcessState.ExitCode(), c.status,
				err, out, told)
		}
		for line := range strings.Lines(c.limit) {
			budget := strings.Fields(line)[0]
			if cases, err := os.ReadFile(junit); err != nil ||
				!strings.Contains(string(cases), `<testcase name="`+budget+`"`) {
				t.Errorf("%s: %v\n%s", budget, err, cases)
			}
		}
		if annotated := strings.Contains(string(out), "::error"); annotated != (c.status != 0) {
			t.Errorf("%s: annotated %v\n%s", c.limit, annotated, out)
		}
		if said, err := os.ReadFile(outputs); err != nil || !strings.HasPrefix(string(said), "report=") {
			t.Errorf("%s: %v\n%s", c.limit, err, said)
		}
	}

	// A base that was recorded without the action, and lines of which one fails.
	if out, err := exec.CommandContext(t.Context(), built(t), "measure", "--dsn", endpoint.Config().ConnString(), "-r",
		"2", "--quiet", "-o", base, "--", "true").CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	for command, status := range map[string]int{"true": 0, "false\ntrue": 1, "false | true": 1,
		"echo hunter2 >&2; exit 7": 7} {
		summary, of := filepath.Join(t.TempDir(), "summary.md"), ""
		if status == 0 {
			of = base
		}
		step := action.step(t, "Measure", bin, "GITHUB_STEP_SUMMARY="+summary, "GITHUB_OUTPUT="+os.DevNull,
			"REALIOPS_DSN="+endpoint.Config().ConnString(), "COMMAND="+command, "REPETITIONS=2", "BASE="+of)
		if out, _ := step.CombinedOutput(); step.ProcessState.ExitCode() != status {
			t.Errorf("%q: exit status %d, want %d\n%s", command, step.ProcessState.ExitCode(), status, out)
		}
		if told, err := os.ReadFile(summary); err != nil || strings.Contains(string(told), "hunter2") ||
			status != 0 && !strings.Contains(string(told), "\n    realiops: the command bash failed: exit status") {
			t.Errorf("%q: the summary must name the failure and not what the command said: %v\n%s", command, err, told)
		}
	}
}

// If nothing was measured, summary and comment say so instead of showing an earlier result. An empty connection
// string means none: realiops then starts a server itself.
func TestActionWithoutMeasurement(t *testing.T) {
	t.Parallel()
	_, action := parsedAction(t)
	bin := filepath.Dir(built(t))
	for _, c := range []struct{ dsn, sql, says string }{
		{"", "select 1", "dsn is empty, as secrets are on a pull request from a fork; name the server to measure"},
		{"postgres://127.0.0.1:1/shop", "select 1", "connect to 127.0.0.1:1"},
		{"postgres://127.0.0.1:1/shop", "", "name one thing to measure"},
	} {
		summary, outputs := filepath.Join(t.TempDir(), "summary.md"), filepath.Join(t.TempDir(), "outputs")
		step := action.step(t, "Measure", bin, "GITHUB_STEP_SUMMARY="+summary, "GITHUB_OUTPUT="+outputs,
			"REALIOPS_DSN="+c.dsn, "SQL="+c.sql, "REPETITIONS=1")
		out, _ := step.CombinedOutput()
		told, errTold := os.ReadFile(summary)
		said, errSaid := os.ReadFile(outputs)
		report := strings.TrimSpace(strings.TrimPrefix(string(said), "report="))
		comment, errComment := os.ReadFile(report)
		if err := errors.Join(errTold, errSaid, errComment); err != nil || step.ProcessState.ExitCode() != 1 ||
			!strings.Contains(string(out), "::error title=realiops measure::") || !strings.Contains(string(out), c.says) {
			t.Errorf("%+v: exit status %d, %v\n%s", c, step.ProcessState.ExitCode(), err, out)
		}
		for _, text := range []string{string(told), string(comment)} {
			if !strings.HasPrefix(text, "Nothing was measured:\n\n    ") || !strings.Contains(text, c.says) {
				t.Errorf("%+v: %s", c, text)
			}
		}
	}
}

// A pull request gets one comment, which a later run replaces. If commenting is not allowed, the step says so and
// succeeds. A report that is too long for a comment is cut, and says so. A stand-in replaces GitHub's program; of
// others, a runner has only POSIX's.
func TestActionComments(t *testing.T) {
	t.Parallel()
	_, action := parsedAction(t)
	for _, step := range action.Runs.Steps { // two jobs, or two versions of a matrix, do not share one
		for _, of := range []string{"github.workflow", "github.job", "toJSON(matrix)", "inputs.compare"} {
			if step.Name == "Comment on the pull request" && !strings.Contains(step.Env["OF"], "${{ "+of+" }}") {
				t.Errorf("%s is not in what a comment is of: %s", of, step.Env["OF"])
			}
		}
	}
	for _, c := range []struct{ name, number, listed, token, want string }{
		{"the first", "7", "echo", "x",
			"api --silent repos/shop/shop/issues/7/comments -F body=@"},
		{"another", "7", "echo 42", "x",
			"api --silent -X PATCH repos/shop/shop/issues/comments/42 -F body=@"},
		{"none may be written", "7", "echo 403% >&2; exit 1", "x",
			"::notice title=realiops measure::No comment was written: the workflow needs pull-requests: write. " +
				"GitHub says: 403%25"},
		{"no pull request", "", "echo", "x", ""},
		{"none wanted", "7", "echo", "", ""},
		{"no gh", "7", "", "x", "::notice title=realiops measure::No comment was written: this runner has no gh"},
	} {
		dir := t.TempDir()
		gh := "#!/bin/sh\ncase \"$*\" in *--paginate*) " + c.listed +
			" ;; *) echo \"$@\"; cat \"${5#body=@}\" \"${7#body=@}\" 2>/dev/null || : ;; esac\n"
		for name, text := range map[string]string{"gh": gh, "report.md": "| rows | 1 |\n"} {
			if c.name == "no gh" && name == "gh" {
				continue
			}
			if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o755); err !=
				nil { //nolint:gosec // a program among them
				t.Fatal(err)
			}
		}
		for _, name := range []string{"sh", "awk", "cat", "cksum", "sed", "tail", "wc"} {
			program, err := exec.LookPath(name)
			if err != nil {
				t.Fatal(err)
			}
			if err := os.Symlink(program, filepath.Join(dir, name)); err != nil {
				t.Fatal(err)
			}
		}
		if c.name == "another" {
			long := "# insert " + strings.Repeat("x", 70_000) + "\n\n| rows | 1 |\n" + strings.Repeat("| wal | 1 |\n", 6000)
			if err := os.WriteFile(filepath.Join(dir, "report.md"), []byte(long), 0o600); err != nil {
				t.Fatal(err)
			}
		}
		out, err := action.step(t, "Comment on the pull request", dir, "GH_TOKEN="+c.token, "REPORT="+
			filepath.Join(dir, "report.md"), "OF=./order",
			"NUMBER="+c.number, "GITHUB_REPOSITORY=shop/shop", "PATH="+dir).CombinedOutput()
		if err != nil || !strings.HasPrefix(string(out), c.want) || c.want == "" && len(out) > 0 {
			t.Errorf("%s: %v, want %q\n%s", c.name, err, c.want, out)
		}
		if written := strings.HasPrefix(c.want, "api"); written != strings.Contains(string(out),
			"<!-- realiops measure ") || written != strings.Contains(string(out), "| rows | 1 |") {
			t.Errorf("%s: the comment is\n%s", c.name, out)
		}
		if cut := strings.Contains(string(out), "The rest is in the summary of the job."); cut != (c.name == "another") ||
			len(out) > 65_536 {
			t.Errorf("%s: %d bytes of a comment, cut %v", c.name, len(out), cut)
		}
	}
}
