package insightstest

import (
	"bytes"
	_ "embed"
	"encoding/json"
	"fmt"
	"os/exec"
	"strings"
	"testing"

	"github.com/realiops/realiops/internal/test/accounttest"
)

//go:embed check.py
var program string

// Check compares all exchanges so far with botocore's model of the service, and fails the test for each violation. It
// needs the Python of the stand-in for AWS.
func (s *Service) Check(t testing.TB) {
	t.Helper()
	problems, err := Problems(accounttest.Python(t), s.Exchanges())
	if err != nil {
		t.Fatal(err)
	}
	for _, p := range problems {
		t.Error(p)
	}
}

// Problems returns the violations of botocore's model, each with the number of its exchange.
func Problems(python string, exchanges []Exchange) ([]string, error) {
	var lines, reason bytes.Buffer
	encoder := json.NewEncoder(&lines)
	for _, e := range exchanges {
		if err := encoder.Encode(e); err != nil {
			return nil, fmt.Errorf("write down exchange: %w", err)
		}
	}
	cmd := exec.Command(python, "-c", program)
	cmd.Stdin, cmd.Stderr = &lines, &reason
	said, err := cmd.Output()
	if err != nil {
		return nil, fmt.Errorf("ask botocore about %d exchanges: %w: %s", len(exchanges), err, reason.Bytes())
	}
	if len(said) == 0 {
		return nil, nil
	}
	return strings.Split(strings.TrimSpace(string(said)), "\n"), nil
}
