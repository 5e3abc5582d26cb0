package cli

import (
	"cmp"
	"fmt"
	"io"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

// flagGroup is a part of a command's flags under a title of its own, in the order in which the help shows them.
type flagGroup struct {
	title string
	flags *pflag.FlagSet
}

// group puts flags under a title.
func group(title string, add ...func(*pflag.FlagSet)) flagGroup {
	f := pflag.NewFlagSet("", pflag.ContinueOnError)
	f.SortFlags = false
	for _, add := range add {
		add(f)
	}
	return flagGroup{title, f}
}

// describe gives a command its flags, and a help of them, group by group, that ends with what the exit status means.
func describe(env Env, cmd *cobra.Command, exitStatus string, groups ...flagGroup) *cobra.Command {
	for _, g := range groups {
		cmd.Flags().AddFlagSet(g.flags)
	}
	if last := groups[len(groups)-1].flags; cmd.Flags().Lookup("help") == nil {
		last.BoolP("help", "h", false, "show this help and exit")
		cmd.Flags().AddFlagSet(last)
	}
	cmd.Flags().SetNormalizeFunc(earlierNames)
	cmd.PreRunE = refuseEmpty
	cmd.SetUsageFunc(func(c *cobra.Command) error {
		return usage(c.OutOrStderr(), c, env.columns(), exitStatus, groups)
	})
	return cmd
}

// earlierNames has flags go on working under names that scripts know and the help does not show.
func earlierNames(_ *pflag.FlagSet, name string) pflag.NormalizedName {
	switch name {
	case "arm":
		name = "load"
	case "arm-seconds":
		name = "load-seconds"
	case "replicates":
		name = "repetitions"
	}
	return pflag.NormalizedName(name)
}

func usage(w io.Writer, c *cobra.Command, width int, exitStatus string, groups []flagGroup) error {
	fmt.Fprintf(w, "Usage:\n  %s\n\nExamples:\n%s\n", c.UseLine(), c.Example)
	for _, g := range groups {
		fmt.Fprintf(w, "\n%s:\n%s", g.title, g.flags.FlagUsagesWrapped(width))
	}
	_, err := fmt.Fprintf(w, "\nExit status:\n%s", hanging(exitStatus, width))
	return err
}

// showHelp writes what a command is for, as wide as there is room for, and then its usage.
func showHelp(env Env, c *cobra.Command) error {
	fmt.Fprintf(c.OutOrStdout(), "%s\n\n", reflow(cmp.Or(c.Long, c.Short), env.columns()))
	return c.Usage()
}

// reflow lays the paragraphs of a text out anew. What is indented stays as it is.
func reflow(text string, width int) string {
	paragraphs := strings.Split(text, "\n\n")
	for i, p := range paragraphs {
		if strings.TrimLeft(p, " \t") == p {
			paragraphs[i] = fill(p, width, "")
		}
	}
	return strings.Join(paragraphs, "\n\n")
}

// statusIndent is as wide as an exit status and what surrounds it.
const statusIndent = "     "

// hanging lays out a list of exit statuses, a line each, with what does not fit on a line below it.
func hanging(list string, width int) string {
	var b strings.Builder
	for line := range strings.Lines(list) {
		fmt.Fprintf(&b, "  %s\n", strings.Replace(fill(line, width-2, statusIndent), " ", "  ", 1))
	}
	return b.String()
}

// fill breaks the words of a text into lines, all but the first of them indented.
func fill(text string, width int, indent string) string {
	var b strings.Builder
	column := 0
	for word := range strings.FieldsSeq(text) {
		switch letters := len([]rune(word)); {
		case column == 0:
			column = letters
		case column+1+letters >= width:
			b.WriteString("\n" + indent)
			column = len(indent) + letters
		default:
			b.WriteByte(' ')
			column += 1 + letters
		}
		b.WriteString(word)
	}
	return b.String()
}
