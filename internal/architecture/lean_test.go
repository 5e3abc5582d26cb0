package architecture

import (
	"os/exec"
	"strings"
	"testing"
)

// Importing realiopstest in tests brings no command line, cloud, containers or drawing libraries.
func TestRealiopstestIsLean(t *testing.T) {
	out, err := exec.CommandContext(t.Context(), "go", "list", "-deps", "../../realiopstest").Output()
	if err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(string(out), "jackc/pgx") {
		t.Errorf("these are not its imports:\n%s", out)
	}
	for _, unwanted := range []string{
		"spf13/", "aws-sdk-go", "aws/smithy-go", "testcontainers", "docker/", "moby/", "cilium/ebpf",
		"gonum.org/v1/plot", "go-pdf", "go-fonts", "golang.org/x/image",
		"internal/cli", "internal/analyze/report", "internal/analyze/plot",
	} {
		if strings.Contains(string(out), unwanted) {
			t.Errorf("it imports %s", unwanted)
		}
	}
}
