package metric

import (
	_ "embed" // dictionary.json
	"encoding/json"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"sync"
	"unicode"
)

// Entry explains metrics that realiops does not read, of one system: a tool, an exporter, another cloud or database.
type Entry struct {
	System  string   `json:"system"`
	Names   []string `json:"names"` // as the system writes them
	Side    string   `json:"side"`  // logical, requested, physical, mixed, limit or none
	Counts  string   `json:"counts"`
	Unit    string   `json:"unit,omitempty"`
	Trap    string   `json:"trap,omitempty"`
	Basis   Basis    `json:"basis"`
	Same    string   `json:"same,omitempty"` // our metric with the same value, by its name in a run file
	Sources []string `json:"sources"`        // keys
}

// Further sides of an entry.
const (
	EitherSide = "mixed" // one name with several meanings
	ALimit     = "limit" // a limit, not a use
)

// Further bases of an entry.
const Read Basis = "source" // read in the system's source code

//go:embed dictionary.json
var dictionaryJSON []byte

// dictionary parses dictionary.json, which is embedded.
var dictionary = sync.OnceValue(func() (d struct {
	Sources []Source `json:"sources"`
	Entries []Entry  `json:"entries"`
}) {
	if err := json.Unmarshal(dictionaryJSON, &d); err != nil {
		panic(fmt.Sprintf("dictionary.json: %v", err)) // a test parses it
	}
	return d
})

// Dictionary returns all entries. Callers must not modify them.
func Dictionary() []Entry { return dictionary().Entries }

// EntriesOf returns the entries for a name: of a metric, with or without its system, or of a system, which stands for
// all its metrics. Each entry has only the matching names.
func EntriesOf(typed string) []Entry {
	for _, candidate := range undressed(typed) {
		if found := entriesOf(candidate); len(found) > 0 {
			return found
		}
	}
	return nil
}

// entriesOf prefers a full match to a match of the end.
func entriesOf(typed string) (found []Entry) {
	typed = folded(typed)
	if slices.Contains(statistics, typed) {
		return nil
	}
	for _, leads := range leads() {
		for _, lead := range leads[typed] {
			e := Dictionary()[lead.entry]
			e.Names = lead.names
			found = append(found, e)
		}
		if len(found) > 0 {
			return found
		}
	}
	return nil
}

// lead is an entry to which a name leads, with the matching names.
type lead struct {
	entry int
	names []string
}

// leads maps what can be typed, folded, to entries, for each kind of match, the best first.
var leads = sync.OnceValue(func() (kinds [6]map[string][]lead) {
	for kind := range kinds {
		kinds[kind] = map[string][]lead{}
	}
	for i, e := range Dictionary() {
		system := folded(e.System)
		for _, name := range e.Names {
			add := func(kind int, typed string) {
				found := kinds[kind][typed]
				switch n := len(found) - 1; {
				case n < 0 || found[n].entry != i:
					kinds[kind][typed] = append(found, lead{i, []string{name}})
				case !slices.Contains(found[n].names, name):
					found[n].names = append(found[n].names, name)
				}
			}
			add(0, folded(name))
			short := strings.TrimSuffix(strings.TrimSuffix(name, ".average"), "_total") // in APIs, and in old exporters
			add(1, folded(short))
			add(2, system+folded(name))
			add(3, system)
			for _, end := range endsOf(name) {
				add(4, end)
				add(5, system+end)
			}
		}
	}
	return kinds
})

// endsOf returns the ends of a name from each slash, dot, colon or blank on, folded. The slash of a rate (w/s, Disk Reads/sec)
// is no such place.
func endsOf(name string) (all []string) {
	for i, mark := range name {
		if end := folded(name[i+1:]); strings.ContainsRune("/.: ", mark) && end != "" && end != "s" && end != "sec" {
			all = append(all, end)
		}
	}
	return all
}

// folded reduces a name to letters and digits in lower case, for comparison.
func folded(name string) string {
	return strings.Map(func(r rune) rune {
		if unicode.IsLetter(r) || unicode.IsDigit(r) {
			return unicode.ToLower(r)
		}
		return -1
	}, name)
}

// statistics lists the suffixes that exporters and consoles append to a name.
var statistics = []string{"average", "avg", "sum", "maximum", "max", "minimum", "min", "sample_count",
	"samplecount", "percent", "total"}

// namespaces lists what exporters and consoles write before a name.
var namespaces = []string{
	"amazonaws.com/aws/rds/", "amazonaws.com/aws/ebs/", "amazonaws.com/aws/ec2/",
	"amazonaws_com_aws_rds_", "amazonaws_com_aws_ebs_", "amazonaws_com_aws_ec2_",
	"aws/rds", "aws/ebs", "aws/ec2", "aws_rds_", "aws_ebs_", "aws_ec2_", "aws.ec2.",
	"cloudsql.googleapis.com/", "gcp.cloudsql.", "gcp.gce.", "stackdriver_cloudsql_database_", "stackdriver_gce_instance_",
	"mysql_global_status_", "physicaldisk", "logicaldisk", "vsphere_vm_", "vsphere_host_", "vsphere_datastore_", "esxi.",
}

// metricMath matches a counter of Performance Insights in a CloudWatch expression, alarm or dashboard.
var metricMath = regexp.MustCompile(
	`(?i)DB_PERF_INSIGHTS\(\s*['"]\w+['"]\s*,\s*['"][^'"]*['"]\s*,\s*['"]([^'"]+)['"]\s*\)`)

// units lists what consoles write in brackets after a label: Queue Depth (Count).
var units = []string{"count", "count/second", "count/s", "iops", "ops/s", "seconds", "milliseconds", "ms", "bytes", "mb",
	"gb", "bytes/second", "mb/second", "mb/s", "%"}

// Label returns the name in a console's label, without its unit, as in Queue Depth (Count), and without a mark in
// brackets before it.
func Label(typed string) string {
	if mark, name, found := strings.Cut(typed, "] "); found && strings.HasPrefix(mark, "[") {
		typed = name
	}
	if name, unit, found := strings.Cut(typed, " ("); found &&
		slices.Contains(units, strings.ToLower(strings.TrimSuffix(unit, ")"))) {
		return name
	}
	return typed
}

// undressed returns what was typed, and then the same without the additions of exporters and consoles: labels in
// brackets, namespaces before the name, and statistics after it.
func undressed(typed string) []string {
	if math := metricMath.FindStringSubmatch(typed); math != nil {
		typed = math[1]
	}
	bare, _, _ := strings.Cut(Label(typed), "{")
	if i := strings.LastIndexByte(bare, '\\'); i >= 0 { // \PhysicalDisk(_Total)\Disk Writes/sec
		bare = strings.TrimRight(bare[i+1:], `"')]`)
	}
	bare, _, _ = strings.Cut(bare, "[")
	if before, inside, found := strings.Cut(bare, "("); found {
		if inside = strings.TrimSpace(strings.TrimRight(inside, ") ")); slices.Contains(statistics,
			strings.ToLower(inside)) {
			inside = before // WriteIOPS (Average)
		}
		if inside == "true" || inside == "false" || strings.Trim(inside, "0123456789") == "" {
			inside = before // aurora_stat_dml_activity(16401)
		}
		bare = inside[strings.LastIndexByte(inside, '(')+1:] // sum(rate(name
	}
	bare = strings.TrimSpace(bare)
	lower := strings.ToLower(bare)
	for _, namespace := range namespaces {
		if rest, found := strings.CutPrefix(lower, namespace); found {
			bare = strings.TrimLeft(bare[len(bare)-len(rest):], "/ .:")
			break
		}
	}
	all := []string{typed, bare}
	for range 2 { // a percentage and a statistic
		lower = strings.ToLower(bare)
		for _, statistic := range statistics {
			rest, found := strings.CutSuffix(lower, statistic)
			if name := strings.TrimRight(rest, "_. :"); found && name != "" && name != rest {
				bare = bare[:len(name)]
				all = append(all, bare)
				break
			}
		}
	}
	return all
}

// words matches candidates for names in an expression, a query or the source of a CloudWatch graph.
var words = regexp.MustCompile(`[A-Za-z][\w.%]+`)

// Mentioned returns the AWS metrics in a text that is not just a name: a query, metric math, the source of a graph, or
// a name with statistics and dimensions, as copied from a console.
func Mentioned(text string) (all []string) {
	for _, word := range words.FindAllString(text, -1) {
		candidates := undressed(word)
		counter := strings.HasPrefix(word, "db.") || strings.HasPrefix(word, "os.")
		known := func(m Meaning) bool {
			return slices.ContainsFunc(candidates, func(c string) bool { return folded(c) == folded(m.Metric) })
		}
		if named := slices.ContainsFunc(Meanings(), known) || counter && len(EntriesOf(word)) > 0; named &&
			!slices.Contains(all, word) {
			all = append(all, word)
		}
	}
	return all
}
