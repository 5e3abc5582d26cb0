package command

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/realiops/realiops/internal/typo"
)

// Mistyped command lines: an error is one line with the mistake and the probable intention.

func SeeHelp(c *cobra.Command) string { return fmt.Sprintf("(see %s --help)", c.CommandPath()) }

// KnownCommand returns an error for an unknown command.
func KnownCommand(c *cobra.Command, args []string) error {
	if len(args) == 0 {
		return nil
	}
	var names []string
	for _, known := range c.Commands() {
		if known.IsAvailableCommand() {
			names = append(names, known.Name())
		}
	}
	if !c.HasParent() {
		names = append(names, "help")
	}
	return fmt.Errorf("unknown command %q%s %s", args[0], Meant("", args[0], names), SeeHelp(c))
}

// RenamedCommand returns an error that names the new name of a renamed command.
func RenamedCommand(args []string) error {
	if len(args) == 0 {
		return nil
	}
	now := map[string]string{
		"analyze": "report", "aurora-cost": "aws cost", "limits": "aws limits", "iam-policy": "aws policy",
		"collect": "aws collect",
	}[args[0]]
	if now == "" {
		return nil
	}
	return fmt.Errorf("realiops %s is now realiops %s", args[0], now)
}

// NoArguments returns an error for arguments of a command that takes only flags.
func NoArguments(c *cobra.Command, args []string) error {
	switch {
	case len(args) == 0:
		return nil
	case c.Flags().Changed("container"):
		return fmt.Errorf("%s takes no argument %q; name an image with --container=%s %s", c.CommandPath(), args[0], args[0],
			SeeHelp(c))
	case c.Flags().Lookup("dsn") != nil:
		return fmt.Errorf("%s takes no argument %q; name a server with --dsn %s", c.CommandPath(), args[0], SeeHelp(c))
	default:
		return fmt.Errorf("%s takes no argument %q %s", c.CommandPath(), args[0], SeeHelp(c))
	}
}

// Meant returns a question for the name that was probably meant, or "".
func Meant(prefix, typed string, names []string) string {
	if guess := typo.Guess(typed, names); guess != "" {
		return fmt.Sprintf("; did you mean %s%s?", prefix, guess)
	}
	return ""
}

// CountGiven returns how many of mutually exclusive options were given.
func CountGiven(given ...bool) (n int) {
	for _, g := range given {
		if g {
			n++
		}
	}
	return n
}

// FlagMistake explains an error about a flag in the user's terms.
func FlagMistake(c *cobra.Command, err error) error {
	if unknown, ok := errors.AsType[*pflag.NotExistError](err); ok {
		if c.HasParent() && c.HasAvailableSubCommands() {
			return fmt.Errorf("%s does nothing by itself; name one of its commands first %s", c.CommandPath(), SeeHelp(c))
		}
		if now := renamedFlag(c, unknown.GetSpecifiedName()); now != "" {
			return fmt.Errorf("--%s is now %s %s", unknown.GetSpecifiedName(), now, SeeHelp(c))
		}
		return fmt.Errorf("%s has no flag %s %s", c.CommandPath(), unknownFlag(c, unknown), SeeHelp(c))
	}
	if lacking, ok := errors.AsType[*pflag.ValueRequiredError](err); ok {
		kind, _ := pflag.UnquoteUsage(lacking.GetFlag())
		return fmt.Errorf("--%s: missing %s %s", lacking.GetFlag().Name, kind, SeeHelp(c))
	}
	if invalid, ok := errors.AsType[*pflag.InvalidValueError](err); ok {
		flag := invalid.GetFlag()
		says := cmp.Or(wants[flag.Value.Type()], invalid.Unwrap().Error())
		if why, is := errors.AsType[unclear](invalid.Unwrap()); is {
			says = why.Error()
		}
		return fmt.Errorf("--%s %q: %s %s", flag.Name, invalid.GetValue(), says, SeeHelp(c))
	}
	return fmt.Errorf("%w %s", err, SeeHelp(c))
}

// renamedFlag returns the new name of a renamed flag, or "" if the command never had it.
func renamedFlag(c *cobra.Command, old string) string {
	now := map[string]string{"arm": "load", "arm-seconds": "load-seconds", "replicates": "repetitions", "budget": "max",
		"instance": "class"}[old]
	if now == "" || c.Flags().Lookup(now) == nil {
		return ""
	}
	return "--" + now
}

func unknownFlag(c *cobra.Command, unknown *pflag.NotExistError) string {
	if letters := unknown.GetSpecifiedShortnames(); letters != "" {
		return "-" + letters + meantFlag(c, letters)
	}
	return "--" + unknown.GetSpecifiedName() + meantFlag(c, unknown.GetSpecifiedName())
}

// meantFlag returns a question for the flag that was probably meant: one with a similar name, or the
// counterpart of another program's flag.
func meantFlag(c *cobra.Command, typed string) string {
	var names []string
	c.Flags().VisitAll(func(f *pflag.Flag) {
		if !f.Hidden {
			names = append(names, f.Name)
		}
	})
	for _, name := range append([]string{typed}, elsewhere[typed]...) {
		if slices.Contains(names, name) {
			return "; did you mean --" + name + "?"
		}
	}
	return Meant("--", typed, names)
}

// elsewhere maps flags of other programs to ours; the first that a command has is suggested.
var elsewhere = map[string][]string{
	"duration": {"budget", "for", "time"}, "time": {"budget", "for"}, "seconds": {"budget", "for", "time"},
	"for": {"budget", "time"}, "timeout": {"budget", "for", "time"},
	"host": {"dsn"}, "url": {"dsn"}, "uri": {"dsn"}, "database": {"dsn"}, "dbname": {"dsn"}, "db": {"dsn"},
	"d": {"dsn"}, "U": {"dsn"}, "p": {"dsn"}, "W": {"dsn"}, "T": {"budget", "for"}, "t": {"budget", "for"},
	"iops": {"need"}, "start": {"for"}, "since": {"for"},
	"from": {"for"}, "end": {"until"}, "to": {"until"}, "filename": {"dir"},
	"connection": {"dsn"}, "connection-string": {"dsn"},
	"user": {"dsn"}, "username": {"dsn"}, "port": {"dsn"}, "out": {"output", "dir"}, "output": {"dir"},
	"out-file": {"output"}, "file": {"output"}, "o": {"output", "dir"}, "directory": {"dir"},
	"instance-class": {"class"}, "instance-type": {"class"}, "machine": {"class"}, "machine-type": {"class"},
	"type": {"class"}, "vm-size": {"class"},
	"storage": {"gib", "on"}, "size": {"gib"}, "gb": {"gib"}, "data": {"gib"}, "cloud": {"on"}, "provider": {"on"},
	"volume":  {"on"},
	"threads": {"jobs"}, "runs": {"repetitions"}, "repeat": {"repetitions"}, "json": {"format"}, "csv": {"format"},
	"html": {"output"}, "metrics": {"metric"},
	"instance": {"class"}, "cluster": {"instance"}, "db-instance-identifier": {"instance"}, "limit": {"max"},
	"prices": {"price"}, "commands": {"sql"}, "command": {"sql"},
	"rw": {"only"}, "readwrite": {"only"}, "bs": {"job"}, "blocksize": {"job"}, "iodepth": {"job"}, "numjobs": {"job"},
	"start-time": {"for"}, "end-time": {"until"}, "metric-name": {"metric"},
}

// OneDash rejects a flag's full name after one dash, which would be parsed as letters, of which one
// may take the rest as its value.
func OneDash(c *cobra.Command, args []string) error {
	for _, arg := range args {
		if arg == "--" {
			return nil
		}
		name, _, _ := strings.Cut(strings.TrimPrefix(arg, "-"), "=")
		if strings.HasPrefix(arg, "-") && len(name) > 1 && name[0] != '-' && c.Flags().Lookup(name) != nil {
			return fmt.Errorf("%s has no flag -%s; did you mean --%s? %s", c.CommandPath(), name, name, SeeHelp(c))
		}
	}
	return nil
}

// wants describes the values of each flag type. Our own types describe themselves.
var wants = map[string]string{
	"duration":    "want a time with its unit, such as 90s, 1h30m or 7d",
	"int":         "want a whole number",
	"uint64":      "want a whole number, 0 or more",
	"float64":     "want a number",
	"bool":        "want true or false",
	"stringSlice": "want a list separated by commas",
}

// refuseEmpty rejects an empty flag value, as from an unset variable in a script: it would count as not given, and
// the command would do something else.
func refuseEmpty(c *cobra.Command, _ []string) (err error) {
	c.Flags().Visit(func(f *pflag.Flag) {
		lists := slices.Contains([]string{"string", "stringSlice", "stringArray"}, f.Value.Type())
		if !lists || strings.Trim(f.Value.String(), "[] ") != "" || err != nil {
			return
		}
		lacks := "give a value, or leave the flag out"
		if kind, usage := pflag.UnquoteUsage(f); kind == "FIGURES" {
			_, figures, _ := strings.Cut(usage, ": ")
			lacks = "it takes " + figures
		}
		err = fmt.Errorf("--%s is empty: %s %s", f.Name, lacks, SeeHelp(c))
	})
	return err
}
