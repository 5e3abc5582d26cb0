package main

import (
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

const kit = "../../packaging/aurora/"

// TestKitTemplate: the template is valid by AWS's own schemas, nothing in it is public, and
// everything is tagged if possible.
func TestKitTemplate(t *testing.T) {
	t.Parallel()
	linter, err := exec.CommandContext(t.Context(), "../../scripts/template-checker").Output()
	if err != nil {
		t.Skip("no cfn-lint on this machine: ", err)
	}
	if out, err := exec.CommandContext(t.Context(), strings.TrimSpace(string(linter)),
		kit+"template.yaml").CombinedOutput(); err != nil {
		t.Errorf("%v: %s", err, out)
	}
	text, err := os.ReadFile(kit + "template.yaml")
	if err != nil {
		t.Fatal(err)
	}
	for _, public := range []string{"InternetGateway", "PubliclyAccessible: true", "AssociatePublicIpAddress: true",
		"DeletionPolicy: Snapshot", "DeletionPolicy: Retain"} {
		if strings.Contains(string(text), public) {
			t.Errorf("the template has %s", public)
		}
	}
	untagged := []string{"AWS::EC2::SubnetRouteTableAssociation", "AWS::IAM::InstanceProfile"} // these take no tags
	for _, resource := range regexp.MustCompile(`(?m)^  \w+:`).Split(section(string(text), "\nResources:\n",
		"\nOutputs:\n"), -1)[1:] {
		kind := regexp.MustCompile(`Type: (\S+)`).FindStringSubmatch(resource)
		if !strings.Contains(resource, "Tags: [{Key: realiops-kit,") && !slices.Contains(untagged, kind[1]) {
			t.Errorf("a %s has no tag", kind[1])
		}
	}
}

func section(text, from, to string) string {
	_, rest, _ := strings.Cut(text, from)
	part, _, _ := strings.Cut(rest, to)
	return part
}

// TestKitPolicy: the machine may do what realiops aws policy --for run prints, and write the kit's files.
func TestKitPolicy(t *testing.T) {
	t.Parallel()
	text, err := os.ReadFile(kit + "template.yaml")
	if err != nil {
		t.Fatal(err)
	}
	policy := exec.CommandContext(t.Context(), os.Args[0], "aws", "policy", "--for", "run")
	policy.Args[0] = "realiops"
	printed, err := policy.Output()
	if err != nil {
		t.Fatal(err)
	}
	var want struct{ Statement []struct{ Action []string } }
	if err := json.Unmarshal(printed, &want); err != nil {
		t.Fatal(err)
	}
	var wanted, given []string
	for _, s := range want.Statement {
		wanted = append(wanted, s.Action...)
	}
	for _, action := range regexp.MustCompile(`"((?:rds|cloudwatch|pi):\w+)"`).FindAllStringSubmatch(string(text), -1) {
		given = append(given, action[1])
	}
	if diff := cmp.Diff(wanted, given); diff != "" {
		t.Errorf("(-aws policy --for run +template):\n%s", diff)
	}
}

// fakeAWS records its calls, and answers like AWS about a stack until it is deleted; $LEFT remains.
const fakeAWS = `#!/bin/bash
echo "$1 $2 ${*:3}" >>"$PLACE/calls"
case "$1 $2" in
"cloudformation deploy") touch "$PLACE/stack" ;;
"cloudformation delete-stack") rm -f "$PLACE/stack" ;;
"cloudformation describe-stacks")
	[[ -e $PLACE/offline ]] && echo "Could not connect to the endpoint URL" >&2 && exit 255
	[[ -e $PLACE/stack ]] && echo planted && exit
	echo "An error occurred (ValidationError): Stack with id realiops-kit does not exist" >&2 && exit 254
	;;
"s3 rm") [[ ! -e $PLACE/emptied ]] || { echo "NoSuchBucket: planted" >&2 && exit 1; } ;;
"s3 cp") [[ $5 != realiops-kit-evidence* ]] || { echo "fatal error: 404" >&2 && exit 1; } ;;
"resourcegroupstaggingapi get-resources") echo "$LEFT" ;;
esac
`

// TestKit: the stack is created, used and removed in the right order, and leftovers are named.
func TestKit(t *testing.T) {
	t.Parallel()
	place := t.TempDir()
	for name, text := range map[string]string{"aws": fakeAWS, "program": "it", "bundle": "certificates"} {
		if err := os.WriteFile(filepath.Join(place, name), []byte(text), 0o700); err !=
			nil { //nolint:gosec // it is a program
			t.Fatal(err)
		}
	}
	types := func(left string, args ...string) (string, error) {
		c := exec.CommandContext(t.Context(), "bash", append([]string{kit + "kit"}, args...)...)
		c.Env = append(os.Environ(), "PATH="+place+":"+os.Getenv("PATH"), "PLACE="+place, "LEFT="+left,
			"BUNDLE=file://"+filepath.Join(place, "bundle"))
		out, err := c.CombinedOutput()
		return string(out), err
	}
	if out, err := types("", "up", "aurora", filepath.Join(place, "program")); err != nil ||
		!strings.Contains(out, "start-session --target planted") ||
		!strings.Contains(out, "USD an hour") {
		t.Fatalf("%v: %s", err, out)
	}
	if out, err := types("", "check"); err == nil || !strings.Contains(out, "left: the stack realiops-kit") {
		t.Errorf("of a stack that is there: %v, %s", err, out)
	}
	if out, err := types("arn:aws:rds:eu-west-1:000000000000:db:x", "down"); err == nil ||
		!strings.Contains(out, "left: arn:aws:rds") {
		t.Errorf("of what is left: %v, %s", err, out)
	}
	if out, err := types("", "check"); err != nil || out != "Nothing is left of realiops-kit.\n" {
		t.Errorf("%v, %s", err, out)
	}
	leaves := func(name string) {
		t.Helper()
		if err := os.WriteFile(filepath.Join(place, name), nil, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	leaves("stack")
	if out, err := types("", "fetch"); err == nil || strings.Count(out, "\n") != 1 ||
		!strings.Contains(out, "prove puts it there when it ends: fatal error: 404") {
		t.Errorf("before there is anything to fetch: %v, %s", err, out)
	}
	leaves("emptied") // by a half-deleted stack
	if out, err := types("", "down"); err != nil ||
		!strings.Contains(out, "the bucket planted was not emptied: NoSuchBucket") ||
		!strings.Contains(out, "Nothing is left") {
		t.Errorf("without its bucket: %v, %s", err, out)
	}
	leaves("offline")
	if out, err := types("", "check"); err == nil ||
		!strings.Contains(out, "perhaps the stack realiops-kit, of which AWS does not tell: Could not connect") {
		t.Errorf("without a network: %v, %s", err, out)
	}
	for _, step := range []string{"fetch", "down"} {
		if out, err := types("", step); err == nil || step == "fetch" && strings.Count(out, "\n") != 1 ||
			!strings.Contains(out, "Could not connect") {
			t.Errorf("%s without a network: %v, %s", step, err, out)
		}
	}
	if out, err := types("", "up", "mysql", "program"); err == nil || !strings.Contains(out, "one of aurora") {
		t.Errorf("%v, %s", err, out)
	}
	calls, err := os.ReadFile(filepath.Join(place, "calls"))
	if err != nil {
		t.Fatal(err)
	}
	empties, deletes := strings.Index(string(calls), "s3 rm --quiet --recursive s3://planted"),
		strings.Index(string(calls), "cloudformation delete-stack")
	if empties < 0 || deletes < empties {
		t.Errorf("a bucket that is not empty is not deleted:\n%s", calls)
	}
}

// onTheMachine stands in for realiops on the kit's machine: commands that need a database or AWS write $RUN if
// their flags exist; others are real.
const onTheMachine = `#!/bin/bash
echo "$*" >>"$PLACE/steps"
case "$1" in
doctor) "$PROGRAM" "$@" --help >/dev/null ;;
aws) [[ ! -e $PLACE/refused ]] && "$PROGRAM" "$@" --help >/dev/null ;;
run) "$PROGRAM" "$@" --help >/dev/null && cp "$RUN" "${*: -1}" ;;
*) exec "$PROGRAM" "$@" ;;
esac
`

// storing stands in for the aws program, with a secret and a directory as bucket.
const storing = `#!/bin/bash
case "$1 $2" in
"secretsmanager get-secret-value")
	[[ ! -e $PLACE/denied ]] || { echo "AccessDeniedException" >&2 && exit 254; }
	echo '{"username": "boss", "password": "planted-password"}'
	;;
"s3 cp") cp "${4/s3:\/\/planted/$PLACE/bucket}" "${5/s3:\/\/planted/$PLACE/bucket}" ;;
"cloudformation describe-stacks") echo planted ;;
*) exit 1 ;;
esac
`

// TestKitProve: one command on the machine runs, collects and shares, and its files are scrubbed and can be fetched.
// $REALIOPS_KIT_RUN is a run with collected metrics: it becomes a row of the evidence.
func TestKitProve(t *testing.T) {
	t.Parallel()
	place, err := filepath.Abs(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	run, collected := os.Getenv("REALIOPS_KIT_RUN"), true
	if run == "" {
		run, collected = "../../internal/testdata/stand-in/run.jsonl.zst", false
	}
	if run, err = filepath.Abs(run); err != nil {
		t.Fatal(err)
	}
	script, err := filepath.Abs(kit)
	if err != nil {
		t.Fatal(err)
	}
	machine := filepath.Join(place, "machine")
	for name, text := range map[string]string{
		"aws": storing, "machine/realiops": onTheMachine, "bucket/root.crt": "certificates",
		"settings": "bucket=planted secret=it host=proof.cluster-c9akciq32rgd.eu-west-1.rds.amazonaws.com " +
			"instance=proof-1\nexport AWS_REGION=eu-west-1\n",
	} {
		path := filepath.Join(place, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o700); err != nil { //nolint:gosec // some are programs
			t.Fatal(err)
		}
	}
	tries := func(directory string, args ...string) (string, error) {
		c := exec.CommandContext(t.Context(), "bash", args...)
		c.Dir = directory
		c.Env = append(os.Environ(), "PATH="+place+":"+os.Getenv("PATH"), "PLACE="+place,
			"KIT="+filepath.Join(place, "settings"), "RUN="+run, "PROGRAM="+built(t), "REALIOPS="+built(t))
		out, err := c.CombinedOutput()
		return string(out), err
	}
	types := func(directory string, args ...string) string {
		t.Helper()
		out, err := tries(directory, args...)
		if err != nil {
			t.Fatalf("%v: %v\n%s", args, err, out)
		}
		return out
	}
	// Failures are reported in one line, and hours of load are not repeated because AWS did not answer afterwards.
	for lacks, want := range map[string]string{"denied": "prove: this machine may not read the database's password",
		"refused": "the run is kept"} {
		if err := os.WriteFile(filepath.Join(place, lacks), nil, 0o600); err != nil {
			t.Fatal(err)
		}
		if out, err := tries(machine, filepath.Join(script, "prove")); err == nil || !strings.Contains(out, want) ||
			strings.Contains(out, "Traceback") {
			t.Errorf("%s: %v, %s", lacks, err, out)
		}
		if err := os.Remove(filepath.Join(place, lacks)); err != nil {
			t.Fatal(err)
		}
	}
	if out := types(machine, filepath.Join(script, "prove"), "--quick-aws"); !strings.Contains(out,
		"Send evidence.jsonl.zst") {
		t.Errorf("what to send is not said:\n%s", out)
	}
	steps, err := os.ReadFile(filepath.Join(place, "steps"))
	if err != nil {
		t.Fatal(err)
	}
	var order []string
	for step := range strings.Lines(string(steps)) {
		order = append(order, strings.Fields(step)[0])
	}
	if diff := cmp.Diff([]string{"doctor", "run", "aws", "aws", "share", "report"}, order); diff != "" ||
		strings.Contains(string(steps), "planted-password") {
		t.Errorf("(-want +steps):\n%s\n%s", diff, steps)
	}
	types(place, filepath.Join(script, "kit"), "fetch")
	fetched := filepath.Join(place, "realiops-kit-evidence.jsonl.zst")
	if collected {
		t.Log(types(place, filepath.Join(script, "../../scripts/evidence"), "--rehearse", fetched))
	} else if out := types(place, "-c", `"$PROGRAM" report "$0" --format json >/dev/null && zstd -dqc "$0" | head -n 1`,
		fetched); strings.Contains(out, "amazonaws") {
		t.Errorf("it names an address: %s", out)
	}
}
