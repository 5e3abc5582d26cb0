package cli

import (
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/realiops/realiops/internal/analyze/catalog"
	"github.com/realiops/realiops/internal/cli/command"
	"github.com/realiops/realiops/internal/cli/progress"
	"github.com/realiops/realiops/internal/cli/reading"
	"github.com/realiops/realiops/internal/measure/experiment"
	"github.com/realiops/realiops/internal/measure/fio"
	"github.com/realiops/realiops/internal/runfile"
)

// shells maps each supported shell to the generator of its completion script.
var shells = map[string]func(*cobra.Command, io.Writer) error{
	"bash":       func(c *cobra.Command, w io.Writer) error { return c.GenBashCompletionV2(w, true) },
	"zsh":        (*cobra.Command).GenZshCompletion,
	"fish":       func(c *cobra.Command, w io.Writer) error { return c.GenFishCompletion(w, true) },
	"powershell": (*cobra.Command).GenPowerShellCompletionWithDesc,
}

func newCompletionCommand(env command.Env) *cobra.Command {
	names := slices.Sorted(maps.Keys(shells))
	cmd := &cobra.Command{
		Use:   "completion SHELL",
		Short: "Print a shell's completion script: " + strings.Join(names, ", "),
		Example: `  realiops completion bash > ~/.local/share/bash-completion/completions/realiops
  realiops completion zsh > "${fpath[1]}/_realiops"
  realiops completion fish > ~/.config/fish/completions/realiops.fish
  realiops completion powershell | Out-String | Invoke-Expression`,
		ValidArgs: names,
		RunE: func(c *cobra.Command, args []string) error {
			if len(args) != 1 || shells[args[0]] == nil {
				return fmt.Errorf("name one shell of %s %s", strings.Join(names, ", "), command.SeeHelp(c))
			}
			return shells[args[0]](c.Root(), env.Out)
		},
	}
	return command.Describe(env, cmd, completionExitHelp, command.Group("Flags"))
}

const completionExitHelp = `0  printed
1  wrong usage: name one of these shells`

// complete sets completions for a command: the values of flags with a few values, and no files for commands without
// arguments. Elsewhere the shell offers files, and the last run.
func complete(c *cobra.Command) {
	for flag, values := range map[string][]string{
		"progress": {string(progress.Auto), string(progress.Bar), string(progress.Plain), string(progress.None)},
		"flavor":   {"aurora", "rds", "ebs"},
	} {
		offer(c, flag, cobra.ShellCompDirectiveNoFileComp, values...)
	}
	if format := c.Flags().Lookup("format"); format != nil {
		offer(c, "format", cobra.ShellCompDirectiveNoFileComp, format.Value.(*command.FormatFlag).Offered...)
	}
	offer(c, "plan", cobra.ShellCompDirectiveDefault, experiment.Names()...)
	switch c.Name() {
	case "baseline":
		offer(c, "set", cobra.ShellCompDirectiveNoFileComp, fio.SetDatabase, fio.SetPublished)
	case "size", "report":
		completeSizes(c)
	}
	if c.Flags().Lookup("require") != nil {
		_ = c.RegisterFlagCompletionFunc("require", reading.CompleteNames)
	}
	switch {
	case c.ValidArgsFunction != nil || c.ValidArgs != nil:
	case !strings.Contains(c.Use, " "):
		c.ValidArgsFunction = cobra.NoFileCompletions
	case strings.Contains(c.Use, "FILE") || strings.Contains(c.Use, "A B"):
		c.ValidArgsFunction = completeLatest
	}
	for _, below := range c.Commands() {
		complete(below)
	}
}

// completeLatest offers the last run if the user has begun to type its name, and files otherwise.
func completeLatest(_ *cobra.Command, _ []string, typed string) ([]cobra.Completion, cobra.ShellCompDirective) {
	if typed != "" && strings.HasPrefix(runfile.Latest, typed) {
		return []cobra.Completion{runfile.Latest}, cobra.ShellCompDirectiveNoFileComp
	}
	return nil, cobra.ShellCompDirectiveDefault
}

func offer(c *cobra.Command, flag string, directive cobra.ShellCompDirective, values ...string) {
	if c.Flags().Lookup(flag) != nil {
		_ = c.RegisterFlagCompletionFunc(flag, cobra.FixedCompletions(values, directive)) // only for unknown flags
	}
}

// completeSizes offers names from the catalog, read when a shell asks. If the catalog is unreadable it offers
// nothing; the command itself reports that.
func completeSizes(c *cobra.Command) {
	for _, ofRun := range []string{"baseline", "calibrate"} {
		_ = c.RegisterFlagCompletionFunc(ofRun, completeLatest)
	}
	for flag, values := range map[string]func() []string{"on": reading.StorageNames, "class": classNames} {
		if c.Flags().Lookup(flag) == nil {
			continue
		}
		_ = c.RegisterFlagCompletionFunc(flag,
			func(*cobra.Command, []string, string) ([]cobra.Completion, cobra.ShellCompDirective) {
				return values(), cobra.ShellCompDirectiveNoFileComp
			})
	}
}

func classNames() (classes []string) {
	for _, i := range catalog.Instances() {
		classes = append(classes, i.Class)
	}
	return classes
}
