package architecture

import (
	"fmt"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/google/go-cmp/cmp"
)

// TestRulesCanFail: sources that break each rule get the expected messages.
func TestRulesCanFail(t *testing.T) {
	proved := map[string]bool{}
	check := func(rule string, files map[string]string, want ...string) {
		t.Helper()
		proved[rule] = true
		source := fstest.MapFS{}
		for name, text := range files {
			source[name] = &fstest.MapFile{Data: []byte(text)}
		}
		parsed, err := parse(source)
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(want, ruleNamed(t, rule).broken(parsed)); diff != "" {
			t.Errorf("%s (-want +got):\n%s", rule, diff)
		}
	}
	ours := func(of, imported string) string {
		return "package " + of + "\nimport _ \"github.com/realiops/realiops/" + imported + "\"\n"
	}
	other := func(of, imported string) string { return "package " + of + "\nimport _ \"" + imported + "\"\n" }

	check("analyzing needs only the file", map[string]string{
		"internal/analyze/report/a.go":      ours("report", "internal/middle") + "import _ \"strings\"\n",
		"internal/analyze/report/a_test.go": other("report", "net/http/httptest"),
		"internal/analyze/sizing/a.go":      other("sizing", "github.com/jackc/pgx/v5/pgconn"),
		"internal/middle/a.go":              ours("middle", "internal/measure/load"),
		"internal/measure/load/a.go":        other("load", "net/http"),
	}, "internal/analyze/report imports internal/middle, which imports internal/measure/load",
		"internal/analyze/report imports net/http/httptest",
		"internal/analyze/sizing imports github.com/jackc/pgx/v5/pgconn")

	check("probes do not know each other", map[string]string{
		"internal/measure/probe/a.go":            "package probe\n",
		"internal/measure/probe/block/a.go":      ours("block", "internal/measure/probe"),
		"internal/measure/probe/block/a_test.go": ours("block_test", "internal/test/probetest"),
		"internal/measure/probe/pgstat/a.go":     ours("pgstat", "internal/measure/probe/block"),
	}, "internal/measure/probe/pgstat imports internal/measure/probe/block")

	check("measuring decides nothing by verdicts", map[string]string{
		"internal/measure/run/a.go":      ours("run", "internal/analyze/attribution"),
		"internal/measure/run/a_test.go": ours("run", "internal/analyze/counts"),
		"internal/measure/prices/a.go":   ours("prices", "internal/analyze/catalog"),
	}, "internal/measure/run imports internal/analyze/attribution")

	check("counts in sentences have commas between thousands", map[string]string{
		"internal/a/a.go": "package a\nvar x, y, z = \"%d rows\", \"%.0f of %d windows\", \"port %d\"\n",
		"scripts/a.go":    "package main\nvar x = \"%d rows\"\n",
	}, "internal/a/a.go:2 has %d rows", "internal/a/a.go:2 has %.0f of %d windows")

	check("what tests are made of stays out of the program", map[string]string{
		"internal/cli/a.go":               ours("cli", "internal/test/standin"),
		"internal/cli/a_test.go":          ours("cli", "internal/test/standin"),
		"internal/test/worlds/score/a.go": ours("score", "internal/test/worlds"),
		"scripts/worlds/a.go":             ours("main", "internal/test/worlds"),
	}, "internal/cli imports internal/test/standin")

	check("only the command line knows its libraries", map[string]string{
		"internal/cli/a.go":          other("cli", "github.com/spf13/cobra"),
		"internal/cli/progress/a.go": other("progress", "github.com/spf13/pflag"),
		"internal/series/a.go":       other("series", "github.com/spf13/pflag"),
	}, "internal/series imports github.com/spf13/pflag")

	check("nobody imports the command line but main", map[string]string{
		"cmd/realiops/a.go":          ours("main", "internal/cli"),
		"internal/cli/a.go":          ours("cli", "internal/cli/progress"),
		"internal/series/a_test.go":  ours("series", "internal/cli"),
		"internal/climate/a.go":      "package climate\n",
		"internal/measure/load/a.go": ours("load", "internal/climate"),
	}, "internal/series imports internal/cli")

	check("the run file, the series and the table of metrics stand at the bottom", map[string]string{
		"internal/runfile/a.go":      ours("runfile", "internal/series"),
		"internal/series/a.go":       ours("series", "internal/measure/load") + "import _ \"math\"\n",
		"internal/measure/load/a.go": "package load\n",
	}, "internal/series imports internal/measure/load")

	check("made-up worlds do not know the method", map[string]string{
		"internal/test/worlds/a.go":      ours("worlds", "internal/middle"),
		"internal/test/worlds/a_test.go": ours("worlds", "internal/test/worlds/score"),
		"internal/test/worlds/score/a.go": ours("score", "internal/analyze/attribution") +
			"import _ \"github.com/realiops/realiops/internal/test/worlds\"\n",
		"internal/middle/a.go":        ours("middle", "internal/analyze/stats"),
		"internal/analyze/stats/a.go": "package stats\n",
	}, "internal/test/worlds imports internal/middle, which imports internal/analyze/stats",
		"internal/test/worlds imports internal/test/worlds/score")

	check("the stand-in for Aurora does not know what judges it", map[string]string{
		"internal/test/standin/a.go":        ours("standin", "internal/middle"),
		"internal/test/standin/a_test.go":   ours("standin", "internal/runfile"),
		"internal/middle/a.go":              ours("middle", "internal/analyze/attribution"),
		"internal/analyze/attribution/a.go": "package attribution\n",
		"internal/runfile/a.go":             "package runfile\n",
	}, "internal/test/standin imports internal/middle, which imports internal/analyze/attribution",
		"internal/test/standin imports internal/runfile")

	check("statistics have one home", map[string]string{
		"internal/analyze/stats/a.go":  other("stats", "gonum.org/v1/gonum/stat"),
		"internal/analyze/sizing/a.go": other("sizing", "gonum.org/v1/gonum/stat/distuv"),
	}, "internal/analyze/sizing imports gonum.org/v1/gonum/stat/distuv")

	check("containers have one home", map[string]string{
		"internal/measure/server/container/a.go": other("container", "github.com/testcontainers/testcontainers-go"),
		"internal/cli/a_test.go":                 other("cli", "github.com/moby/moby/client"),
	}, "internal/cli imports github.com/moby/moby/client")

	check("only main ends the process", map[string]string{
		"cmd/realiops/a.go":      "package main\nimport \"os\"\nfunc main() { os.Exit(1) }\n",
		"internal/cli/a_test.go": "package cli\nimport \"os\"\nfunc f() { os.Exit(1) }\n",
		"internal/cli/a.go":      "package cli\nimport \"os\"\nvar exit = os.Exit\n",
		"internal/series/a.go":   "package series\nimport \"log\"\nfunc f() {\n\tlog.Fatalf(\"\")\n}\n",
	}, "internal/cli/a.go:3 calls os.Exit", "internal/series/a.go:4 calls log.Fatalf")

	check("commands for people are made by "+shell, map[string]string{
		"internal/cli/a.go": "package cli\nvar a = \"realiops report \" + id + \".jsonl\"\nvar b = f(\"%s: " +
			"realiops size --load %s\", x)\n",
		"internal/cli/b.go": "package cli\nvar a = \"run \" + \"aws rds modify --id \" + id\nvar b = \"make one " +
			"with realiops run, or \" + id\n",
		"internal/cli/c.go": "package cli\nvar a = \"realiops run \" + \"--yes\" + \": \" + id\nvar b = f(\"%s: " +
			"realiops aws limits asks AWS\", x)\n",
		"internal/cli/d.go":      "package cli\nvar a = \"grant pg_monitor to \" + user\n",
		"scripts/chaos/a.go":     "package main\nvar a = \"realiops report \" + id\n",
		"internal/cli/a_test.go": "package cli\nvar a = \"realiops report \" + id\n",
	},
		"internal/cli/a.go:2 puts data into a command", "internal/cli/a.go:3 puts data into a command",
		"internal/cli/b.go:2 puts data into a command", "internal/cli/d.go:2 puts data into a command")

	check("no init", map[string]string{
		"internal/series/a.go": "package series\ntype s int\nfunc (s) init() {}\nfunc init() {}\n",
	}, "internal/series/a.go:4 declares init")

	check("every package opens with its promise", map[string]string{
		"internal/series/a.go":        "// Package series is one.\npackage series\n",
		"internal/series/b.go":        "// A note.\n\npackage series\n",
		"internal/series/a_test.go":   "// A test.\npackage series\n",
		"internal/twice/a.go":         "// Package twice is said.\npackage twice\n",
		"internal/twice/b.go":         "// Package twice is said.\npackage twice\n",
		"internal/mute/a.go":          "package mute\n",
		"internal/mute/testdata/a.go": "package other\n",
		"internal/mute/nested/go.mod": "module nested\n",
		"internal/mute/nested/a.go":   "package nested\n",
	}, "internal/mute has no package comment", "internal/twice has package comments in a.go and b.go")

	check("a package is one noun", map[string]string{
		"internal/series/a.go":  "package series\n",
		"internal/iolib/a.go":   "package ioutil\n",
		"internal/helpers/a.go": "package helpers\n",
	}, "internal/helpers is named helpers", "internal/iolib is named ioutil")

	check("metrics are named in "+metric, map[string]string{
		"internal/metric/a.go": "package metric\nvar a = \"block/writes\"\n",
		"internal/series/a.go": "package series\n// block/writes\nvar a, b = \"block/written\", " +
			"f(\"block/writes\")\n",
		"internal/series/a_test.go": "package series\nvar a = \"block/writes\"\n",
		"internal/test/worlds/a.go": "package worlds\nvar a = \"block/writes\"\n",
	}, "internal/series/a.go:3 spells block/writes")

	check("no package is larger than somebody can know", map[string]string{
		"internal/series/a.go":      "package series\n" + strings.Repeat("\n", 4499),
		"internal/series/a_test.go": "package series\n" + strings.Repeat("\n", 5000),
		"internal/long/a.go":        "package long\n" + strings.Repeat("\n", 4500),
	}, "internal/long has 1 files and 4501 lines, of at most 30 and 4500")

	check("no type does everything", map[string]string{
		"internal/series/a.go": "package series\n" + methods("T", 40) + methods("U", 41),
	}, "internal/series.U has 41 methods, of at most 40")

	for _, r := range rules {
		if !proved[r.name] {
			t.Errorf("no source here breaks the rule %q", r.name)
		}
	}
}

func ruleNamed(t *testing.T, name string) rule {
	t.Helper()
	for _, r := range rules {
		if r.name == name {
			return r
		}
	}
	t.Fatalf("there is no rule %q", name)
	return rule{}
}

// methods declares n methods of a type.
func methods(of string, n int) (text string) {
	for i := range n {
		text += fmt.Sprintf("func (*%s) m%d() {}\n", of, i)
	}
	return text
}

// TestTooLargeIsNamed: one line or method over the limit is too large, the limit itself is not.
func TestTooLargeIsNamed(t *testing.T) {
	parsed, err := parse(fstest.MapFS{
		"internal/grown/a.go": {Data: []byte("package grown\n" + methods("T", 51) + "\n\n")},
		"internal/full/a.go":  {Data: []byte("package full\n" + methods("T", 50) + "\n\n")},
	})
	if err != nil {
		t.Fatal(err)
	}
	got := append(thoughts(50)(parsed),
		rooms(size{30, 53})(parsed)...)
	want := []string{
		"internal/grown.T has 51 methods, of at most 50",
		"internal/grown has 1 files and 54 lines, of at most 30 and 53",
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}
