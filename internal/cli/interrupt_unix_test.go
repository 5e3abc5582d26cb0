//go:build unix

package cli

import (
	"bytes"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/realiops/realiops/internal/cli/command"
)

// Libraries say "context canceled"; the message names the signal.
func TestEndedWaitForAWSNamesTheSignal(t *testing.T) {
	asked := make(chan struct{}, 100)
	hung := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		_, _ = io.Copy(io.Discard, r.Body) // otherwise the client's end would go unnoticed
		asked <- struct{}{}
		<-r.Context().Done()
	}))
	t.Cleanup(hung.Close)
	t.Cleanup(hung.CloseClientConnections)
	for name, value := range map[string]string{
		"AWS_ENDPOINT_URL": hung.URL, "AWS_ACCESS_KEY_ID": "key", "AWS_SECRET_ACCESS_KEY": "secret",
		"AWS_CONFIG_FILE": os.DevNull, "AWS_SHARED_CREDENTIALS_FILE": os.DevNull, "AWS_EC2_METADATA_DISABLED": "true",
	} {
		t.Setenv(name, value)
	}
	for _, line := range []string{"aws limits", "prices aws"} {
		go func() {
			<-asked
			_ = syscall.Kill(os.Getpid(), syscall.SIGTERM)
		}()
		var told bytes.Buffer
		env := command.Env{In: strings.NewReader(""), Out: &bytes.Buffer{}, Err: &told, Getenv: os.Getenv,
			Now: time.Now, Width: func() int {
				return 80
			}}
		if status := Main(env, append(strings.Fields(line), "--region", "eu-central-1")); status != command.ExitUsage ||
			told.String() != "realiops: stopped by SIGTERM\n" {
			t.Errorf("%s ends with %d and says %q", line, status, &told)
		}
		for len(asked) > 0 {
			<-asked
		}
	}
}
