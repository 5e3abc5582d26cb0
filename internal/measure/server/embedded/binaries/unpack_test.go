package binaries

import (
	"archive/tar"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func TestUnpackStaysInside(t *testing.T) {
	around := t.TempDir()
	inside := filepath.Join(around, "inside")
	if err := os.Mkdir(inside, 0o755); err != nil {
		t.Fatal(err)
	}
	root, err := os.OpenRoot(inside)
	if err != nil {
		t.Fatal(err)
	}
	defer root.Close()
	into := tree{root: root, made: map[string]bool{".": true}}

	refuse := func(h tar.Header) {
		t.Helper()
		if err := into.add(&h, strings.NewReader("evil")); err == nil {
			t.Errorf("%s was unpacked", h.Name)
		}
	}
	refuse(tar.Header{Typeflag: tar.TypeReg, Name: "../evil", Mode: 0o644})
	refuse(tar.Header{Typeflag: tar.TypeReg, Name: "/evil", Mode: 0o644})
	refuse(tar.Header{Typeflag: tar.TypeDir, Name: "../evil", Mode: 0o755})
	refuse(tar.Header{Typeflag: tar.TypeChar, Name: "evil", Mode: 0o644})
	if err := into.add(&tar.Header{Typeflag: tar.TypeSymlink, Name: "way", Linkname: ".."}, nil); err != nil {
		t.Fatal(err)
	}
	refuse(tar.Header{Typeflag: tar.TypeReg, Name: "way/evil", Mode: 0o644})
	if entries, _ := os.ReadDir(around); len(entries) != 1 {
		t.Errorf("something left the directory: %v", entries)
	}
}
