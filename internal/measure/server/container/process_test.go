package container

import (
	"bufio"
	"bytes"
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// childImage makes this test binary start a server of that image, print the container's name, and wait.
const childImage = "REALIOPS_TEST_CHILD_IMAGE"

func TestMain(m *testing.M) {
	if image := os.Getenv(childImage); image != "" {
		os.Exit(child(image))
	}
	os.Exit(m.Run())
}

func child(image string) int {
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	s, err := Start(ctx, Options{Image: image})
	if err != nil {
		fmt.Println(err)
		return 1
	}
	fmt.Println(s.Name())
	select {
	case <-s.Died():
	case <-ctx.Done():
	}
	return 0
}

// runChild runs this binary as another process with these variables.
func runChild(t *testing.T, variables ...string) *exec.Cmd {
	t.Helper()
	cmd := exec.Command(os.Args[0])
	cmd.Env = append(os.Environ(), variables...)
	return cmd
}

func TestNothingStaysAfterKill(t *testing.T) {
	e := testEngine(t)
	cmd := runChild(t, childImage+"="+testImage)
	var complaints bytes.Buffer
	cmd.Stderr = &complaints
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	line, err := bufio.NewReader(out).ReadString('\n')
	if err != nil {
		t.Fatal(err)
	}
	name := strings.TrimSpace(line)
	e.left(t, name, running)
	if err := cmd.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	_ = cmd.Wait() // it was killed
	deadline := time.Now().Add(time.Minute)
	for e.tracesOf(t, name) != (traces{}) && time.Now().Before(deadline) {
		time.Sleep(20 * time.Millisecond)
	}
	e.left(t, name, traces{})
	if complaints.Len() > 0 {
		t.Errorf("on standard error: %s", complaints.Bytes())
	}
}

// refusal returns the one line of a child process that cannot start its server.
func refusal(t *testing.T, variables ...string) string {
	t.Helper()
	cmd := runChild(t, append(variables, childImage+"=realiops/postgres:none")...)
	out, err := cmd.CombinedOutput()
	if err == nil {
		t.Fatalf("it started: %s", out)
	}
	if bytes.Count(out, []byte("\n")) != 1 {
		t.Errorf("it printed more or less than one line: %q", out)
	}
	return strings.TrimSpace(string(out))
}

func TestRefusals(t *testing.T) {
	nowhere := filepath.Join(t.TempDir(), "none.sock")
	if got, want := refusal(t, "DOCKER_HOST=unix://"+nowhere),
		"no container engine answers at DOCKER_HOST=unix://"+nowhere; got != want {
		t.Errorf("without an engine: %q, want %q", got, want)
	}
	if got, want := refusal(t, "DOCKER_HOST=ssh://me@db1"), "DOCKER_HOST=ssh://me@db1: realiops reaches no container "+
		"engine through SSH; run realiops on that machine"; got != want {
		t.Errorf("through SSH: %q, want %q", got, want)
	}
	home := t.TempDir()
	file := filepath.Join(home, ".testcontainers.properties")
	if err := os.WriteFile(file, []byte("docker.tls.verify=perhaps\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	if got, want := refusal(t, "HOME="+home, "DOCKER_HOST=unix://"+nowhere), "read "+file+
		": "; !strings.HasPrefix(got, want) {
		t.Errorf("with a bad properties file: %q, want %q…", got, want)
	}
}

func TestAbsentImage(t *testing.T) {
	testEngine(t)
	want := "image realiops/postgres:none is not on this machine and cannot be pulled: "
	if got := refusal(t); !strings.HasPrefix(got, want) {
		t.Errorf("got %q, want %q…", got, want)
	}
}
