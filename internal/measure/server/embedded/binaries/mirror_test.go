package binaries

import (
	"archive/zip"
	"bytes"
	"crypto/sha256"
	_ "embed"
	"encoding/hex"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
)

// treeArchive is an archive in the shape of PostgreSQL's: bin, lib with a link, share. Its programs are scripts that add a
// line to the file in REALIOPS_TEST_RAN. Made with GNU tar and xz.
//
//go:embed testdata/tree.txz
var treeArchive []byte

// jar wraps an archive as the repository does.
func jar(t *testing.T, archive []byte) []byte {
	t.Helper()
	var b bytes.Buffer
	z := zip.NewWriter(&b)
	for name, content := range map[string][]byte{"META-INF/MANIFEST.MF": []byte("x"), "postgres.txz": archive} {
		w, err := z.Create(name)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := w.Write(content); err != nil {
			t.Fatal(err)
		}
	}
	if err := z.Close(); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

func sum(content []byte) string {
	s := sha256.Sum256(content)
	return hex.EncodeToString(s[:])
}

// mirror is a repository on this machine that gives out one jar, and the sum published beside it.
type mirror struct {
	URL string

	mu   sync.Mutex
	jars int // given out
}

func newMirror(t *testing.T, jar []byte, published string) *mirror {
	m := &mirror{}
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		switch {
		case !strings.Contains(r.URL.Path, fake(t, nil).pin.version):
			http.NotFound(w, r)
		case strings.HasSuffix(r.URL.Path, ".sha256"):
			fmt.Fprint(w, published)
		default:
			m.count()
			_, _ = w.Write(jar)
		}
	}))
	t.Cleanup(s.Close)
	m.URL = s.URL
	return m
}

func (m *mirror) count() {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.jars++
}

func (m *mirror) given() int {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.jars
}

// fake is a release for this machine whose archive has that content.
func fake(t *testing.T, archive []byte) Release {
	t.Helper()
	return Release{pin{here().platform(99), "99.1.0", int64(len(archive)), sum(archive)}}
}
