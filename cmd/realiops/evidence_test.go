package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"testing"
)

// TestEvidenceCutOff: a compressed file that was cut off is refused in one line, which is not zstd's.
func TestEvidenceCutOff(t *testing.T) {
	t.Parallel()
	if _, err := exec.LookPath("zstd"); err != nil {
		t.Skip("no zstd on this machine: ", err)
	}
	whole, err := os.ReadFile("../../internal/testdata/stand-in/run.jsonl.zst")
	if err != nil {
		t.Fatal(err)
	}
	file := filepath.Join(t.TempDir(), "cut.jsonl.zst")
	if err := os.WriteFile(file, whole[:len(whole)/2], 0o600); err != nil {
		t.Fatal(err)
	}
	out, err := exec.CommandContext(t.Context(), "../../scripts/evidence", "--check", file).CombinedOutput()
	want := file + ": refused: it cannot be read whole: it was cut off or damaged on its way, so ask for it again\n"
	if err == nil || string(out) != want {
		t.Errorf("%v, %q, want %q", err, out, want)
	}
}
