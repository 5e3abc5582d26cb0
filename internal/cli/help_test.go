package cli

import (
	"bytes"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/spf13/cobra"

	"github.com/realiops/realiops/internal/cli/command"
)

// Every command's help has an example and the exit status, and fits 80 columns, except for
// examples, which are to be copied.
func TestHelpOfEveryCommand(t *testing.T) {
	t.Parallel()
	for _, c := range newRootCommand(command.Env{}).Commands() {
		if !c.IsAvailableCommand() || c.Name() == "help" {
			continue
		}
		t.Run(c.Name(), func(t *testing.T) { checkHelp(t, c) })
	}
}

func checkHelp(t *testing.T, c *cobra.Command) {
	var out bytes.Buffer
	root := newRootCommand(command.Env{Out: &out, Err: &out})
	root.SetArgs([]string{c.Name(), "--help"})
	if err := root.ExecuteContext(t.Context()); err != nil {
		t.Fatal(err)
	}
	help := out.String()
	for _, part := range []string{"\nUsage:\n  realiops " + c.Name(), "\nExamples:\n  realiops " + c.Name(),
		"show this help", "\nExit status:\n  0  "} {
		if !strings.Contains(help, part) {
			t.Errorf("the help lacks %q:\n%s", part, help)
		}
	}
	for line := range strings.Lines(strings.ReplaceAll(help, c.Example, "")) {
		if len([]rune(line)) > command.DefaultWidth+1 {
			t.Errorf("%d columns: %s", len(line)-1, line)
		}
		for _, kind := range []string{" string ", " strings ", " int ", " uint ", " float "} {
			if strings.HasPrefix(line, "  ") && strings.Contains(line, "--") && strings.Contains(line, kind) {
				t.Errorf("a value goes by its type in Go: %s", line)
			}
		}
		if strings.Contains(line, "m0s") || strings.Contains(line, "default 0s") {
			t.Errorf("a time is written as Go does: %s", line)
		}
	}
}

// No mistake on the command line is answered in Go's terms.
func TestMistakes(t *testing.T) {
	t.Parallel()
	check := func(want string, args ...string) {
		t.Helper()
		var out bytes.Buffer
		if code := Main(command.Env{Out: &out, Err: &out, Getenv: func(string) string {
			return ""
		}}, args); code != command.ExitUsage {
			t.Errorf("%q: exit status %d, want %d", args, code, command.ExitUsage)
		}
		if got := strings.TrimSuffix(out.String(), "\n"); got != "realiops: "+want {
			t.Errorf("%q\nsays  %s\nwant  realiops: %s", args, got, want)
		}
	}
	check(`unknown command "reprot"; did you mean report? (see realiops --help)`, "reprot")
	check(`unknown command "hlep"; did you mean help? (see realiops --help)`, "hlep")
	check(`realiops run has no flag -T; did you mean --budget? (see realiops run --help)`, "run", "-T", "60")
	check(`realiops run has no flag -d; did you mean --dsn? (see realiops run --help)`, "run", "-d", "shop")
	check(`realiops observe has no flag -U; did you mean --dsn? (see realiops observe --help)`, "observe", "-U", "me")
	check(`realiops size has no flag --iops; did you mean --need? (see realiops size --help)`, "size", "--iops", "3000")
	check(`realiops baseline has no flag --rw; did you mean --only? (see realiops baseline --help)`, "baseline", "--rw=randread")
	check(`realiops baseline has no flag --bs; did you mean --job? (see realiops baseline --help)`, "baseline", "--bs=4k")
	check(`realiops history has no flag --start-time; did you mean --for? (see realiops history --help)`,
		"history", "--start-time", "yesterday")
	check(`there is no file last; did you mean LAST, the last run?`, "report", "last")
	check(`unknown command "bench" (see realiops --help)`, "bench")
	check(`unknown command "nosuch" (see realiops --help)`, "help", "nosuch")
	check(`realiops run has no flag --budgt; did you mean --budget? (see realiops run --help)`, "run", "--budgt", "1m")
	check(`realiops run has no flag -q (see realiops run --help)`, "run", "-q")
	check(`realiops run takes no argument "shop"; name a server with --dsn (see realiops run --help)`,
		"run", "shop")
	check(`realiops server takes no argument "x" (see realiops server --help)`, "server", "x")
	check(`--budget: missing duration (see realiops run --help)`, "run", "--budget")
	check(`--budget "120": want a time with its unit, such as 90s, 1h30m or 7d (see realiops run --help)`, "run",
		"--budget", "120")
	check(`--clients "many": want a whole number (see realiops run --help)`, "run", "--clients", "many")
	check(`--seed "-1": want a whole number, 0 or more (see realiops run --help)`, "run", "--seed=-1")
	check(`--growth "lots": want a number (see realiops size --help)`, "size", "LAST", "--growth", "lots")
	check(`--client "0": it must be an integer in range 1..2147483647 (see realiops load --help)`, "load", "-c", "0")
	check(`--flavor has no effect for a run`, "size", "LAST", "--flavor", "rds")
	check(`--gib has no effect with --check`, "size", "--check", "ms=4", "--gib", "500")
	check(`--need, --from-metric and --check take no run; leave out LAST`, "size", "LAST", "--check", "ms=4")
	check(`--need is empty: it takes two of iops=, mbps= (or 120MiB) and kb= per request; reads= in percent; flushes= (see realiops size --help)`, "size", "--need", "")
	check(`--on is empty: give a value, or leave the flag out (see realiops size --help)`, "size", "LAST", "--on", "")
	check(`--on "aws" is a cloud; use ebs, rds or aurora`, "size", "--need", "iops=3000,kb=8", "--on", "aws")
	check(`--baseline is empty: give a value, or leave the flag out (see realiops size --help)`, "size", "LAST",
		"--baseline", "")
}

// An old name of a flag is refused with the new one; the help shows only the new one.
func TestRenamedFlags(t *testing.T) {
	t.Parallel()
	check := func(verb, earlier, name string) {
		t.Helper()
		var out, said bytes.Buffer
		if code := Main(command.Env{Out: &out, Err: &said}, []string{verb, "--" + earlier, "3"}); code != 1 {
			t.Errorf("%s --%s 3 ends with %d", verb, earlier, code)
		}
		want := fmt.Sprintf("realiops: --%s is now --%s (see realiops %s --help)\n", earlier, name, verb)
		if diff := cmp.Diff(want, said.String()); diff != "" {
			t.Error(diff)
		}
	}
	check("run", "arm-seconds", "load-seconds")
	check("run", "replicates", "repetitions")
	check("size", "arm", "load")
	check("report", "arm", "load")
	check("size", "instance", "class")
	check("measure", "budget", "max")
}

// An old name of a command is refused with the new one, whatever follows.
func TestRenamedCommands(t *testing.T) {
	t.Parallel()
	for old, now := range map[string]string{
		"analyze LAST": "report", "aurora-cost --cluster shop": "aws cost", "limits --region x": "aws limits",
		"iam-policy":   "aws policy",
		"collect LAST": "aws collect",
	} {
		var out, said bytes.Buffer
		code := Main(command.Env{Out: &out, Err: &said}, strings.Fields(old))
		if want := "realiops: realiops " + strings.Fields(old)[0] + " is now realiops " + now +
			"\n"; code != command.ExitUsage || said.String() != want {
			t.Errorf("%s: %d, %q, want %q", old, code, &said, want)
		}
	}
}

// A run file must not be named like a report.
func TestARecordingIsNoPage(t *testing.T) {
	t.Parallel()
	for _, verb := range []string{"run", "observe", "baseline", "history"} {
		var out, said bytes.Buffer
		if code := Main(command.Env{Out: &out, Err: &said}, []string{verb, "-o", "page.html"}); code !=
			command.ExitUsage || !strings.Contains(said.String(), "realiops report RUN -o page.html") {
			t.Errorf("%s: %d, %q", verb, code, &said)
		}
	}
}
