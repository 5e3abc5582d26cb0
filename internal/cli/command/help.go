package command

import (
	"cmp"
	"fmt"
	"io"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/realiops/realiops/internal/analyze/document"
)

// flagGroup is a titled part of a command's flags, in the order of the help.
type flagGroup struct {
	title string
	*pflag.FlagSet
}

// Group gives flags a title.
func Group(title string, add ...func(*pflag.FlagSet)) flagGroup {
	f := pflag.NewFlagSet("", pflag.ContinueOnError)
	f.SortFlags = false
	for _, add := range add {
		add(f)
	}
	return flagGroup{title, f}
}

// ExitStatus is the annotation of a command with its exit statuses, a line each.
const ExitStatus = "exit status"

// Describe adds flags to a command, with help by group that ends with the exit statuses.
func Describe(env Env, cmd *cobra.Command, exitStatus string, groups ...flagGroup) *cobra.Command {
	for _, g := range groups {
		cmd.Flags().AddFlagSet(g.FlagSet)
	}
	cmd.Flags().VisitAll(shortenTimes)
	if last := groups[len(groups)-1].FlagSet; cmd.Flags().Lookup("help") == nil {
		last.BoolP("help", "h", false, "show this help and exit")
		cmd.Flags().AddFlagSet(last)
	}
	spellNumbers(cmd)
	spellTimes(cmd)
	cmd.PreRunE = refuseEmpty
	cmd.Annotations = map[string]string{ExitStatus: exitStatus}
	cmd.SetUsageFunc(func(c *cobra.Command) error {
		return usage(c.OutOrStderr(), c, env.Columns(), exitStatus, groups)
	})
	return cmd
}

// shortenTimes shows a default of 24h0m0s as 24h, and no default of 0s, for which the help has words.
func shortenTimes(f *pflag.Flag) {
	if f.Value.Type() != "duration" {
		return
	}
	for _, text := range []*string{&f.DefValue, &f.NoOptDefVal} {
		for _, nothing := range []string{"m0s", "h0m"} {
			if strings.HasSuffix(*text, nothing) {
				*text = (*text)[:len(*text)-len("0s")]
			}
		}
	}
	if f.DefValue == "0s" {
		f.DefValue = ""
	}
}

func usage(w io.Writer, c *cobra.Command, width int, exitStatus string, groups []flagGroup) error {
	fmt.Fprintf(w, "Usage:\n  %s\n\nExamples:\n%s\n", c.UseLine(), c.Example)
	if c.HasAvailableSubCommands() {
		fmt.Fprint(w, "\nCommands:\n")
		for _, below := range c.Commands() {
			fmt.Fprintf(w, "  %-*s  %s\n", below.NamePadding(), below.Name(), below.Short)
		}
	}
	for _, g := range groups {
		fmt.Fprintf(w, "\n%s:\n%s", g.title, g.FlagUsagesWrapped(width))
	}
	fmt.Fprint(w, "\nExit status:\n")
	var meanings document.Terms
	for line := range strings.Lines(exitStatus) {
		code, means, _ := strings.Cut(line, " ")
		meanings = append(meanings, document.Term{Name: code, Texts: []string{means}})
	}
	return document.Text(w, document.Document{Blocks: []document.Block{meanings}}, width)
}

// ShowHelp writes a command's description, wrapped to the width, and then its usage.
func ShowHelp(env Env, c *cobra.Command) error {
	var d document.Document
	for paragraph := range strings.SplitSeq(cmp.Or(c.Long, c.Short), "\n\n") {
		var block document.Block = document.Paragraph{Text: strings.ReplaceAll(paragraph, "\n", " ")}
		if strings.HasPrefix(paragraph, "    ") {
			block = document.Example(strings.Split(paragraph, "\n"))
		}
		d.Blocks = append(d.Blocks, block)
	}
	if err := document.Text(c.OutOrStdout(), d, env.Columns()); err != nil {
		return err
	}
	fmt.Fprintln(c.OutOrStdout())
	return c.Usage()
}
