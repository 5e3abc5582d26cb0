package architecture

import (
	"bytes"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"path"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

// module is the import path of our own packages.
const module = "github.com/realiops/realiops/"

// tree is the source: packages by their directory.
type tree map[string]*pkg

// pkg is one package, with the facts that the rules check. All are about its program files, except testImports.
type pkg struct {
	name        string
	docs        []string // files with a package comment
	files       int
	length      int            // in lines
	methods     map[string]int // number per type
	imports     []string       // our own by directory, others by path
	testImports []string
	exits       []string // places that end the process
	inits       []string
	texts       []literal
	lines       []string // places that build a command for users from data without a shell.Command
}

// literal is a string literal in the source.
type literal struct{ place, text string }

// parse reads all Go files below the root. It skips the directories that go build skips, and other modules.
func parse(root fs.FS) (tree, error) {
	source := tree{}
	return source, fs.WalkDir(root, ".", func(file string, entry fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case entry.IsDir() && file != "." && skipped(root, file):
			return fs.SkipDir
		case entry.IsDir() || path.Ext(file) != ".go":
			return nil
		}
		return source.add(root, file)
	})
}

func skipped(root fs.FS, directory string) bool {
	name := path.Base(directory)
	_, err := fs.Stat(root, path.Join(directory, "go.mod"))
	return err == nil || name == "testdata" || strings.HasPrefix(name, ".") || strings.HasPrefix(name, "_")
}

func (t tree) add(root fs.FS, file string) error {
	text, err := fs.ReadFile(root, file)
	if err != nil {
		return err
	}
	set := token.NewFileSet()
	parsed, err := parser.ParseFile(set, file, text, parser.ParseComments)
	if err != nil {
		return err
	}
	p := t[path.Dir(file)]
	if p == nil {
		p = &pkg{methods: map[string]int{}}
		t[path.Dir(file)] = p
	}
	if strings.HasSuffix(file, "_test.go") {
		p.testImports = append(p.testImports, imports(parsed)...)
		return nil
	}
	p.name = parsed.Name.Name
	p.files++
	p.length += bytes.Count(text, []byte("\n"))
	p.imports = append(p.imports, imports(parsed)...)
	if parsed.Doc != nil {
		p.docs = append(p.docs, path.Base(file))
	}
	p.look(set, parsed)
	return nil
}

func imports(file *ast.File) []string {
	var paths []string
	for _, spec := range file.Imports {
		if imported, err := strconv.Unquote(spec.Path.Value); err == nil {
			paths = append(paths, strings.TrimPrefix(imported, module))
		}
	}
	return paths
}

// look records a file's restricted actions.
func (p *pkg) look(set *token.FileSet, file *ast.File) {
	ast.Inspect(file, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.SelectorExpr:
			if from, ok := n.X.(*ast.Ident); ok && ends(from.Name, n.Sel.Name) {
				p.exits = append(p.exits, fmt.Sprintf("%s calls %s.%s", place(set, n), from.Name, n.Sel.Name))
			}
		case *ast.BinaryExpr, *ast.BasicLit:
			if spliced(n.(ast.Expr)) {
				p.lines = append(p.lines, place(set, n)+" puts data into a command")
			}
			basic, alone := n.(*ast.BasicLit)
			if alone && basic.Kind == token.STRING {
				text, _ := strconv.Unquote(basic.Value)
				p.texts = append(p.texts, literal{place(set, n), text})
			}
			return !alone && !spliced(n.(ast.Expr))
		case *ast.FuncDecl:
			switch of := receiver(n); {
			case of != "":
				p.methods[strings.TrimSuffix(of, ".")]++
			case n.Name.Name == "init":
				p.inits = append(p.inits, place(set, n)+" declares init")
			}
		}
		return true
	})
}

// openCommand matches text that ends within a command for users, and filled a verb within one.
var (
	openCommand = regexp.MustCompile(commandLine + `$`)
	filled      = regexp.MustCompile(commandLine + `%`)
)

const commandLine = `(\brealiops (analyze|aurora-cost|baseline|collect|compare|doctor|explain|fleet|history|limits|load|measure|observe|prices|` +
	`report|run|server|share|size) |\baws [a-z]|\bdocker [a-z]|\bpsql |\bsudo |\bgrant [a-z_]+ to )[^;:,.()]*`

// spliced reports whether a string has data within a command, from a verb or by concatenation.
func spliced(e ast.Expr) bool {
	text := joined(e)
	return filled.MatchString(text) || slices.ContainsFunc(strings.SplitAfter(text, data), func(part string) bool {
		before, is := strings.CutSuffix(part, data)
		return is && openCommand.MatchString(before)
	})
}

// data stands for anything but a literal.
const data = "\x00"

// joined returns the concatenated text of literals.
func joined(e ast.Expr) string {
	switch e := e.(type) {
	case *ast.BasicLit:
		if text, err := strconv.Unquote(e.Value); err == nil && e.Kind == token.STRING {
			return text
		}
	case *ast.BinaryExpr:
		if e.Op == token.ADD {
			return joined(e.X) + joined(e.Y)
		}
	case *ast.ParenExpr:
		return joined(e.X)
	}
	return data
}

// ends reports whether a function of the standard library ends the process.
func ends(from, function string) bool {
	switch from {
	case "os", "syscall", "unix":
		return function == "Exit"
	case "log":
		return strings.HasPrefix(function, "Fatal")
	default:
		return false
	}
}

func place(set *token.FileSet, n ast.Node) string {
	position := set.Position(n.Pos())
	return fmt.Sprintf("%s:%d", position.Filename, position.Line)
}

// directories returns the sorted directories of the packages that a rule is about.
func (t tree) directories(about func(string) bool) []string {
	var found []string
	for directory := range t {
		if about(directory) {
			found = append(found, directory)
		}
	}
	slices.Sort(found)
	return found
}

// under reports whether a directory is top or below it.
func under(directory, top string) bool {
	return directory == top || strings.HasPrefix(directory, top+"/")
}

func underAny(directory string, tops []string) bool {
	return slices.ContainsFunc(tops, func(top string) bool { return under(directory, top) })
}

// ours reports whether an import is a directory of this module.
func (t tree) ours(imported string) bool { return t[imported] != nil }
