// Manifests checks Kubernetes manifests strictly against the schemas that Kubernetes and CloudNativePG publish: unknown
// fields are faults.
//
//	go run ./scripts/manifests FILE...
//	go run ./scripts/manifests -fetch    only fetches what it needs
//
// Schemas come from the modules that have them, and kubeconform compares. Both are fetched once, into Go's caches.
package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"

	"go.yaml.in/yaml/v3"
)

const (
	kubeconform = "github.com/yannh/kubeconform/cmd/kubeconform@v0.7.0"
	kubernetes  = "k8s.io/client-go@v0.37.2"
	operator    = "github.com/cloudnative-pg/cloudnative-pg@v1.28.0"
)

func main() {
	if len(os.Args) < 2 {
		fmt.Fprintln(os.Stderr, "usage: manifests FILE...")
		os.Exit(2)
	}
	files := os.Args[1:]
	if files[0] == "-fetch" {
		files = nil
	}
	if err := check(context.Background(), files); err != nil {
		fmt.Fprintln(os.Stderr, "manifests:", err)
		os.Exit(1)
	}
}

// check reports what is wrong with manifests.
func check(ctx context.Context, files []string) (err error) {
	directory, err := os.MkdirTemp("", "manifests-")
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(directory)) }()
	if err := fromKubernetes(ctx, directory); err != nil {
		return err
	}
	if err := fromOperator(ctx, directory); err != nil {
		return err
	}
	args := []string{"run", kubeconform, "-schema-location", directory + "/{{.ResourceKind}}.json"}
	if args = append(args, files...); len(files) == 0 {
		args = append(args, "-v") // reads standard input even without files
	}
	if said, err := exec.CommandContext(ctx, "go", args...).CombinedOutput(); err != nil {
		return fmt.Errorf("%w\n%s", err, said)
	}
	return nil
}

// module fetches a module and returns its directory.
func module(ctx context.Context, path string) (string, error) {
	c := exec.CommandContext(ctx, "go", "mod", "download", "-json", path)
	c.Dir = os.TempDir() // leaves the requirements of every module unchanged
	said, err := c.Output()
	var got struct{ Dir, Error string }
	if err := errors.Join(json.Unmarshal(said, &got), err); err != nil {
		return "", fmt.Errorf("fetch %s: %w %s", path, err, got.Error)
	}
	return got.Dir, nil
}

// fromKubernetes writes a schema for each kind of the groups that we use.
func fromKubernetes(ctx context.Context, to string) error {
	source, err := module(ctx, kubernetes)
	if err != nil {
		return err
	}
	for _, group := range []string{"api__v1", "apis__apps__v1", "apis__batch__v1"} {
		text, err := os.ReadFile(filepath.Join(source, "openapi", "openapitest", "testdata", group+"_openapi.json"))
		if err != nil {
			return err
		}
		var all struct {
			Components struct {
				Schemas map[string]map[string]any `json:"schemas"`
			} `json:"components"`
		}
		if err := json.Unmarshal(text, &all); err != nil {
			return fmt.Errorf("read %s: %w", group, err)
		}
		for _, schema := range all.Components.Schemas { // before any is written, since each may have the others
			strict(schema)
		}
		for name, schema := range all.Components.Schemas {
			kinds, _ := schema["x-kubernetes-group-version-kind"].([]any)
			if len(kinds) != 1 { // kinds in several groups belong to every group
				continue
			}
			kind := fmt.Sprint(kinds[0].(map[string]any)["kind"])
			err := write(to, kind, map[string]any{"$ref": "#/components/schemas/" + name, "components": all.Components})
			if err != nil {
				return err
			}
		}
	}
	return nil
}

// fromOperator writes a schema for each kind of CloudNativePG's.
func fromOperator(ctx context.Context, to string) error {
	source, err := module(ctx, operator)
	if err != nil {
		return err
	}
	files, err := filepath.Glob(filepath.Join(source, "config", "crd", "bases", "*.yaml"))
	if err != nil || len(files) == 0 {
		return fmt.Errorf("%s has no definitions of its kinds: %w", operator, err)
	}
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			return err
		}
		var definition struct {
			Spec struct {
				Names    struct{ Kind string }
				Versions []struct {
					Schema struct {
						OpenAPIV3Schema map[string]any `yaml:"openAPIV3Schema"`
					}
				}
			}
		}
		if err := yaml.NewDecoder(bytes.NewReader(text)).Decode(&definition); err != nil {
			return fmt.Errorf("read %s: %w", file, err)
		}
		schema := definition.Spec.Versions[0].Schema.OpenAPIV3Schema
		strict(schema)
		if err := write(to, definition.Spec.Names.Kind, schema); err != nil {
			return err
		}
	}
	return nil
}

// strict makes a schema, and all below it, reject unknown fields.
func strict(node any) {
	switch node := node.(type) {
	case map[string]any:
		_, closed := node["properties"].(map[string]any)
		if _, open := node["additionalProperties"]; closed && !open &&
			node["x-kubernetes-preserve-unknown-fields"] != true {
			node["additionalProperties"] = false
		}
		for _, below := range node {
			strict(below)
		}
	case []any:
		for _, below := range node {
			strict(below)
		}
	}
}

func write(directory, kind string, schema any) error {
	text, err := json.Marshal(schema)
	if err != nil {
		return err
	}
	return os.WriteFile(filepath.Join(directory, strings.ToLower(kind)+".json"), text, 0o600)
}
