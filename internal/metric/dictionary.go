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

// Entry says what metrics of a system count that realiops does not read: a tool, an exporter, another cloud or
// database.
type Entry struct {
	System  string   `json:"system"`
	Names   []string `json:"names"` // as the system writes them
	Side    string   `json:"side"`  // logical, requested, physical, mixed, limit or none
	Counts  string   `json:"counts"`
	Unit    string   `json:"unit,omitempty"`
	Trap    string   `json:"trap,omitempty"`
	Basis   Basis    `json:"basis"`
	Same    string   `json:"same,omitempty"` // the metric of ours that is the same, by its name in a run file
	Sources []string `json:"sources"`        // keys
}

// More sides of an entry.
const (
	EitherSide = "mixed" // one name with several meanings
	ALimit     = "limit" // what may be used, not what is
)

// More bases of an entry.
const Read Basis = "source" // read in the system's own source code

//go:embed dictionary.json
var dictionaryJSON []byte

// dictionary is dictionary.json, which is part of the program.
var dictionary = sync.OnceValue(func() (d struct {
	Sources []Source `json:"sources"`
	Entries []Entry  `json:"entries"`
}) {
	if err := json.Unmarshal(dictionaryJSON, &d); err != nil {
		panic(fmt.Sprintf("dictionary.json: %v", err)) // a test reads it
	}
	return d
})

// Dictionary returns all entries. Callers must not modify them.
func Dictionary() []Entry { return dictionary().Entries }

// EntriesOf returns the entries that people mean by a name: that of a metric, with or without its system, or that of a
// system alone, which stands for all its metrics. An entry comes back with the names that were meant.
func EntriesOf(typed string) []Entry {
	for _, candidate := range undressed(typed) {
		if found := entriesOf(candidate); len(found) > 0 {
			return found
		}
	}
	return nil
}

// entriesOf prefers a name that is written in full to one that only ends so.
func entriesOf(typed string) []Entry {
	for _, same := range []func(system, name, typed string) bool{
		func(_, name, typed string) bool { return folded(name) == typed },
		func(system, name, typed string) bool { return folded(system)+folded(name) == typed },
		func(system, _, typed string) bool { return folded(system) == typed },
		func(_, name, typed string) bool { return folded(lastPart(name)) == typed },
		func(system, name, typed string) bool { return folded(system)+folded(lastPart(name)) == typed },
	} {
		var found []Entry
		for _, e := range Dictionary() {
			names := slices.DeleteFunc(slices.Clone(e.Names), func(name string) bool {
				return !same(e.System, name, folded(typed))
			})
			if len(names) > 0 {
				e.Names = names
				found = append(found, e)
			}
		}
		if len(found) > 0 {
			return found
		}
	}
	return nil
}

// lastPart returns what follows the last slash of a name that is a path, or the last dot or blank.
func lastPart(name string) string {
	if i := strings.LastIndexByte(name, '/'); i >= 0 && !strings.HasSuffix(name, "/s") {
		return name[i+1:]
	}
	return name[strings.LastIndexAny(name, ". ")+1:]
}

// folded returns a name as it is compared: letters and digits, in lower case.
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
	"samplecount", "percent"}

// metricMath matches a counter of Performance Insights in a CloudWatch expression, alarm or dashboard.
var metricMath = regexp.MustCompile(
	`(?i)DB_PERF_INSIGHTS\(\s*['"]\w+['"]\s*,\s*['"][^'"]*['"]\s*,\s*['"]([^'"]+)['"]\s*\)`)

// undressed returns what was typed, and then the same without what exporters and consoles put around a name: labels in
// brackets, namespaces of CloudWatch before it, and statistics behind it.
func undressed(typed string) []string {
	if math := metricMath.FindStringSubmatch(typed); math != nil {
		typed = math[1]
	}
	bare, _, _ := strings.Cut(typed, "{")
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
	for _, namespace := range []string{
		"amazonaws.com/aws/rds/", "amazonaws.com/aws/ebs/", "amazonaws_com_aws_rds_", "amazonaws_com_aws_ebs_",
		"aws/rds", "aws/ebs", "aws_rds_", "aws_ebs_",
	} {
		if rest, found := strings.CutPrefix(lower, namespace); found {
			bare = strings.TrimLeft(bare[len(bare)-len(rest):], "/ .:")
			break
		}
	}
	all := []string{typed, bare}
	for range 2 { // a percent and a statistic
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

// Mentioned returns the metrics of AWS's that stand in a text which is no name itself: a query, metric math, the source
// of a graph, or a name with statistics and dimensions around it, as consoles have them to be copied.
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
