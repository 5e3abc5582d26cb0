// Command notice collects the licence texts of the program's modules.
//
//	notice         prints the file NOTICE: the notices that modules come with
//	notice FILE    writes the licence of each module to FILE, for archives and packages
package main

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
)

func main() {
	if err := write(os.Args[1:]); err != nil {
		fmt.Fprintln(os.Stderr, "notice:", err)
		os.Exit(1)
	}
}

func write(files []string) error {
	if len(files) == 0 {
		return notices(os.Stdout)
	}
	if len(files) > 1 || strings.HasPrefix(files[0], "-") {
		return errors.New("usage: notice [FILE]")
	}
	var text bytes.Buffer
	if err := licenses(&text); err != nil {
		return err
	}
	return os.WriteFile(files[0], text.Bytes(), 0o644) //nolint:gosec // for everybody
}

const ours = `realiops
Copyright 2026 The realiops Authors

realiops contains modules by others. Those that come with a notice are listed below, each with its notice.
`

func notices(w io.Writer) error {
	fmt.Fprint(w, ours)
	return each(w, "NOTICE*", false)
}

func licenses(w io.Writer) error {
	fmt.Fprintln(w, "The licences of the modules in realiops.")
	return each(w, "LICEN[CS]E*", true)
}

// each prints the files of a name in every module of the program, and fails for a module without one if required.
func each(w io.Writer, name string, required bool) error {
	modules, err := linked()
	if err != nil {
		return err
	}
	for _, m := range modules {
		files, err := filepath.Glob(filepath.Join(m.directory, name))
		if err != nil {
			return err
		}
		if required && len(files) == 0 {
			return fmt.Errorf("%s has no licence file", m.path)
		}
		for _, file := range files {
			text, err := os.ReadFile(file)
			if err != nil {
				return err
			}
			fmt.Fprintf(w, "\n---- %s ----\n\n%s\n", m.path, bytes.TrimSpace(text))
		}
	}
	return nil
}

type module struct{ path, directory string }

// linked returns the program's modules on all released systems, and Go's own library, by name.
func linked() ([]module, error) {
	root, err := exec.Command("go", "env", "GOROOT").Output()
	if err != nil {
		return nil, fmt.Errorf("ask where Go is: %w", err)
	}
	all := []module{{"Go's standard library", strings.TrimSpace(string(root))}}
	for _, system := range []string{"linux", "darwin", "windows"} {
		list := exec.Command("go", "list", "-deps", "-f",
			"{{with .Module}}{{if not .Main}}{{.Path}}\t{{.Dir}}{{end}}{{end}}",
			"github.com/realiops/realiops/cmd/realiops")
		list.Env = append(os.Environ(), "GOOS="+system, "CGO_ENABLED=0")
		list.Stderr = os.Stderr
		out, err := list.Output()
		if err != nil {
			return nil, fmt.Errorf("list the modules of the program on %s: %w", system, err)
		}
		for line := range strings.Lines(string(out)) {
			if path, directory, found := strings.Cut(strings.TrimSpace(line), "\t"); found {
				all = append(all, module{path, directory})
			}
		}
	}
	slices.SortFunc(all, func(a, b module) int { return cmp.Compare(a.path, b.path) })
	return slices.Compact(all), nil
}
