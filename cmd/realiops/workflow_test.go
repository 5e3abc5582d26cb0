package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// actionlint accepts the workflows in the documents, which use this repository's action,
// with all inputs that they pass.
func TestWorkflowsAreWhatGitHubTakes(t *testing.T) {
	t.Parallel()
	read := func(of ...string) string {
		text, err := os.ReadFile(filepath.Join(append([]string{"..", ".."}, of...)...))
		if err != nil {
			t.Fatal(err)
		}
		return string(text)
	}
	const used = "uses: realiops/realiops@main"
	_, after, _ := strings.Cut(read("docs", "ci.md"), "```yaml\nname: io\n")
	workflow, after, found := strings.Cut("name: io\n"+after, "```\n")
	_, statements, _ := strings.Cut(after, "```yaml\n")
	statements, _, more := strings.Cut(statements, "```\n")
	if !found || !more || !strings.Contains(workflow, used) || !strings.Contains(statements, "docker restart") {
		t.Fatalf("docs/ci.md has another workflow:\n%s\nor another step:\n%s", workflow, statements)
	}
	const before = "      - run: psql"
	for name, c := range map[string]struct{ workflow, says string }{
		"as it stands":        {workflow, ""},
		"with the statements": {strings.Replace(workflow, before, statements+before, 1), ""},
		"with an unknown input": {strings.Replace(workflow, "junit: io.xml", "xunit: io.xml", 1),
			`input "xunit" is not defined in action`},
		"without a server named": {strings.Replace(workflow, "dsn: ${{ env.DATABASE_URL }}", "sql: select 1", 1),
			`missing input "dsn"`},
	} {
		project := t.TempDir()
		at := filepath.Join(project, ".github", "workflows", "io.yml")
		if err := os.MkdirAll(filepath.Dir(at), 0o755); err != nil {
			t.Fatal(err)
		}
		for file, text := range map[string]string{
			at:                                   strings.Replace(c.workflow, used, "uses: ./", 1),
			filepath.Join(project, "action.yml"): read("action.yml"), filepath.Join(project, ".git"): "",
		} {
			if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
				t.Fatal(err)
			}
		}
		out, err := exec.CommandContext(t.Context(), "go", "tool", "-modfile="+filepath.Join("..", "..", "scripts",
			"tools.mod"), "actionlint", at).CombinedOutput()
		if (err == nil) != (c.says == "") || !strings.Contains(string(out), c.says) {
			t.Errorf("%s: %v, want %q\n%s", name, err, c.says, out)
		}
	}
}
