package insights_test

import (
	"io"
	"net/http"
	"strings"
	"testing"
)

// peek reads the body of a request and leaves it there.
func peek(t *testing.T, r *http.Request) string {
	t.Helper()
	body, err := io.ReadAll(r.Body)
	if err != nil {
		t.Error(err)
	}
	r.Body = reader(string(body))
	return string(body)
}

func reader(text string) io.ReadCloser { return io.NopCloser(strings.NewReader(text)) }
