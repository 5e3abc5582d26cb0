// Release builds the contents of .goreleaser.yaml, without goreleaser and without publishing anything: the program
// for every target, manuals, Linux packages, and each program's list of components. It runs programs for Linux: those
// for another architecture by the kernel's emulation, which Debian's qemu-user-static and binfmt-support set up.
//
//	go run ./scripts/release [-only linux/amd64] DIRECTORY VERSION
//
// Archives, checksums, the image and the cask are left to goreleaser, which makes the real release. It
// is not a tool of this repository: with its 330 modules, each run of the tests would take minutes to
// build what this builds in seconds.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"strings"
	"time"
)

func main() {
	only := flag.String("only", "", "build for this `system/architecture` alone")
	flag.Parse()
	if flag.NArg() != 2 {
		fmt.Fprintln(os.Stderr, "usage: release [-only linux/amd64] DIRECTORY VERSION")
		os.Exit(1)
	}
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	if err := everything(ctx, flag.Arg(0), flag.Arg(1), *only); err != nil {
		fmt.Fprintln(os.Stderr, "release:", err)
		os.Exit(1)
	}
}

func everything(ctx context.Context, directory, version, only string) (err error) {
	r, err := read(".", version)
	if err != nil {
		return err
	}
	if err := r.documents(ctx); err != nil {
		return err
	}
	place, err := os.MkdirTemp("", "release-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(place)
	trying, stop := context.WithCancel(ctx)
	trial, ended, err := r.startTrial(trying, place)
	if err != nil {
		stop()
		return err
	}
	defer func() {
		stop()
		err = errors.Join(err, ended())
	}()
	for _, t := range r.targets() {
		if only != "" && only != t.String() {
			continue
		}
		program := t.program(directory)
		if err := r.build(ctx, t, program); err != nil {
			return err
		}
		if err := r.materials(ctx, program); err != nil {
			return err
		}
		if t.system == "linux" {
			if err := trial.try(ctx, r.root, t, program); err != nil {
				return err
			}
			if err := r.packages(ctx, t, program, directory); err != nil {
				return err
			}
		}
		fmt.Println(program)
	}
	return nil
}

// target is a system and an architecture, in Go's words.
type target struct{ system, architecture string }

func (t target) String() string { return t.system + "/" + t.architecture }

// program returns the path of the program, as the image expects it.
func (t target) program(directory string) string {
	name := "realiops"
	if t.system == "windows" {
		name += ".exe"
	}
	return filepath.Join(directory, t.system, t.architecture, name)
}

func (r release) targets() (all []target) {
	for _, system := range r.Builds[0].Systems {
		for _, architecture := range r.Builds[0].Architectures {
			all = append(all, target{system, architecture})
		}
	}
	return all
}

// build builds the program, reproducibly from the source and the version alone.
func (r release) build(ctx context.Context, t target, program string) error {
	absolute, err := filepath.Abs(program)
	if err != nil {
		return err
	}
	b := r.Builds[0]
	args := append([]string{"build", "-o", absolute, "-ldflags", strings.ReplaceAll(b.Linker[0], "{{ .Version }}",
		r.version)}, b.Flags...)
	return r.run(ctx, append(b.Environment, "GOOS="+t.system, "GOARCH="+t.architecture), "go", append(args, b.Main)...)
}

// documents writes man pages, completions and licences, where the packages look for them.
func (r release) documents(ctx context.Context) error {
	if err := r.run(ctx, nil, "go", "run", "./internal/cli/manual", "build/manual", r.version,
		r.date.Format(time.RFC3339)); err != nil {
		return err
	}
	return r.run(ctx, nil, "go", "run", "./scripts/notice", "build/licenses.txt")
}

// materials writes the list of a program's components to a file beside it.
func (r release) materials(ctx context.Context, program string) error {
	absolute, err := filepath.Abs(program)
	if err != nil {
		return err
	}
	return r.run(ctx, nil, "packaging/sbom", absolute, absolute+".cdx.json")
}

// run prints nothing if all goes well.
func (r release) run(ctx context.Context, environment []string, name string, args ...string) error {
	c := exec.CommandContext(ctx, name, args...)
	c.Dir, c.Env = r.root, append(os.Environ(), environment...)
	if said, err := c.CombinedOutput(); err != nil {
		return fmt.Errorf("%s %s: %w\n%s", name, args[0], err, said)
	}
	return nil
}
