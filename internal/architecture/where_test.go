package architecture

import (
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// symbol matches a package and a name in it, as in docs/architecture.md: `internal/metric.Table`.
var symbol = regexp.MustCompile("`(internal/[a-z/]+)\\.([A-Za-z.]+)`")

// TestWhereThingsAre: every symbol under "Where is …?" in docs/architecture.md exists.
func TestWhereThingsAre(t *testing.T) {
	text, err := os.ReadFile("../../docs/architecture.md")
	if err != nil {
		t.Fatal(err)
	}
	_, section, _ := strings.Cut(string(text), "\n## Where is …?\n")
	section, _, _ = strings.Cut(section, "\n## ")
	found := symbol.FindAllStringSubmatch(section, -1)
	if rows := strings.Count(section, "\n|") - 2; rows < 9 || len(found) < rows {
		t.Fatalf("%d symbols answer %d questions", len(found), rows)
	}
	for _, f := range found {
		if !declared(t, f[1])[f[2]] {
			t.Errorf("there is no %s in %s", f[2], f[1])
		}
	}
}

// declared returns the names that a package declares, with the receiver's type before methods.
func declared(t *testing.T, directory string) map[string]bool {
	t.Helper()
	files, err := filepath.Glob(filepath.Join("../..", directory, "*.go"))
	if err != nil {
		t.Fatal(err)
	}
	names := map[string]bool{}
	for _, file := range files {
		parsed, err := parser.ParseFile(token.NewFileSet(), file, nil, 0)
		if err != nil {
			t.Fatal(err)
		}
		for _, d := range parsed.Decls {
			switch d := d.(type) {
			case *ast.FuncDecl:
				names[receiver(d)+d.Name.Name] = true
			case *ast.GenDecl:
				for _, spec := range d.Specs {
					switch spec := spec.(type) {
					case *ast.TypeSpec:
						names[spec.Name.Name] = true
					case *ast.ValueSpec:
						for _, name := range spec.Names {
							names[name.Name] = true
						}
					}
				}
			}
		}
	}
	return names
}

// receiver returns a method's receiver type and a dot, or "".
func receiver(d *ast.FuncDecl) string {
	if d.Recv == nil {
		return ""
	}
	of := d.Recv.List[0].Type
	if pointer, is := of.(*ast.StarExpr); is {
		of = pointer.X
	}
	if name, is := of.(*ast.Ident); is {
		return name.Name + "."
	}
	return ""
}
