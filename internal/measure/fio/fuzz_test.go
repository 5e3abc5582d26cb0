package fio

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// FuzzReadFile: whatever the job file, fio gets only allowed options, and no file outside the directory.
func FuzzReadFile(f *testing.F) {
	f.Add("[global]\nrw=randread\nbs=8k\n[a]\nfilename=x:y\nnumjobs=2\n[b]\nstonewall\nsize=1g\nruntime=5s\n")
	f.Add("[a]\nfilename=/place/x\n; a comment\n[b]\nioengine=libaio\niodepth=4")
	f.Fuzz(func(t *testing.T, text string) {
		jobs, err := ReadFile(strings.NewReader(text), "/place", Settings{Size: 1 << 20})
		if err != nil {
			return
		}
		for _, j := range jobs {
			_, written, _ := strings.Cut(j.file("/place/ours"), "unlink=0\n") // the last line of ours
			sections, _, err := parse(strings.NewReader(written))
			if diff := cmp.Diff(j.Sections, sections); err != nil || diff != "" {
				t.Fatalf("%v\n%s\n%s", err, written, diff)
			}
			for _, s := range sections {
				if name := value(s.Options, "filename", "filename_format"); strings.ContainsAny(name, "/$") {
					t.Errorf("%s leads out of the directory", name)
				}
			}
			if j.Bytes < 0 || j.Runtime < 0 {
				t.Errorf("%d bytes in %v", j.Bytes, j.Runtime)
			}
		}
	})
}

// FuzzStatusesIn: fio's output is read to its end, with a status for each object.
func FuzzStatusesIn(f *testing.F) {
	f.Add("fio: a message\n{\n\"timestamp_ms\": 1, \"jobs\": [{\"error\": 0, \"read\": {\"total_ios\": 5, " +
		"\"runtime\": 7}}]\n}\n")
	f.Add("{\n{\n}\n}\n\n{\nnothing")
	f.Fuzz(func(t *testing.T, text string) {
		statuses := 0
		messages := statusesIn(strings.NewReader(text), func(Status) { statuses++ })
		if lines := strings.Count(text, "\n") + 1; statuses+len(messages) > lines {
			t.Errorf("%d statuses and %d messages in %d lines", statuses, len(messages), lines)
		}
	})
}
