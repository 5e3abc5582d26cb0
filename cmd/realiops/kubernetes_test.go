package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"go.yaml.in/yaml/v3"
)

// checker checks manifests with the published schemas of Kubernetes and CloudNativePG.
const checker = "../../scripts/manifests"

// TestManifests: our manifests are valid by the schemas of Kubernetes and CloudNativePG, and broken ones are not.
func TestManifests(t *testing.T) {
	t.Parallel()
	if out, err := exec.CommandContext(t.Context(), "go", "run", checker, "-fetch").CombinedOutput(); err != nil {
		t.Skipf("the schemas cannot be fetched: %s", out)
	}
	ours, err := filepath.Glob("../../packaging/kubernetes/*.yaml")
	if err != nil || len(ours) == 0 {
		t.Fatal("no manifests", err)
	}
	if out, err := exec.CommandContext(t.Context(), "go",
		append([]string{"run", checker}, ours...)...).CombinedOutput(); err != nil {
		t.Errorf("%v: %s", err, out)
	}
	broken := []string{"run", checker}
	for name, change := range map[string][3]string{
		"unknown":  {"statefulset.yaml", "shareProcessNamespace:", "shareProcesses:"},
		"type":     {"statefulset.yaml", "replicas: 1", "replicas: one"},
		"required": {"cloudnativepg.yaml", "  owner: realiops\n", ""},
		"operator": {"cloudnativepg.yaml", "walStorage:", "walVolume:"},
		"enum":     {"cloudnativepg.yaml", "databaseReclaimPolicy: delete", "databaseReclaimPolicy: drop"},
		"job":      {"cloudnativepg-device.yaml", "hostPID: true", "hostPID: sometimes"},
	} {
		text, err := os.ReadFile("../../packaging/kubernetes/" + change[0])
		if err != nil {
			t.Fatal(err)
		}
		path := filepath.Join(t.TempDir(), name+".yaml")
		wrong := strings.Replace(string(text), change[1], change[2], 1)
		if wrong == string(text) {
			t.Fatalf("%s has no %q", change[0], change[1])
		}
		if err := os.WriteFile(path, []byte(wrong), 0o600); err != nil {
			t.Fatal(err)
		}
		broken = append(broken, path)
	}
	out, err := exec.CommandContext(t.Context(), "go", broken...).CombinedOutput()
	for _, path := range broken[2:] {
		if err == nil || !strings.Contains(string(out), path) {
			t.Errorf("%s passes: %s", filepath.Base(path), out)
		}
	}
}

// TestManifestCommands: this program has the flags in the manifests.
func TestManifestCommands(t *testing.T) {
	t.Parallel()
	ours, err := filepath.Glob("../../packaging/kubernetes/*.yaml")
	if err != nil {
		t.Fatal(err)
	}
	found := 0
	for _, path := range ours {
		f, err := os.Open(path)
		if err != nil {
			t.Fatal(err)
		}
		defer f.Close()
		for documents := yaml.NewDecoder(f); ; {
			var document struct {
				Spec struct {
					Template struct {
						Spec struct {
							Containers []struct {
								Name string
								Args []string
							}
						}
					}
				}
			}
			if documents.Decode(&document) != nil {
				break
			}
			for _, c := range document.Spec.Template.Spec.Containers {
				if c.Name != "realiops" {
					continue
				}
				found++
				command := exec.CommandContext(t.Context(), os.Args[0], append(c.Args, "--help")...)
				command.Args[0] = "realiops"
				if out, err := command.CombinedOutput(); err != nil {
					t.Errorf("%s: %v: %s", path, err, out)
				}
			}
		}
	}
	if found != 3 {
		t.Errorf("%d containers run realiops, want 3", found)
	}
}
