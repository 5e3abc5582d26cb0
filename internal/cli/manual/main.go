// Manual writes the files that packages install beside the program: a man page for each command,
// and completions for each shell.
//
//	go run ./internal/cli/manual DIRECTORY VERSION TIME
package main

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/cobra/doc"

	"github.com/realiops/realiops/internal/cli"
	"github.com/realiops/realiops/internal/cli/command"
)

func main() {
	if len(os.Args) != 4 {
		fmt.Fprintln(os.Stderr, "usage: manual DIRECTORY VERSION TIME, as 2026-11-22T08:31:00Z")
		os.Exit(1)
	}
	if err := write(os.Args[1], os.Args[2], os.Args[3]); err != nil {
		fmt.Fprintln(os.Stderr, "manual:", err)
		os.Exit(1)
	}
}

func write(directory, version, at string) error {
	day, err := time.Parse(time.RFC3339, at)
	if err != nil {
		return err
	}
	root := cli.Command(command.SystemEnv())
	pages := filepath.Join(directory, "man")
	if err := os.MkdirAll(pages, 0o755); err != nil {
		return err
	}
	header := &doc.GenManHeader{Section: "1", Source: "realiops " + version, Manual: "realiops", Date: &day}
	root.DisableAutoGenTag = true
	forManual(root)
	if err := doc.GenManTree(root, header, pages); err != nil {
		return err
	}
	return completions(root, filepath.Join(directory, "completions"))
}

// forManual adds the exit statuses, which cobra omits, to a page.
func forManual(c *cobra.Command) {
	if status := c.Annotations[command.ExitStatus]; status != "" {
		c.Long += "\n\n**Exit status**\n\n"
		for line := range strings.Lines(status) {
			c.Long += "- " + line
		}
	}
	for _, below := range c.Commands() {
		forManual(below)
	}
}

// completions writes files under the names that shells look for.
func completions(root *cobra.Command, directory string) error {
	if err := os.MkdirAll(directory, 0o755); err != nil {
		return err
	}
	at := func(name string) string { return filepath.Join(directory, name) }
	for _, err := range []error{
		root.GenBashCompletionFileV2(at("realiops.bash"), true),
		root.GenZshCompletionFile(at("_realiops")),
		root.GenFishCompletionFile(at("realiops.fish"), true),
		root.GenPowerShellCompletionFileWithDesc(at("realiops.ps1")),
	} {
		if err != nil {
			return err
		}
	}
	return nil
}
