// Package accounttest gives tests an account of Amazon's that is none: ministack, a third party's program, answers on
// the loopback as CloudWatch, RDS, STS and CloudWatch Logs do, and a [Proxy] before it does what goes wrong on the way.
//
// A package whose tests use it hands its TestMain to [Main], because all of them share one process. Each test gets an
// account of its own there, so that none sees what another has put. What ministack does not do as Amazon does: it pages
// nothing, puts all points in ascending order, and refuses hardly anything.
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

// Main runs the tests, ends the process that they shared, and gives the exit code. It takes a *testing.M, or what runs
// one among other things.
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
	URL    string // of the service itself, or of the proxy before it
	number string // of the account: ministack takes twelve digits as the access key for the account of that number
}

// Start gives the test an account. It skips the test where there is no Python.
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

// At returns an account at a service of the test's own.
func At(url string) *StandIn { return &StandIn{URL: url, number: "000000000000"} }

// Environment returns what leads the usual credential chain here, and only here.
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

// Setenv sets the environment for as long as the test lasts.
func (s *StandIn) Setenv(t testing.TB) {
	t.Helper()
	for name, value := range s.Environment() {
		t.Setenv(name, value)
	}
}

// Config is for clients that a test makes itself.
func (s *StandIn) Config() aws.Config {
	return aws.Config{
		Region:       Region,
		BaseEndpoint: aws.String(s.URL),
		APIOptions:   []func(*middleware.Stack) error{account.PlainBodies},
		Credentials:  credentials.NewStaticCredentialsProvider(s.number, "planted-secret-key", ""),
	}
}

// missing is why this machine has no stand-in.
type missing struct{ reason string }

func (m missing) Error() string { return m.reason }

// shared is the process that the tests of a package have in common.
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

// whileAsked runs ministack for as long as its standard input is open: until this process ends, in whichever way.
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

// environment returns the Python environment that scripts/aws-stand-in makes.
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

// root returns the directory of the module that the test belongs to.
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

// answers waits until the service does.
func answers(url string) error {
	ctx, cancel := context.WithTimeout(context.Background(), 60*time.Second) // a machine with all tests on it is slow
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

// rds is the service whose databases tests make.
var rds = account.Service{ID: "RDS", Version: "2014-10-31", Within: "Result"}

// Made holds what tests need of the answer when a database is made.
type Made struct {
	Resource string `xml:"DBInstance>DbiResourceId"`
}

// Create makes an instance or a cluster of RDS, whose owner needs a name and a password: CreateDBInstance or
// CreateDBCluster, of parameters written as in a form.
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
