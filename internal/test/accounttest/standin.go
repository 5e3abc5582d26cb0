// Package accounttest gives tests a stand-in for an Amazon account: ministack, a third party's program, answers on
// the loopback like CloudWatch, RDS, STS and CloudWatch Logs, and a [Proxy] in front of it injects faults.
//
// A package whose tests use it passes its TestMain to [Main], because all of them share one process. Each test gets
// its own account there, so that tests do not see each other's data. ministack differs from Amazon: it pages nothing,
// sorts all points in ascending order, and rejects hardly anything.
package accounttest

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"io"
	"math/big"
	"net"
	"net/http"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/credentials"
	"github.com/aws/smithy-go/middleware"

	"github.com/realiops/realiops/internal/measure/account"
)

// Region is the region of all resources.
const Region = "eu-central-1"

// Main runs the tests, ends the process that they shared, and returns the exit code. m is a *testing.M, or wraps one.
func Main(m interface{ Run() int }) int {
	code := m.Run()
	if err := shared.stop(); err != nil {
		fmt.Fprintln(os.Stderr, err)
		return max(code, 1)
	}
	return code
}

// StandIn is an account for one test.
type StandIn struct {
	URL    string // of the service, or of the proxy in front of it
	number string // of the account: ministack takes an access key of twelve digits as its account number
}

// Start returns an account for the test. It skips the test if there is no Python.
func Start(t testing.TB) *StandIn {
	t.Helper()
	url, err := shared.get()
	if errors.As(err, new(missing)) {
		t.Skip(err)
	}
	if err != nil {
		t.Fatal(err)
	}
	n, err := rand.Int(rand.Reader, big.NewInt(9e11))
	if err != nil {
		t.Fatal(err)
	}
	return &StandIn{URL: url, number: strconv.FormatInt(n.Int64()+1e11, 10)}
}

// At returns an account at the test's own service.
func At(url string) *StandIn { return &StandIn{URL: url, number: "000000000000"} }

// Environment returns variables that lead the usual credential chain here, and only here.
func (s *StandIn) Environment() map[string]string {
	return map[string]string{
		"AWS_ENDPOINT_URL":            s.URL,
		"AWS_ACCESS_KEY_ID":           s.number,
		"AWS_SECRET_ACCESS_KEY":       "planted-secret-key",
		"AWS_SESSION_TOKEN":           "",
		"AWS_REGION":                  Region,
		"AWS_PROFILE":                 "",
		"AWS_CONFIG_FILE":             os.DevNull,
		"AWS_SHARED_CREDENTIALS_FILE": os.DevNull,
		"AWS_EC2_METADATA_DISABLED":   "true",
	}
}

// Setenv sets the environment until the test ends.
func (s *StandIn) Setenv(t testing.TB) {
	t.Helper()
	for name, value := range s.Environment() {
		t.Setenv(name, value)
	}
}

// Config returns a configuration for a test's own clients.
func (s *StandIn) Config() aws.Config {
	return aws.Config{
		Region:       Region,
		BaseEndpoint: aws.String(s.URL),
		APIOptions:   []func(*middleware.Stack) error{account.PlainBodies},
		Credentials:  credentials.NewStaticCredentialsProvider(s.number, "planted-secret-key", ""),
	}
}

// missing is the reason that this machine has no stand-in.
type missing struct{ reason string }

func (m missing) Error() string { return m.reason }

// shared is the process that the tests of a package share.
var shared process

type process struct {
	mu    sync.Mutex
	tried bool
	url   string
	err   error
	cmd   *exec.Cmd
	stdin io.Closer
	dir   string
}

func (p *process) get() (string, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if !p.tried {
		p.tried = true
		p.url, p.err = p.start()
	}
	return p.url, p.err
}

// whileAsked runs ministack while its standard input is open: until this process ends, for whatever reason.
const whileAsked = `
import os, sys, threading
threading.Thread(target=lambda: (sys.stdin.buffer.read(), os._exit(0)), daemon=True).start()
sys.argv = ["ministack"]
from ministack.app import main
main()
`

func (p *process) start() (string, error) {
	environment, err := environment()
	if err != nil {
		return "", err
	}
	port, err := freePort()
	if err != nil {
		return "", err
	}
	if p.dir, err = os.MkdirTemp("", "realiops-aws-"); err != nil {
		return "", err
	}
	p.cmd = exec.Command(filepath.Join(environment, "bin", "python"), "-c", whileAsked)
	p.cmd.Dir = p.dir
	p.cmd.Env = append(os.Environ(), "BIND_HOST=127.0.0.1", "MINISTACK_HOST=127.0.0.1", "GATEWAY_PORT="+port,
		"LOG_LEVEL=WARNING", "TMPDIR="+p.dir, "S3_DATA_DIR="+filepath.Join(p.dir, "s3"), "DOCKER_HOST=unix:///nowhere",
		"PYTHONDONTWRITEBYTECODE=")
	if p.stdin, err = p.cmd.StdinPipe(); err != nil {
		return "", err
	}
	log, err := os.Create(filepath.Join(p.dir, "log"))
	if err != nil {
		return "", err
	}
	defer log.Close()
	p.cmd.Stdout, p.cmd.Stderr = log, log
	if err := p.cmd.Start(); err != nil {
		return "", fmt.Errorf("start the stand-in for AWS: %w", err)
	}
	url := "http://127.0.0.1:" + port
	if err := answers(url); err != nil {
		said, _ := os.ReadFile(log.Name())
		return "", fmt.Errorf("the stand-in for AWS does not answer: %w: %s", err, said)
	}
	return url, nil
}

func (p *process) stop() error {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.cmd != nil && p.cmd.Process != nil {
		p.stdin.Close()
		_, _ = p.cmd.Process.Kill(), p.cmd.Wait()
	}
	return os.RemoveAll(p.dir)
}

// environment returns the Python environment from scripts/aws-stand-in.
func environment() (string, error) {
	if _, err := exec.LookPath("python3"); err != nil {
		return "", missing{"no Python on this machine, in which the stand-in for AWS runs"}
	}
	if _, err := exec.LookPath("bash"); err != nil {
		return "", missing{"no bash on this machine, in which scripts/aws-stand-in is written"}
	}
	root, err := root()
	if err != nil {
		return "", err
	}
	var reason strings.Builder
	cmd := exec.Command("bash", filepath.Join(root, "scripts", "aws-stand-in"))
	cmd.Stderr = &reason
	directory, err := cmd.Output()
	if err != nil {
		return "", missing{strings.TrimSpace(reason.String())}
	}
	return strings.TrimSpace(string(directory)), nil
}

// root returns the directory of the test's module.
func root() (string, error) {
	directory, err := os.Getwd()
	if err != nil {
		return "", err
	}
	for ; directory != filepath.Dir(directory); directory = filepath.Dir(directory) {
		if _, err := os.Stat(filepath.Join(directory, "go.mod")); err == nil {
			return directory, nil
		}
	}
	return "", errors.New("no go.mod above the test")
}

func freePort() (string, error) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return "", err
	}
	defer l.Close()
	return strconv.Itoa(l.Addr().(*net.TCPAddr).Port), nil
}

// answers waits until the service answers.
func answers(url string) error {
	ctx, cancel := context.WithTimeout(context.Background(), 60*time.Second) // a machine that runs all tests is slow
	defer cancel()
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, url+"/_ministack/health", nil)
	if err != nil {
		return err
	}
	for {
		response, err := http.DefaultClient.Do(request)
		if err == nil {
			return response.Body.Close()
		}
		if ctx.Err() != nil {
			return err
		}
		time.Sleep(50 * time.Millisecond)
	}
}

// rds is the service whose databases tests create.
var rds = account.Service{ID: "RDS", Version: "2014-10-31", Within: "Result"}

// Made holds the parts of the answer that tests need.
type Made struct {
	Resource string `xml:"DBInstance>DbiResourceId"`
}

// Create creates an instance or a cluster of RDS, by CreateDBInstance or CreateDBCluster, with URL-encoded
// parameters. It adds the owner's name and password.
func (s *StandIn) Create(t testing.TB, operation, parameters string) Made {
	t.Helper()
	form, err := url.ParseQuery(parameters)
	if err != nil {
		t.Fatal(err)
	}
	if !form.Has("DBClusterIdentifier") || operation == "CreateDBCluster" {
		form.Set("MasterUsername", "boss")
		form.Set("MasterUserPassword", "planted-password")
	}
	made, err := account.Ask[Made](t.Context(), s.Config(), rds, operation, form)
	if err != nil {
		t.Fatal(err)
	}
	return *made
}
