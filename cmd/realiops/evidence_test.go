package main

import (
	"bytes"
	"compress/gzip"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/realiops/realiops/internal/test/runfiletest"
)

// TestEvidenceOfBadFiles: each invalid file is refused with one line that says why.
func TestEvidenceOfBadFiles(t *testing.T) {
	t.Parallel()
	for _, needed := range []string{"bash", "jq", "zstd", "gzip"} {
		if _, err := exec.LookPath(needed); err != nil {
			t.Skip("not on this machine: ", err)
		}
	}
	const recorded = "../../internal/testdata/stand-in/run.jsonl.zst"
	packed, err := os.ReadFile(recorded)
	if err != nil {
		t.Fatal(err)
	}
	place := t.TempDir()
	shared := filepath.Join(place, "shared.jsonl")
	if out, err := realiops(t, "share", recorded, "-o", shared).CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	whole, err := os.ReadFile(shared)
	if err != nil {
		t.Fatal(err)
	}
	var text []byte // without the readings, most of it
	lines := 0
	for line := range bytes.Lines(whole) {
		if !bytes.HasPrefix(line, []byte(`{"kind":"read"`)) && !bytes.HasPrefix(line, []byte(`{"kind":"work"`)) {
			text = append(text, line...)
			lines++
		}
	}
	changed := func(from, to string) []byte {
		if !bytes.Contains(text, []byte(from)) {
			t.Fatalf("%s is not in the run", from)
		}
		return bytes.Replace(text, []byte(from), []byte(to), 1)
	}
	const free = `"help":"analyses at work` // which share keeps
	const unscrubbed, none = "it is not scrubbed: line ", "it has no CloudWatch metrics; realiops aws collect adds them"
	for name, c := range map[string]struct {
		text []byte
		want string
	}{
		"scrubbed":       {text, none},
		"packed by gzip": {gzipped(t, text), none},
		"cut in a line":  {text[:len(text)/2], "it is truncated: its last line is incomplete"},
		"cut between lines": {text[:bytes.LastIndex(text, []byte(`{"kind":"end"`))],
			"it is incomplete: the run did not end"},
		"cut while packed": {packed[:len(packed)/2],
			"it cannot be unpacked: it was truncated or damaged in transit; ask for it again"},
		"cut while packed by gzip": {gzipped(t, text)[:10000],
			"it cannot be unpacked: it was truncated or damaged in transit; ask for it again"},
		"a zip archive":      {[]byte("PK\x03\x04of something"), "it is a zip archive: unpack it"},
		"empty":              {nil, "it is empty"},
		"of blanks":          {[]byte("\n\n"), "this is not a realiops run file"},
		"another program's":  {[]byte(`{"level":"info","msg":"hello"}` + "\n"), "this is not a realiops run file"},
		"of an older format": {changed("realiops.run/1", "realiops.run/0"), "the file has schema realiops.run/0"},
		"of a newer format":  {changed("realiops.run/1", "realiops.run/2"), "the file has schema realiops.run/2"},
		"a line of another program": {append(bytes.Clone(text), `{"level":"info"}`+"\n"...),
			fmt.Sprintf("line %d", lines+1)},
		"a field of nobody": {changed(`"kind":"metric",`, `"kind":"metric","owner":"somebody",`),
			unscrubbed + "2 has"},
		"not shared": {runfiletest.Unpacked(t, packed), unscrubbed + "1 has"},
		"a user in the middle": {changed(`"reason":"unsupported"`, `"reason":"unsupported","detail":"me"`),
			" has content that realiops share removes"},
		"a name of its own": {changed(`"id":"run-`, `"id":"shop-`), unscrubbed + "1 has"},
		"published figures": {changed(`"version":"(devel)"`, `"version":"(devel)","provenance":"a blog"`),
			"it has figures that realiops did not read itself"},
		"an address of a person": {changed(free, `"help":"ask jane.doe@shop.example first`), unscrubbed + "3 names"},
		"a host":                 {changed(free, `"help":"on db7.shop.internal`), unscrubbed + "3 names"},
		"an endpoint": {changed(`"shared_buffers":"128MB"`, `"shared_buffers":"db.x.eu-west-1.rds.amazonaws.com"`),
			unscrubbed + "1 names"},
		"an IP address":  {changed(free, `"help":"on 10.1.2.33`), unscrubbed + "3 names"},
		"a password":     {changed(free, `"help":"PGPASSWORD=hunter2`), unscrubbed + "3 "},
		"a URL with one": {changed(free, `"help":"postgres://me:hunter2@db/x`), unscrubbed + "3 "},
		"a resource":     {changed(free, `"help":"arn:aws:rds:eu-west-1:x:db:y`), unscrubbed + "3 names"},
		"an account":     {changed(free, `"help":"of 123456789012`), unscrubbed + "3 names"},
		"a key":          {changed(free, `"help":"AKIAIOSFODNN7EXAMPLE`), unscrubbed + "3 names"},
		"a source that is none": {
			changed(`"source":"https://www.postgresql.org`, `"source":"https://wiki.shop.com`), unscrubbed + "2 names"},
		"a server of one's own": {changed(`"flavor":"aurora"`, `"flavor":"postgres"`),
			"it is not from a database in AWS, by its first line"},
		"of another cloud": {changed(`"provider":"aws"`, `"provider":"azure"`),
			"it is not from a database in AWS, by its first line"},
		"two versions": {changed(`"engine":"aurora-postgresql","version":"17`,
			`"engine":"aurora-postgresql","version":"16`), "it is not from a database in AWS, by its first line"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			file := filepath.Join(t.TempDir(), "sent.jsonl")
			if err := os.WriteFile(file, c.text, 0o600); err != nil {
				t.Fatal(err)
			}
			check := exec.CommandContext(t.Context(), "../../scripts/evidence", "--check", file)
			check.Env = append(os.Environ(), "REALIOPS="+built(t))
			out, err := check.CombinedOutput()
			said, found := strings.CutPrefix(string(out), file+": refused: ")
			if err == nil || !found || strings.Count(said, "\n") != 1 || !strings.Contains(said, c.want) {
				t.Errorf("%v, %q, want one line with %q", err, out, c.want)
			}
		})
	}
}

func gzipped(t *testing.T, text []byte) []byte {
	t.Helper()
	var packed bytes.Buffer
	w := gzip.NewWriter(&packed)
	if _, err := w.Write(text); err != nil {
		t.Fatal(err)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return packed.Bytes()
}
