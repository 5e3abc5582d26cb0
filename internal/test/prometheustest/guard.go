package prometheustest

import (
	"bytes"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"maps"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"
)

// Guard protects a store like a cloud's or a multi-tenant one, and accepts clients that send everything it demands.
type Guard struct {
	Path           string // prefix of the store's paths
	Tenant         string // in X-Scope-OrgID
	Token          string // as a bearer
	User, Password string
	Signature      *Signature

	LetIn, Refused atomic.Int64

	mu    sync.Mutex
	paths map[string]bool
}

// Paths returns the paths under /api/v1/ requested since it was last called, each once, sorted.
func (g *Guard) Paths() []string {
	g.mu.Lock()
	defer g.mu.Unlock()
	all := slices.Sorted(maps.Keys(g.paths))
	g.paths = nil
	return all
}

// ask records the path of a request.
func (g *Guard) ask(path string) {
	_, path, _ = strings.Cut(path, "/api/v1/")
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.paths == nil {
		g.paths = map[string]bool{}
	}
	g.paths[path] = true
}

// Signature holds the region and the credentials of signed requests; session credentials have a token.
type Signature struct{ KeyID, Secret, SessionToken, Region string }

// Start puts the guard in front of a store, and returns its address.
func (g *Guard) Start(t testing.TB, store string) string {
	t.Helper()
	to, err := url.Parse(store)
	if err != nil {
		t.Fatal(err)
	}
	behind := http.StripPrefix(g.Path, httputil.NewSingleHostReverseProxy(to))
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if err := g.admits(r); err != nil {
			g.Refused.Add(1)
			http.Error(w, fmt.Sprintf(`{"message":%q}`, err), http.StatusForbidden)
			return
		}
		g.LetIn.Add(1)
		g.ask(r.URL.Path)
		behind.ServeHTTP(w, r)
	}))
	t.Cleanup(server.Close)
	return server.URL + g.Path
}

func (g *Guard) admits(r *http.Request) error {
	user, password, _ := r.BasicAuth()
	switch {
	case !strings.HasPrefix(r.URL.Path, g.Path+"/api/v1/"):
		return errors.New("no such workspace")
	case r.Header.Get("X-Scope-OrgID") != g.Tenant:
		return errors.New("no org id")
	case g.Token != "" && r.Header.Get("Authorization") != "Bearer "+g.Token:
		return errors.New("no such token")
	case user != g.User || password != g.Password:
		return errors.New("no such user")
	case g.Signature != nil:
		return g.Signature.of(r)
	}
	return nil
}

// of computes a request's signature step by step, as in
// https://docs.aws.amazon.com/IAM/latest/UserGuide/reference_sigv-create-signed-request.html, and compares it.
func (s *Signature) of(r *http.Request) error {
	body, err := io.ReadAll(r.Body)
	if err != nil {
		return err
	}
	r.Body = io.NopCloser(bytes.NewReader(body))
	stamp := r.Header.Get("X-Amz-Date")
	at, err := time.Parse("20060102T150405Z", stamp)
	if err != nil {
		return fmt.Errorf("X-Amz-Date: %w", err)
	}
	if age := time.Since(at).Abs(); age > 5*time.Minute {
		return fmt.Errorf("the signature expired: it is %v old", age)
	}
	if r.Header.Get("X-Amz-Security-Token") != s.SessionToken {
		return errors.New("the security token included in the request is invalid")
	}
	_, signed, _ := strings.Cut(r.Header.Get("Authorization"), "SignedHeaders=")
	signed, _, _ = strings.Cut(signed, ",")
	names := strings.Split(signed, ";")
	if !slices.Contains(names, "host") || !slices.Contains(names, "x-amz-date") || s.SessionToken != "" &&
		!slices.Contains(names, "x-amz-security-token") {
		return fmt.Errorf("%s lacks a header that must be signed", signed)
	}
	var headers strings.Builder
	for _, name := range names {
		value := r.Header.Get(name)
		switch name {
		case "host":
			value = r.Host
		case "content-length":
			value = fmt.Sprint(r.ContentLength)
		}
		fmt.Fprintf(&headers, "%s:%s\n", name, strings.TrimSpace(value))
	}
	query := strings.ReplaceAll(r.URL.Query().Encode(), "+", "%20")
	canonical := strings.Join([]string{r.Method, r.URL.EscapedPath(), query, headers.String(), signed, hexSum(body)},
		"\n")
	scope := stamp[:8] + "/" + s.Region + "/aps/aws4_request"
	text := strings.Join([]string{"AWS4-HMAC-SHA256", stamp, scope, hexSum([]byte(canonical))}, "\n")
	key := []byte("AWS4" + s.Secret)
	for _, part := range []string{stamp[:8], s.Region, "aps", "aws4_request", text} {
		sum := hmac.New(sha256.New, key)
		sum.Write([]byte(part))
		key = sum.Sum(nil)
	}
	want := fmt.Sprintf("AWS4-HMAC-SHA256 Credential=%s/%s, SignedHeaders=%s, Signature=%s", s.KeyID, scope, signed,
		hex.EncodeToString(key))
	if got := r.Header.Get("Authorization"); got != want {
		return errors.New("the request signature we calculated does not match the signature you provided")
	}
	return nil
}

func hexSum(text []byte) string {
	sum := sha256.Sum256(text)
	return hex.EncodeToString(sum[:])
}
