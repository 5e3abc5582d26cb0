package architecture

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	rows "github.com/realiops/realiops/internal/metric"
)

// everything is about all packages.
func everything(string) bool { return true }

// never forbids imports below a directory, also those made through other packages of ours. Tests may not either.
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

// ways are the imports that lead to something forbidden, each with the packages of ours in between.
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

// blind forbids made-up worlds the way to the method that they judge, but through what says what a load did, which has
// medians of its own.
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

// apart forbids packages below a directory, but for those named, to import what is below another. Their tests may.
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

// onlyTests forbids packages of the program to import what is below a directory; their tests may, and programs under
// scripts.
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

// separate forbids the packages below a directory to import one another.
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

// others are the imports that are not allowed.
func (t tree) others(directory string, imported []string, allowed func(string) bool) (broken []string) {
	for _, i := range imported {
		if !allowed(i) {
			broken = append(broken, directory+" imports "+i)
		}
	}
	return broken
}

// only keeps libraries to one part of the tree.
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

// users keeps a part of our own tree to itself and those named.
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

// bottom allows the packages named to import one another, and nothing else of ours.
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

// size bounds a package, without its tests.
type size struct{ files, lines int }

// rooms bounds packages.
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

// thoughts bounds the methods of a type.
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

// spelled keeps names to one part of the tree. Tests, what they are made of, and the exceptions spell them themselves.
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

// metricNames are those of all rows.
func metricNames() (names []string) {
	for _, m := range rows.All() {
		names = append(names, m.Name)
	}
	return names
}
