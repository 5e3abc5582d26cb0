package architecture

import (
	"go/ast"
	"go/doc"
	"go/doc/comment"
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// TestCommentsLeadSomewhere: every [Name] in a comment is declared, and every file named in a package comment exists.
func TestCommentsLeadSomewhere(t *testing.T) {
	packages := parsePackages(t, "../..")
	for directory, p := range packages {
		for _, text := range p.comments {
			for _, broken := range p.unresolved(text, packages) {
				t.Errorf("%s: a comment speaks of [%s], which is not declared: %.60s…", directory, broken, text)
			}
		}
		for _, name := range fileName.FindAllString(p.doc.Doc, -1) {
			here, fromTop := filepath.Join("../..", directory, name), filepath.Join("../..", name)
			if !exists(here) && !exists(fromTop) {
				t.Errorf("%s: its package comment names %s, which is not there", directory, name)
			}
		}
	}
}

// TestBrokenLinksAreFound: an unknown name, an unknown method, and an unknown symbol of another package of ours.
func TestBrokenLinksAreFound(t *testing.T) {
	packages := parsePackages(t, "../..")
	p := packages["internal/measure/target"]
	for text, want := range map[string]string{
		"see [Open]":                 "",
		"see [Target.Watch]":         "",
		"see [postgres.Parse]":       "",
		"see [Opened]":               "Opened",
		"see [Target.Wotch]":         "Target.Wotch",
		"see [postgres.Parsed] here": "postgres.Parsed",
	} {
		if got := strings.Join(p.unresolved(text, packages), " "); got != want {
			t.Errorf("%q: %q, want %q", text, got, want)
		}
	}
}

var (
	fileName = regexp.MustCompile(`\b[\w/]+\.go\b`)
	linkLike = regexp.MustCompile(`\[\*?((?:[a-z]\w*\.)?[A-Z]\w*(?:\.[A-Z]\w*)?)\]`)
)

// commented is a package with all comments on its declarations.
type commented struct {
	doc      *doc.Package
	comments []string
}

// parsePackages reads all packages below a directory, by path.
func parsePackages(t *testing.T, top string) map[string]commented {
	t.Helper()
	set, files := token.NewFileSet(), map[string][]*ast.File{}
	err := filepath.WalkDir(top, func(path string, entry os.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case entry.IsDir() && (entry.Name() == "testdata" || strings.HasPrefix(entry.Name(), ".") && path != top):
			return filepath.SkipDir
		case !strings.HasSuffix(path, ".go") || strings.HasSuffix(path, "_test.go"):
			return nil
		}
		file, err := parser.ParseFile(set, path, nil, parser.ParseComments)
		directory, _ := filepath.Rel(top, filepath.Dir(path))
		files[directory] = append(files[directory], file)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	all := map[string]commented{}
	for directory, of := range files {
		var comments []string
		for _, file := range of {
			ast.Inspect(file, func(n ast.Node) bool {
				if group, is := n.(*ast.CommentGroup); is {
					comments = append(comments, group.Text())
				}
				return true
			})
		}
		p, err := doc.NewFromFiles(set, of, module+directory, doc.AllDecls|doc.PreserveAST)
		if err != nil {
			t.Fatal(err)
		}
		all[directory] = commented{p, comments}
	}
	return all
}

// unresolved returns the bracketed names that are not declared.
func (c commented) unresolved(text string, packages map[string]commented) (broken []string) {
	links := c.doc.Parser()
	for _, found := range linkLike.FindAllStringSubmatch(text, -1) {
		if !resolves(links, found[1], packages) {
			broken = append(broken, found[1])
		}
	}
	return broken
}

func resolves(links *comment.Parser, name string, packages map[string]commented) bool {
	names := strings.Split(name, ".")
	if ast.IsExported(names[0]) {
		return links.LookupSym(receiverOf(names), names[len(names)-1])
	}
	path, known := links.LookupPackage(names[0])
	other, ours := packages[strings.TrimPrefix(path, module)]
	return known && (!ours || resolves(other.doc.Parser(), strings.Join(names[1:], "."), packages))
}

// receiverOf returns T for T.Method, and "" for a single name.
func receiverOf(names []string) string {
	if len(names) == 2 {
		return names[0]
	}
	return ""
}

func exists(path string) bool {
	_, err := os.Stat(path)
	return err == nil
}
