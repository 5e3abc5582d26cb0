package cli

import (
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/realiops/realiops/internal/cli/progress"
	"github.com/realiops/realiops/internal/measure/fio"
)

// complete tells the shell what may follow in a command: the values of flags that take one of a few, and no files where
// no argument is taken. Elsewhere the shell offers files, as is right for a run file.
func complete(c *cobra.Command) {
	for flag, values := range map[string][]string{
		"format":   formatsOf(c.Name()),
		"progress": {string(progress.Auto), string(progress.Bar), string(progress.Plain), string(progress.None)},
		"flavor":   {"aurora", "rds", "ebs"},
	} {
		offer(c, flag, values...)
	}
	if c.Name() == "baseline" {
		offer(c, "set", fio.SetDatabase, fio.SetPublished)
	}
	if !strings.Contains(c.Use, " ") {
		c.ValidArgsFunction = cobra.NoFileCompletions
	}
}

func offer(c *cobra.Command, flag string, values ...string) {
	if c.Flags().Lookup(flag) != nil {
		_ = c.RegisterFlagCompletionFunc(flag, cobra.FixedCompletions(values, cobra.ShellCompDirectiveNoFileComp)) // it fails for no flag alone
	}
}

func formatsOf(command string) []string {
	switch command {
	case "report":
		return []string{formatHTML, formatMarkdown, formatCSV, formatJSON, formatPNG}
	case "compare":
		return []string{formatText, formatJSON, formatCSV}
	case "iam-policy":
		return []string{formatJSON, formatTerraform}
	default:
		return []string{formatText, formatJSON}
	}
}

// completeNames offers every name that explain knows and that a shell takes without quotes.
func completeNames(*cobra.Command, []string, string) ([]cobra.Completion, cobra.ShellCompDirective) {
	bare := slices.DeleteFunc(allKnown().names(), func(name string) bool { return strings.ContainsAny(name, " ()*") })
	return bare, cobra.ShellCompDirectiveNoFileComp
}
