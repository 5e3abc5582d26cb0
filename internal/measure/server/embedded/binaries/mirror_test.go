package binaries

import (
	"archive/zip"
	"bytes"
	"crypto/sha256"
	_ "embed"
	"encoding/hex"
	"net/http"
	"net/http/httptest"
	"sync"
	"testing"
)

// treeArchive is an archive in the shape of PostgreSQL's: bin, lib with a link, share. Its programs are scripts that
// add a line to the file in REALIOPS_TEST_RAN. Made with GNU tar and xz.
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

// mirror is a repository on this machine.
type mirror struct {
	URL string

	mu    sync.Mutex
	asked int // times
}

// newMirror starts a mirror that answers requests for the fake release's file.
func newMirror(t *testing.T, answer http.HandlerFunc) *mirror {
	m := &mirror{}
	release := fake(t, nil)
	mux := http.NewServeMux()
	// Maven's layout: group, artifact, version, artifact-version.
	artifact := "embedded-postgres-binaries-" + release.pin.platform
	mux.HandleFunc("/io/zonky/test/postgres/"+artifact+"/99.1.0/"+artifact+"-99.1.0.jar",
		func(w http.ResponseWriter, r *http.Request) {
			m.mu.Lock()
			m.asked++
			m.mu.Unlock()
			answer(w, r)
		})
	s := httptest.NewServer(mux)
	t.Cleanup(s.Close)
	m.URL = s.URL
	return m
}

// giving answers with content.
func giving(content []byte) http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) { _, _ = w.Write(content) }
}

func (m *mirror) given() int {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.asked
}

// fake returns a release for this machine whose archive has that content.
func fake(t *testing.T, archive []byte) Release {
	t.Helper()
	return Release{pin{here().platform(99), "99.1.0", int64(len(archive)), sum(archive)}}
}
