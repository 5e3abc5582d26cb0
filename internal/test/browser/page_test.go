package browser

import (
	"bytes"
	"fmt"
	"html/template"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/realiops/realiops/internal/runfile"
	"github.com/realiops/realiops/internal/test/process"
	"github.com/realiops/realiops/internal/test/runfiletest"
)

// evil is a hostile name of a load, and of its table.
var evil = strings.Repeat("x", 300) + `<script>document.title="taken over"</script><img src="http://127.0.0.1:9/x.png" onerror="document.title='taken over'">`

// pagesOf writes the pages of all shipped runs, and of a run with a hostile name, into a directory.
func pagesOf(t *testing.T) []string {
	t.Helper()
	dir := t.TempDir()
	runs, err := filepath.Glob(filepath.Join(shippedRuns, "*.jsonl*"))
	if err != nil || len(runs) < 5 {
		t.Fatalf("%d shipped runs, %v", len(runs), err)
	}
	runs = append(runs, evilRun(t, dir))
	var pages []string
	for _, run := range runs {
		name, _, _ := strings.Cut(filepath.Base(run), ".")
		page := filepath.Join(dir, name+".html")
		realiops(t, "report", run, "-o", page)
		pages = append(pages, page)
	}
	return pages
}

// root is the repository, and shippedRuns its example runs.
const (
	root        = "../../.."
	shippedRuns = root + "/testdata/runs"
)

// program is realiops, built once.
var program string

func TestMain(m *testing.M) {
	os.Exit(func() int {
		directory, err := os.MkdirTemp("", "realiops-browser-")
		if err == nil {
			defer os.RemoveAll(directory)
			program, err = process.Build(directory)
		}
		if err != nil {
			fmt.Fprintln(os.Stderr, err)
			return 1
		}
		return m.Run()
	}())
}

// realiops runs a command, which must succeed.
func realiops(t *testing.T, args ...string) {
	t.Helper()
	if out, err := exec.CommandContext(t.Context(), program, args...).CombinedOutput(); err != nil {
		t.Fatalf("realiops %s: %v: %s", strings.Join(args, " "), err, out)
	}
}

// evilRun writes the run of all loads, one of them renamed.
func evilRun(t *testing.T, dir string) string {
	t.Helper()
	path := filepath.Join(dir, "evil.jsonl")
	file, err := runfile.Create(path)
	if err != nil {
		t.Fatal(err)
	}
	for _, record := range runfiletest.Records(t, filepath.Join(shippedRuns, "loads-pg17.jsonl")) {
		switch r := record.(type) {
		case runfile.Run:
			r.Plan.Loads = slices.Clone(r.Plan.Loads)
			r.Plan.Loads[1].Name, r.Provenance = evil, evil
			record = r
		case runfile.LoadEvent:
			if r.Load == "bulk" {
				r.Load = evil
			}
			record = r
		case runfile.Work:
			if r.Load == "bulk" {
				r.Load = evil
			}
			record = r
		}
		if err := file.Write(record); err != nil {
			t.Fatal(err)
		}
	}
	if err := file.Close(); err != nil {
		t.Fatal(err)
	}
	return path
}

// checkers returns the directory of third parties' page checkers.
func checkers(t *testing.T) string {
	t.Helper()
	out, err := exec.CommandContext(t.Context(), filepath.Join(root, "scripts", "page-checkers")).Output()
	if err != nil {
		why := err.Error()
		if failed, ok := err.(*exec.ExitError); ok { //nolint:errorlint // as Output documents it
			why = strings.TrimSpace(string(failed.Stderr))
		}
		t.Skipf("nothing to check pages with: %s", why)
	}
	return strings.TrimSpace(string(out))
}

// spoil writes a page with a fault added.
func spoil(t *testing.T, page, more string) string {
	t.Helper()
	text, err := os.ReadFile(page)
	if err != nil {
		t.Fatal(err)
	}
	path := strings.TrimSuffix(page, ".html") + "-spoiled.html"
	if err := os.WriteFile(path, bytes.Replace(text, []byte("</main>"), []byte(more+"</main>"), 1), 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

// TestPagesAreValid: the Nu HTML checker accepts the pages of all shipped runs, and rejects a spoiled one.
func TestPagesAreValid(t *testing.T) {
	java, err := exec.LookPath("java")
	if err != nil {
		t.Skip("the checker needs Java: ", err)
	}
	jar := filepath.Join(checkers(t), "vnu.jar")
	pages := pagesOf(t)
	spoiled := spoil(t, pages[0], "<p><div>x</p>")
	args := slices.Concat([]string{"-jar", jar, "--format", "gnu"}, pages, []string{spoiled})
	out, err := exec.CommandContext(t.Context(), java, args...).CombinedOutput()
	if _, failed := err.(*exec.ExitError); !failed { //nolint:errorlint // as CombinedOutput documents it
		t.Fatalf("a spoiled page is found no fault with: %v", err)
	}
	found := false
	for line := range strings.Lines(string(out)) {
		if strings.Contains(line, "Inline script violates Content Security Policy") {
			continue // the checker knows no hashes; in a browser, TestTablesSort shows that the script runs
		}
		if strings.Contains(line, spoiled) {
			found = found || strings.Contains(line, "Unclosed element")
		} else {
			t.Error(strings.TrimSpace(line))
		}
	}
	if !found {
		t.Errorf("the spoiled page's fault is not named: %s", out)
	}
}

// TestNamesStayText: in the page, wherever a browser would look for markup.
func TestNamesStayText(t *testing.T) {
	written := filepath.Join(t.TempDir(), "page.html")
	realiops(t, "report", evilRun(t, t.TempDir()), "-o", written)
	text, err := os.ReadFile(written)
	if err != nil {
		t.Fatal(err)
	}
	page := string(text)
	if strings.Contains(page, "<script>") || strings.Contains(page, "<img") ||
		!strings.Contains(page, template.HTMLEscapeString(`"taken over"`)) {
		t.Error("the name is markup, or gone")
	}
}
