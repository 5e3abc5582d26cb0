package architecture

import (
	"os"
	"strings"
	"testing"
)

// rule is a rule with its reason.
type rule struct {
	name   string
	reason string
	broken func(tree) []string // returns a line for each violation
}

// The parts of the tree in the rules.
const (
	analyze   = "internal/analyze"
	cli       = "internal/cli"
	command   = "cmd"
	inputs    = "internal/input"
	limits    = "internal/measure/limits"
	measure   = "internal/measure"
	metric    = "internal/metric"
	ownership = "internal/owner"
	prices    = "internal/measure/prices"
	printable = "internal/printable"
	probe     = "internal/measure/probe"
	runfile   = "internal/runfile"
	series    = "internal/series"
	shell     = "internal/shell"
	standin   = "internal/test/standin"
	forTests  = "internal/test"
	worlds    = "internal/test/worlds"
	score     = "internal/test/worlds/score"
)

var rules = []rule{
	{
		"analyzing needs only the file",
		"any run can be analyzed again later, by anybody, without a server, an account or a network",
		never(analyze, measure, "github.com/jackc/pgx", "github.com/aws", "net/http"),
	},
	{
		"measuring decides nothing by verdicts",
		"what is recorded must not depend on what it is taken to mean; who reads verdicts is handed in. But " + prices +
			" and " + limits +
			" write what AWS says as rows of the catalog, which is data",
		apart(measure, analyze, prices, limits),
	},
	{
		"probes do not know each other",
		"one can fail, change or go away without the others; what they share stands in " + probe,
		separate(probe),
	},
	{
		"only the command line knows its libraries",
		"everything else takes values and returns values, so that it can be used and tested without flags",
		only(cli, "github.com/spf13/cobra", "github.com/spf13/pflag"),
	},
	{
		"nobody imports the command line but main",
		"it is the top: it knows all the others, and none of them knows it",
		users(cli, command),
	},
	{
		"the run file, the series and the table of metrics stand at the bottom",
		"both wings meet in them, so they can depend on neither",
		bottom(runfile, series, metric, ownership, printable, inputs),
	},
	{
		"what tests are made of stays out of the program",
		"a reader of the program meets no server, world or cloud that is made up, and none of them is shipped",
		onlyTests(forTests),
	},
	{
		"made-up worlds do not know the method",
		"they judge it, and one that leaned on it would find it right; only what counts its hits in " + score +
			" sees both",
		blind,
	},
	{
		"the stand-in for Aurora does not know what judges it",
		"its truth comes from the server; one that read the run file, or leaned on the method, would find both right",
		never(standin, runfile, analyze, cli),
	},
	{
		"statistics have one home",
		"a method is chosen once, with its assumptions written down, and not anew in each package that counts",
		only("internal/analyze/stats", "gonum.org/v1/gonum"),
	},
	{
		"containers have one home",
		"the libraries for them weigh more than all the rest, and other engines may come",
		only("internal/measure/server/container", "github.com/testcontainers", "github.com/docker", "github.com/moby"),
	},
	{
		"only main ends the process",
		"whoever ends it elsewhere skips the caller's clean-up: servers, directories, the end of the run file",
		exits,
	},
	{
		"commands for people are made by " + shell,
		"a name from a file, a server or a cloud that stands unquoted in a command is run when somebody pastes it",
		commands,
	},
	{
		"metrics are named in " + metric,
		"a name that is mistyped elsewhere compiles, and its metric is missing from every answer without a word",
		spelled(metric, metricNames(), analyze+"/attribution"),
	},
	{
		"counts in sentences have commas between thousands",
		"123456789 rows are not told from 12345678 at a glance; printable.Count and Counted write both so that they " +
			"are",
		ungrouped("scripts", forTests, measure+"/load/output", measure+"/load/tables"),
		// the latter speak as pgbench does
	},
	{
		"no package is larger than somebody can know",
		"whoever looks for a thing has to read a file list, and in a longer one everything comes to lean on everything",
		rooms(size{30, 4500}),
	},
	{
		"no type does everything",
		"what has a hundred methods shares all its state between them, as a program of global variables would",
		thoughts(40),
	},
	{"no init", "what happens, happens because somebody called it; a test can then call it differently", initializers},
	{
		"every package opens with its promise",
		"a reader finds in one place what it does and what it leaves to others",
		promises,
	},
	{"a package is one noun", "a package of leftovers becomes everybody's dependency", nouns},
}

func TestSourceKeepsTheRules(t *testing.T) {
	source, err := parse(os.DirFS("../.."))
	if err != nil {
		t.Fatal(err)
	}
	for _, known := range []string{command + "/realiops", cli, runfile, series, probe} {
		if _, found := source[known]; !found {
			t.Fatalf("there is no package %s: is this the whole source?", known)
		}
	}
	for _, r := range rules {
		if broken := r.broken(source); len(broken) > 0 {
			t.Errorf("%s, because %s:\n\t%s", r.name, r.reason, strings.Join(broken, "\n\t"))
		}
	}
}
