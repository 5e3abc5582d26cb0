package cli

import (
	"bytes"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/realiops/realiops/internal/cli/command"
)

// Completions as the scripts of realiops completion request them.
func TestCompletion(t *testing.T) {
	t.Parallel()
	check := func(offered string, args ...string) {
		t.Helper()
		var out bytes.Buffer
		if code := Main(command.Env{Out: &out, Err: &bytes.Buffer{}},
			append([]string{"__completeNoDesc"}, args...)); code != command.ExitDone {
			t.Errorf("%q: exit status %d", args, code)
		}
		if lines := strings.Split(out.String(), "\n"); !slices.Contains(lines, offered) {
			t.Errorf("%q does not offer %q:\n%s", args, offered, &out)
		}
	}
	check("observe", "ob")
	check("--budget", "run", "--bu")
	check("terraform", "aws", "policy", "--format", "")
	check("png", "report", "--format", "")
	check("published", "baseline", "--set", "")
	check("WriteIOPS", "explain", "Write")
	check("identify", "run", "--plan", "")
	check("aurora", "size", "--on", "")
	check("m5.xlarge", "size", "--class", "m5")
	check("WriteIOPS", "run", "--require", "Write")
	check("LAST", "report", "LA")
	check("LAST", "compare", "LA")
	check("LAST", "size", "--baseline", "L")
	check("powershell", "completion", "")
	for command, formats := range formatsByHelp() {
		for _, format := range formats {
			check(format, command, "--format", "")
		}
	}
	check(":0", "report", "run") // files
	check(":4", "run", "")       // none
}

// formatsByHelp returns the formats named in the help of each command.
func formatsByHelp() map[string][]string {
	format := regexp.MustCompile(`\b(text|json|csv|html|md|png|svg|terraform|openmetrics|go|junit|github|bencher)\b`)
	named := map[string][]string{}
	for _, c := range Command(command.Env{}).Commands() {
		if f := c.Flags().Lookup("format"); f != nil {
			named[c.Name()] = format.FindAllString(f.Usage, -1)
		}
	}
	return named
}

// An unsupported shell is refused, and the supported ones are named.
func TestCompletionOfNoShell(t *testing.T) {
	t.Parallel()
	for _, args := range [][]string{{"completion"}, {"completion", "tcsh"}, {"completion", "bash", "zsh"}} {
		var out, messages bytes.Buffer
		if code := Main(command.Env{Out: &out, Err: &messages}, args); code != command.ExitUsage || out.Len() > 0 {
			t.Errorf("%q: exit status %d, %s", args, code, &out)
		}
		if want := "name one shell of bash, fish, powershell, zsh"; !strings.Contains(messages.String(), want) {
			t.Errorf("%q: %s", args, &messages)
		}
	}
}
