package cli

import (
	"bytes"
	"encoding/json"
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/spf13/cobra"

	"github.com/realiops/realiops/internal/cli/command"
	"github.com/realiops/realiops/internal/measure/account"
	"github.com/realiops/realiops/internal/test/accounttest"
)

// policyOf returns the policy that a command line prints.
func policyOf(t *testing.T, args ...string) string {
	t.Helper()
	var out, failed bytes.Buffer
	env := command.Env{In: strings.NewReader(""), Out: &out, Err: &failed, Getenv: os.Getenv}
	if code := Main(env, append([]string{"aws", "policy"}, args...)); code != command.ExitDone {
		t.Fatalf("iam-policy %v: %d, %s", args, code, &failed)
	}
	return out.String()
}

func actionsIn(t *testing.T, text string) []string {
	t.Helper()
	var policy struct {
		Version   string
		Statement []struct {
			Sid, Effect, Resource string
			Action                []string
		}
	}
	decoder := json.NewDecoder(strings.NewReader(text))
	decoder.DisallowUnknownFields()
	if err := decoder.Decode(&policy); err != nil {
		t.Fatal(err)
	}
	var actions []string
	for _, s := range policy.Statement {
		if s.Effect != "Allow" || s.Resource == "" || !regexp.MustCompile(`^[A-Za-z0-9]+$`).MatchString(s.Sid) {
			t.Errorf("the statement %+v", s)
		}
		actions = append(actions, s.Action...)
	}
	slices.Sort(actions)
	return actions
}

// TestPolicyAllowsAllCalls compares the policy with the calls in the source, by the operations in Amazon's own
// models. GetCallerIdentity needs no permission, and AssumeRole is the role's to allow.
func TestPolicyAllowsAllCalls(t *testing.T) {
	t.Parallel()
	models := operations(t)
	var called []string
	for _, call := range callsInSource(t, models) {
		if !strings.HasPrefix(call, "sts:") {
			called = append(called, call)
		}
	}
	// Calls of Amazon's Prometheus are Prometheus's own, not operations of a model.
	allowed := slices.DeleteFunc(actionsIn(t, policyOf(t)), func(action string) bool {
		return strings.HasPrefix(action, "aps:")
	})
	if diff := cmp.Diff(called, allowed); diff != "" {
		t.Errorf("the source calls, the policy allows (-calls +policy):\n%s", diff)
	}
}

func TestPolicyForACommand(t *testing.T) {
	t.Parallel()
	for name, want := range map[string][]string{
		"cost":    {"cloudwatch:GetMetricData", "rds:DescribeDBClusters", "rds:DescribeDBInstances"},
		"collect": {"cloudwatch:GetMetricData", "pi:GetResourceMetrics", "pi:ListAvailableResourceMetrics"},
		"prices":  {"pricing:GetProducts"},
		"limits":  {"ec2:DescribeInstanceTypes", "rds:DescribeOrderableDBInstanceOptions"},
	} {
		if diff := cmp.Diff(want, actionsIn(t, policyOf(t, "--for", name))); diff != "" {
			t.Errorf("%s (-want +got):\n%s", name, diff)
		}
	}
	var out, failed bytes.Buffer
	env := command.Env{In: strings.NewReader(""), Out: &out, Err: &failed, Getenv: os.Getenv}
	if code := Main(env, []string{"aws", "policy", "--for", "explain"}); code != command.ExitUsage ||
		!strings.Contains(failed.String(), "collect, cost") {
		t.Errorf("%d, %s", code, &failed)
	}
}

// TestPolicyForEachCommand: every command that takes credentials has a policy, with a
// store's calls if it can sign them.
func TestPolicyForEachCommand(t *testing.T) {
	t.Parallel()
	var each func(c *cobra.Command) int
	each = func(c *cobra.Command) (found int) {
		if c.HasSubCommands() {
			for _, sub := range c.Commands() {
				found += each(sub)
			}
			return found
		}
		actions := account.PolicyFor("aws", c.Name())
		if c.CommandPath() == "realiops prices aws" { // whose policy covers prices
			actions = account.PolicyFor("aws", c.Parent().Name())
		}
		signs := slices.ContainsFunc(actions, func(s account.Statement) bool {
			return slices.Contains(s.Actions, "aps:QueryMetrics")
		})
		if (c.Flags().Lookup("role") != nil) != (len(actions) > 0) || signs != (c.Flags().Lookup("sigv4") != nil) {
			t.Errorf("the policy for %s is %+v", c.CommandPath(), actions)
		}
		return found + min(1, len(actions))
	}
	if found := each(newRootCommand(command.Env{})); found != len(account.Commands()) {
		t.Errorf("%d commands have a policy, of %q", found, account.Commands())
	}
}

func TestPolicyToSignIn(t *testing.T) {
	t.Parallel()
	with := policyOf(t, "--iam-auth", "--db-user", "me", "--resource", "db-ABC", "--partition", "aws-cn")
	want := append(actionsIn(t, policyOf(t)), "rds-db:connect")
	slices.Sort(want)
	if diff := cmp.Diff(want, actionsIn(t, with)); diff != "" {
		t.Error(diff)
	}
	if !strings.Contains(with, `"arn:aws-cn:rds-db:*:*:dbuser:db-ABC/me"`) {
		t.Error(with)
	}
}

// TestPolicyForTerraform: both forms are equivalent.
func TestPolicyForTerraform(t *testing.T) {
	t.Parallel()
	text := policyOf(t, "--format", "terraform", "--iam-auth")
	var actions []string
	for _, action := range regexp.MustCompile(`"([a-z0-9-]+:[A-Za-z]+)"`).FindAllStringSubmatch(text, -1) {
		actions = append(actions, action[1])
	}
	slices.Sort(actions)
	if diff := cmp.Diff(actionsIn(t, policyOf(t, "--iam-auth")), actions); diff != "" {
		t.Error(diff)
	}
}

// clients lists the services that the source may call, by the SDK's names.
var clients = []string{"cloudwatch", "rds", "pi", "sts", "logs", "ec2", "pricing"}

// operations returns the operations of each service by botocore's models.
func operations(t *testing.T) map[string][]string {
	t.Helper()
	const script = `
import json, sys, botocore.session
session = botocore.session.get_session()
print(json.dumps({s: session.get_service_model(s).operation_names for s in sys.argv[1:]}))`
	out, err := exec.CommandContext(t.Context(), accounttest.Python(t),
		append([]string{"-c", script}, clients...)...).Output()
	if err != nil {
		t.Fatal(err)
	}
	var all map[string][]string
	if err := json.Unmarshal(out, &all); err != nil {
		t.Fatal(err)
	}
	return all
}

var paginator = regexp.MustCompile(`^New(\w+)Paginator$`)

// callsInSource finds operations that files with a service's client mention, and those called without a client.
func callsInSource(t *testing.T, models map[string][]string) []string {
	t.Helper()
	var calls []string
	err := filepath.WalkDir(filepath.Join("..", ".."), func(name string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() && (entry.Name() == "accounttest" || strings.HasPrefix(entry.Name(), ".") &&
			entry.Name() != "..") {
			return skipped(err, entry)
		}
		if strings.HasSuffix(name, ".go") && !strings.HasSuffix(name, "_test.go") {
			calls = append(calls, callsIn(t, name, models)...)
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	slices.Sort(calls)
	return slices.Compact(calls)
}

func skipped(err error, entry fs.DirEntry) error {
	if err == nil && entry.IsDir() {
		return filepath.SkipDir
	}
	return err
}

func callsIn(t *testing.T, name string, models map[string][]string) (calls []string) {
	t.Helper()
	file, err := parser.ParseFile(token.NewFileSet(), name, nil, 0)
	if err != nil {
		t.Fatal(err)
	}
	var imported []string
	for _, i := range file.Imports {
		if p := strings.Trim(i.Path.Value, `"`); strings.HasPrefix(p, "github.com/aws/aws-sdk-go-v2/service/") {
			imported = append(imported, path.Base(p))
		}
	}
	for _, service := range []string{"ec2", "rds"} { // their calls are written out
		calls = append(calls, namedIn(file, service, models[service])...)
	}
	ast.Inspect(file, func(n ast.Node) bool {
		selector, ok := n.(*ast.SelectorExpr)
		if !ok {
			return true
		}
		mentioned := selector.Sel.Name
		if pages := paginator.FindStringSubmatch(mentioned); pages != nil {
			mentioned = pages[1]
		}
		for _, service := range imported {
			if slices.Contains(models[service], strings.TrimSuffix(mentioned, "Input")) {
				calls = append(calls, service+":"+strings.TrimSuffix(mentioned, "Input"))
			}
		}
		return true
	})
	return calls
}

// namedIn returns the operations of a service that a file names.
func namedIn(file *ast.File, service string, operations []string) (calls []string) {
	ast.Inspect(file, func(n ast.Node) bool {
		if literal, ok := n.(*ast.BasicLit); ok && slices.Contains(operations, strings.Trim(literal.Value, `"`)) {
			calls = append(calls, service+":"+strings.Trim(literal.Value, `"`))
		}
		return true
	})
	return calls
}
