package report_test

import (
	"strings"
	"testing"
)

// TestIndexPairIsReported: for the load with two HNSW indexes and the one without, the report says what a ratio over a
// whole load cannot show. 764,865 more entries and 0.11% fewer rows predict at most 0.8 million more writes; there were
// 20.26 million: 60 x 7,505,447 - 60 x 7,175,401 x the ratio of the rows.
func TestIndexPairIsReported(t *testing.T) {
	text := unwrapped(textOf(t, read(t, "../../../testdata/runs/published-senzing.jsonl.zst"), 80))
	want := "20260828-loadonly-hnsw differs from 20260828-loadonly by two HNSW indexes (m=16), made before the load, " +
		"which added 764,865 index entries. " +
		"At equal rows CloudWatch WriteIOPS is 20,262,831 higher: 4.7%, from 1.8% to 7.7% (99%), or 26.5 per " +
		"entry. " +
		"Expected: 0% by rows, 0.66% by rows+index entries. It does not count rows or rows+index entries."
	if !strings.Contains(text, want) {
		t.Errorf("the report does not say %q:\n%s", want, text)
	}
	if strings.Contains(unwrapped(textOf(t, read(t, publishedRun), 80)), "which added") {
		t.Error("the published pair of bulk loads names no difference, and one was said")
	}
}
