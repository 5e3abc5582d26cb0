package published_test

import (
	"flag"
	"testing"

	"github.com/realiops/realiops/internal/runfile"
	"github.com/realiops/realiops/internal/test/published"
	"github.com/realiops/realiops/internal/test/runfiletest"
)

var update = flag.Bool("update", false, "write the run files that the sources give")

const (
	runs    = "../../../testdata/runs/"
	sources = runs + "sources"
)

// TestShippedRunsAreTheirSources: each shipped run of published figures equals the one made from its
// source. With -update it is written.
func TestShippedRunsAreTheirSources(t *testing.T) {
	digitized := published.ReadDigitized(t, sources+"/digitized.json")
	for file, records := range map[string][]runfile.Record{
		"published-senzing.jsonl.zst": published.SenzingRecords(published.Senzing(t, sources)),
		"published-digitized.jsonl":   published.DigitizedRecords(digitized),
		"published-steps.jsonl":       published.StepRecords(digitized),
		"published-ord.jsonl":         published.ORDRecords(published.ReadORD(t, sources+"/ord.json")),
		"published-azure.jsonl":       published.AzureRecords(published.ReadAzure(t, sources+"/azure-flex.json")),
	} {
		runfiletest.IsMadeOf(t, runs+file, records, *update)
	}
}
