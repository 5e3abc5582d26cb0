package main

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"

	"go.yaml.in/yaml/v3"
)

// release is the content of .goreleaser.yaml, for a version of the source in a directory.
type release struct {
	root, version string
	date          time.Time // of the source

	Builds []struct {
		Main          string   `yaml:"main"`
		Environment   []string `yaml:"env"`
		Systems       []string `yaml:"goos"`
		Architectures []string `yaml:"goarch"`
		Flags         []string `yaml:"flags"`
		Linker        []string `yaml:"ldflags"`
	} `yaml:"builds"`
	Packages []map[string]any `yaml:"nfpms"`
}

func read(root, version string) (release, error) {
	r := release{root: root, version: version}
	text, err := os.ReadFile(filepath.Join(root, ".goreleaser.yaml"))
	if err != nil {
		return r, err
	}
	if err := yaml.Unmarshal(text, &r); err != nil {
		return r, fmt.Errorf("read .goreleaser.yaml: %w", err)
	}
	if len(r.Builds) != 1 || len(r.Packages) != 1 || len(r.Builds[0].Linker) != 1 {
		return r, fmt.Errorf(".goreleaser.yaml has %d builds and %d kinds of package; want one of each", len(r.Builds),
			len(r.Packages))
	}
	git := exec.Command("git", "log", "-1", "--format=%cI")
	git.Dir = root
	said, err := git.Output()
	if err != nil {
		return r, fmt.Errorf("get the commit time: %w", err)
	}
	r.date, err = time.Parse(time.RFC3339, strings.TrimSpace(string(said)))
	return r, err
}

// packages makes the Linux packages with nfpm, as goreleaser does, from goreleaser's settings,
// some of which differ from nfpm's.
func (r release) packages(ctx context.Context, t target, program, directory string) error {
	p := r.Packages[0]
	absolute, err := filepath.Abs(program)
	if err != nil {
		return err
	}
	contents := append([]any{map[string]any{"src": absolute, "dst": "/usr/bin/realiops", "file_info": map[string]any{
		"mode": 0o755}}}, p["contents"].([]any)...)
	config := map[string]any{"name": p["package_name"], "arch": t.architecture, "platform": t.system,
		"version": r.version, "contents": contents,
		"mtime": r.date.Format(time.RFC3339)}
	for _, same := range []string{"homepage", "maintainer", "description", "license", "section", "suggests"} {
		config[same] = p[same]
	}
	text, err := yaml.Marshal(config)
	if err != nil {
		return err
	}
	file := absolute + ".nfpm.yaml"
	if err := os.WriteFile(file, text, 0o644); err != nil {
		return err
	}
	defer os.Remove(file)
	into, err := filepath.Abs(directory)
	if err != nil {
		return err
	}
	for _, format := range p["formats"].([]any) {
		err := r.run(ctx, nil, "go", "tool", "-modfile=packaging/tools.mod", "nfpm", "package", "--config", file,
			"--packager", format.(string), "--target", into)
		if err != nil {
			return err
		}
	}
	return nil
}
