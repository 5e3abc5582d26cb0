package architecture

import (
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"

	rows "github.com/realiops/realiops/internal/metric"
)

// everything matches all packages.
func everything(string) bool { return true }

// never forbids imports below a directory, even indirect ones and in tests.
func never(top string, forbidden ...string) func(tree) []string {
	return func(t tree) (broken []string) {
		for _, directory := range t.directories(func(d string) bool { return under(d, top) }) {
			p := t[directory]
			for _, way := range t.ways(slices.Concat(p.imports, p.testImports), forbidden, map[string]bool{}) {
				broken = append(broken, directory+" imports "+way)
			}
		}
		return broken
	}
}

// ways returns the imports that lead to something forbidden, each with our packages in between.
func (t tree) ways(imported, forbidden []string, seen map[string]bool) (found []string) {
	for _, next := range imported {
		switch {
		case seen[next]:
		case underAny(next, forbidden):
			found = append(found, next)
		case t.ours(next):
			for _, way := range t.ways(t[next].imports, forbidden, seen) {
				found = append(found, next+", which imports "+way)
			}
		}
		seen[next] = true
	}
	return found
}

// blind forbids invented worlds to import the method that they judge, except the package of a load's
// counts, which has its own medians.
func blind(t tree) []string {
	method := []string{analyze + "/attribution", analyze + "/stats", score}
	p := t[worlds]
	var broken []string
	through := map[string]bool{analyze + "/counts": true, analyze + "/tally": true}
	for _, way := range t.ways(slices.Concat(p.imports, p.testImports), method, through) {
		broken = append(broken, worlds+" imports "+way)
	}
	return broken
}

// apart forbids packages below a directory, with exceptions, to import packages below another. Their tests may.
func apart(top, other string, exceptions ...string) func(tree) []string {
	return func(t tree) (broken []string) {
		for _, directory := range t.directories(func(d string) bool {
			return under(d, top) && !underAny(d, exceptions)
		}) {
			broken = append(broken, t.others(directory, t[directory].imports, func(i string) bool {
				return !under(i, other)
			})...)
		}
		return broken
	}
}

// onlyTests forbids the program's packages to import packages below a directory; tests
// and programs under scripts may.
func onlyTests(top string) func(tree) []string {
	return func(t tree) (broken []string) {
		for _, directory := range t.directories(func(d string) bool { return !underAny(d, []string{top, "scripts"}) }) {
			broken = append(broken, t.others(directory, t[directory].imports, func(i string) bool {
				return !under(i, top)
			})...)
		}
		return broken
	}
}

// separate forbids the packages below a directory to import each other.
func separate(top string) func(tree) []string {
	return func(t tree) (broken []string) {
		for _, directory := range t.directories(func(d string) bool { return under(d, top) && d != top }) {
			p := t[directory]
			other := func(i string) bool {
				return under(i, top) && i != top && !under(i, directory) && !under(directory, i)
			}
			allowed := func(i string) bool { return !other(i) }
			broken = append(broken, t.others(directory, slices.Concat(p.imports, p.testImports), allowed)...)
		}
		return broken
	}
}

// others returns the imports that are not allowed.
func (t tree) others(directory string, imported []string, allowed func(string) bool) (broken []string) {
	for _, i := range imported {
		if !allowed(i) {
			broken = append(broken, directory+" imports "+i)
		}
	}
	return broken
}

// only allows libraries in one part of the tree.
func only(home string, libraries ...string) func(tree) []string {
	return func(t tree) (broken []string) {
		for _, directory := range t.directories(func(d string) bool { return !under(d, home) }) {
			allowed := func(i string) bool { return !underAny(i, libraries) }
			broken = append(broken, t.others(directory, slices.Concat(t[directory].imports, t[directory].testImports),
				allowed)...)
		}
		return broken
	}
}

// users allows only itself and the named packages to import a part of our tree.
func users(top string, allowed ...string) func(tree) []string {
	return func(t tree) (broken []string) {
		for _, directory := range t.directories(func(d string) bool { return !underAny(d, append(allowed, top)) }) {
			outside := func(i string) bool { return !under(i, top) }
			broken = append(broken, t.others(directory, slices.Concat(t[directory].imports, t[directory].testImports),
				outside)...)
		}
		return broken
	}
}

// bottom allows the named packages to import each other, and nothing else of ours.
func bottom(packages ...string) func(tree) []string {
	return func(t tree) (broken []string) {
		for _, directory := range t.directories(func(d string) bool { return underAny(d, packages) }) {
			allowed := func(i string) bool { return !t.ours(i) || underAny(i, packages) }
			broken = append(broken, t.others(directory, t[directory].imports, allowed)...)
		}
		return broken
	}
}

func exits(t tree) (broken []string) {
	for _, directory := range t.directories(func(d string) bool { return t[d].name != "main" }) {
		broken = append(broken, t[directory].exits...)
	}
	return broken
}

func initializers(t tree) (broken []string) {
	for _, directory := range t.directories(everything) {
		broken = append(broken, t[directory].inits...)
	}
	return broken
}

func commands(t tree) (broken []string) {
	for _, directory := range t.directories(func(d string) bool {
		return !underAny(d, []string{forTests, "scripts"})
	}) {
		broken = append(broken, t[directory].lines...)
	}
	return broken
}

func promises(t tree) (broken []string) {
	for _, directory := range t.directories(func(d string) bool { return t[d].files > 0 }) {
		switch docs := t[directory].docs; len(docs) {
		case 0:
			broken = append(broken, directory+" has no package comment")
		case 1:
		default:
			slices.Sort(docs)
			broken = append(broken, fmt.Sprintf("%s has package comments in %s", directory, strings.Join(docs, " and ")))
		}
	}
	return broken
}

func nouns(t tree) (broken []string) {
	for _, directory := range t.directories(everything) {
		switch name := t[directory].name; {
		case slices.Contains([]string{"common", "misc", "shared", "base", "helper", "helpers"}, name),
			strings.HasSuffix(name, "util"), strings.HasSuffix(name, "utils"):
			broken = append(broken, directory+" is named "+name)
		}
	}
	return broken
}

// size bounds a package without its tests.
type size struct{ files, lines int }

// rooms bounds the size of packages.
func rooms(may size) func(tree) []string {
	return func(t tree) (broken []string) {
		for _, directory := range t.directories(everything) {
			is := size{t[directory].files, t[directory].length}
			if is.files > may.files || is.lines > may.lines {
				broken = append(broken, fmt.Sprintf("%s has %d files and %d lines, of at most %d and %d", directory,
					is.files, is.lines, may.files, may.lines))
			}
		}
		return broken
	}
}

// thoughts bounds the number of methods of a type.
func thoughts(most int) func(tree) []string {
	return func(t tree) (broken []string) {
		for _, directory := range t.directories(everything) {
			for _, name := range slices.Sorted(maps.Keys(t[directory].methods)) {
				if has := t[directory].methods[name]; has > most {
					broken = append(broken, fmt.Sprintf("%s.%s has %d methods, of at most %d", directory, name, has, most))
				}
			}
		}
		return broken
	}
}

// spelled allows string literals of names only in one part of the tree. Tests, their packages,
// and the exceptions may have them.
func spelled(home string, names []string, exceptions ...string) func(tree) []string {
	is := map[string]bool{}
	for _, name := range names {
		is[name] = true
	}
	return func(t tree) (broken []string) {
		program := func(d string) bool {
			return !underAny(d, append([]string{home, forTests, "scripts"}, exceptions...))
		}
		for _, directory := range t.directories(program) {
			for _, l := range t[directory].texts {
				if is[l.text] {
					broken = append(broken, l.place+" spells "+l.text)
				}
			}
		}
		return broken
	}
}

// manyCounted is a bare number before what there may be many of.
var manyCounted = regexp.MustCompile(`%(?:d|\.0f)(?: of %(?:d|\.0f))?(?: of (?:the|its|these))? (?:transactions|commits|` +
	`rows|windows|periods|points|requests|tables|files|databases|queries|latencies|records|bytes|names|operations|writes|` +
	`fsyncs|MB free|IOPS)\b`)

// ungrouped finds counts that are written without commas, outside of some directories.
func ungrouped(exceptions ...string) func(tree) []string {
	return func(t tree) (broken []string) {
		for _, directory := range t.directories(func(d string) bool { return !underAny(d, exceptions) }) {
			for _, l := range t[directory].texts {
				if found := manyCounted.FindString(l.text); found != "" {
					broken = append(broken, l.place+" has "+found)
				}
			}
		}
		return broken
	}
}

// metricNames returns the names of all rows.
func metricNames() (names []string) {
	for _, m := range rows.All() {
		names = append(names, m.Name)
	}
	return names
}
