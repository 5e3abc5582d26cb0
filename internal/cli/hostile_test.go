package cli

import (
	"bytes"
	"encoding/csv"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"
	"unicode"
	"unicode/utf8"

	"github.com/klauspost/compress/zstd"
	"golang.org/x/net/html"

	"github.com/realiops/realiops/internal/cli/command"
)

// hostile follows a name or a message: it controls a terminal, reorders and forges lines, and is markup if unescaped.
const hostile = "\x1b[31m\x1b]0;t\x07\u009b2J\u202Eabc\u2066\u200F\u2028x\u0085y\r\nFORGED\tLINE | `x` **b** " +
	`<script>alert(1)</script><img src=x onerror=alert(1)>[click](javascript:alert(1)) ![i](http://127.0.0.1:9/i.png)`

// openings make a cell a formula in a spreadsheet.
var openings = []string{"=", "+", "-", "@", "\t", "\r"}

// free lists the fields of a run file with other people's names or words. Fields that the analysis interprets, such
// as units and known metrics, are not free.
var free = map[string]bool{
	"id": true, "version": true, "provenance": true, "host": true, "database": true, "user": true, "image": true,
	"directory":   true,
	"file_system": true, "device": true, "backing": true, "holds": true, "carries": true, "unseen": true, "os": true,
	"arch":   true,
	"kernel": true, "code": true, "detail": true, "failed": true, "added": true, "missing": true, "text": true,
	"cause": true,
	"help":  true, "caveat": true, "source": true, "program": true, "set": true, "job": true, "resource": true,
	"class":  true,
	"region": true, "instance": true, "cluster": true, "machine": true, "volumes": true, "settings": true,
	"parameters": true,
	"dimensions": true, "synchronous_commit": true, "load": true, "loads": true, "factors": true, "items": true,
	"name": true,
}

// TestHostileRunFiles plants harmful text in every free field of run files, and checks the output of every command
// that reads them, in every format.
func TestHostileRunFiles(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	var runs []string
	for _, name := range []string{"loads-pg17.jsonl", "local-pg18.jsonl.zst", "observed-pg17.jsonl.zst",
		"published-aurora.jsonl"} {
		runs = append(runs, hostileRun(t, name, dir))
	}
	baseline := hostileRun(t, "baseline.jsonl.zst", dir)
	for _, run := range append(slices.Clone(runs), baseline) {
		shows(t, isText, "report", run)
		shows(t, isText, "report", run, "-v")
		shows(t, isJSON, "report", run, "--format", "json")
	}
	for _, run := range runs {
		shows(t, isPage, "report", run, "--format", "html")
		shows(t, isMarkdown, "report", run, "--format", "md")
		shows(t, isCSV, "report", run, "--format", "csv")
		shows(t, isJSON, "report", run, "--format", "json")
		shows(t, isText, "size", run)
		shows(t, isText, "size", run, "-v")
		shows(t, isCSV, "size", run, "--format", "csv")
		shows(t, isJSON, "size", run, "--format", "json")
		shows(t, isText, "size", run, "--baseline", baseline)
	}
	shows(t, isText, append([]string{"compare"}, runs[:2]...)...)
	shows(t, isText, append([]string{"compare", "-v"}, runs[:2]...)...)
	shows(t, isCSV, append([]string{"compare", "--format", "csv"}, runs[:2]...)...)
	shows(t, isJSON, append([]string{"compare", "--format", "json"}, runs[:2]...)...)
	shows(t, isPage, append([]string{"report", "--format", "html"}, runs...)...)
	shows(t, isPage, "report", "--format", "html", baseline)
	shows(t, isMarkdown, "report", "--format", "md", baseline)
	shows(t, isCSV, "report", "--format", "csv", baseline)
}

// shows runs a command and checks both of its outputs, whether or not it succeeds.
func shows(t *testing.T, safe func(string) error, args ...string) {
	t.Helper()
	var out, messages bytes.Buffer
	Main(command.Env{Out: &out, Err: &messages, Getenv: func(string) string { return "" }, Now: time.Now}, args)
	short := strings.ReplaceAll(strings.Join(args, " "), hostile, "…")
	if err := isText(messages.String()); err != nil {
		t.Errorf("%s, standard error: %v", short, err)
	}
	if out.Len() == 0 {
		if !strings.Contains(messages.String(), "realiops: ") {
			t.Errorf("%s says nothing at all", short)
		}
		return
	}
	if err := safe(out.String()); err != nil {
		t.Errorf("%s: %v", short, err)
	}
}

// isText checks that a text has no control characters except line ends, and no forged line.
func isText(text string) error {
	if !utf8.ValidString(text) {
		return fmt.Errorf("it is no UTF-8")
	}
	before := ""
	for line := range strings.Lines(text) {
		line = strings.TrimSuffix(line, "\n")
		if i := strings.IndexFunc(line, func(r rune) bool { return !unicode.IsGraphic(r) }); i >= 0 {
			return fmt.Errorf("%U is passed on: %.120q", []rune(line[i:])[0], line[max(0, i-40):])
		}
		// A wrapped line or name may break after the escape of a line end.
		if strings.HasPrefix(strings.TrimLeft(line, " |>-*"), "FORGED") && !strings.Contains(before+" ", `\n `) {
			return fmt.Errorf("a line is forged: %.120q", line)
		}
		before = line
	}
	return nil
}

func isJSON(text string) error {
	if !json.Valid([]byte(text)) {
		return fmt.Errorf("it is not JSON: %.120q", text)
	}
	return nil
}

func isCSV(text string) error {
	if err := isText(text); err != nil {
		return err
	}
	table, err := csv.NewReader(strings.NewReader(text)).ReadAll()
	if err != nil {
		return fmt.Errorf("it is no CSV: %w", err)
	}
	for _, cell := range slices.Concat(table...) {
		if _, err := strconv.ParseFloat(cell, 64); err != nil && len(cell) > 1 &&
			strings.ContainsAny(cell[:1], "=+-@\t\r") {
			return fmt.Errorf("a cell is a formula: %.60q", cell)
		}
	}
	return nil
}

// markup matches text that a markdown viewer would act on: a tag, or a link or a picture with unescaped brackets.
var markup = regexp.MustCompile(`<script>|<img|(^|[^\\])\](\(|\[)(javascript|http://127)`)

// fenced matches a verbatim block of markdown.
var fenced = regexp.MustCompile("(?ms)^```$.*?^```$|^````$.*?^````$")

func isMarkdown(text string) error {
	if err := isText(text); err != nil {
		return err
	}
	if found := markup.FindString(fenced.ReplaceAllString(text, "")); found != "" {
		return fmt.Errorf("it passes on markup: %q", found)
	}
	columns := 0
	for line := range strings.Lines(text) {
		n := strings.Count(strings.ReplaceAll(line, `\|`, ""), "|")
		if !strings.HasPrefix(line, "|") {
			columns = 0
			continue
		}
		if columns != 0 && n != columns {
			return fmt.Errorf("a row has %d borders, the first %d: %.120q", n, columns, line)
		}
		columns = n
	}
	return nil
}

// isPage checks that a page has only our elements, and that its text and title are printable.
func isPage(page string) error {
	root, err := html.Parse(strings.NewReader(page))
	if err != nil {
		return fmt.Errorf("it is no page: %w", err)
	}
	for n := range root.Descendants() {
		inert := n.Parent != nil && n.Parent.Type == html.ElementNode &&
			(n.Parent.Data == "style" || n.Parent.Data == "pre")
		switch {
		case n.Type == html.TextNode && !inert:
			if err := isText(strings.ReplaceAll(n.Data, "\t", " ")); err != nil && n.Parent.Data != "script" {
				return fmt.Errorf("<%s>: %w", n.Parent.Data, err)
			}
		case n.Type == html.ElementNode && n.Data == "img" && !strings.HasPrefix(attribute(n, "src"), "data:"):
			return fmt.Errorf("it loads a picture from %q", attribute(n, "src"))
		case n.Type == html.ElementNode && (n.Data == "script" && attribute(n, "id") != "sort" ||
			strings.HasPrefix(attribute(n, "href"), "javascript:")):
			if n.FirstChild != nil && strings.Contains(n.FirstChild.Data, "alert(1)") || n.Data == "a" {
				return fmt.Errorf("it runs what was planted: <%s>", n.Data)
			}
		}
		for _, a := range n.Attr {
			if strings.HasPrefix(a.Key, "on") {
				return fmt.Errorf("<%s %s=%q>", n.Data, a.Key, a.Val)
			}
			if err := isText(a.Val); err != nil {
				return fmt.Errorf("<%s %s>: %w", n.Data, a.Key, err)
			}
		}
	}
	return nil
}

func attribute(n *html.Node, key string) string {
	for _, a := range n.Attr {
		if a.Key == key {
			return a.Val
		}
	}
	return ""
}

// hostileRun writes a shipped run with planted text in all free fields, under a hostile name.
func hostileRun(t *testing.T, shipped, dir string) string {
	t.Helper()
	packed, err := os.Open(filepath.Join(shippedRuns, shipped))
	if err != nil {
		t.Fatal(err)
	}
	defer packed.Close()
	var text io.Reader = packed
	if strings.HasSuffix(shipped, ".zst") {
		unpacked, err := zstd.NewReader(packed)
		if err != nil {
			t.Fatal(err)
		}
		defer unpacked.Close()
		text = unpacked
	}
	var out bytes.Buffer
	for d := json.NewDecoder(text); ; {
		d.UseNumber()
		var record any
		if err := d.Decode(&record); errors.Is(err, io.EOF) {
			break
		} else if err != nil {
			t.Fatal(err)
		}
		line, err := json.Marshal(planted("", record))
		if err != nil {
			t.Fatal(err)
		}
		// The kind comes first in our lines, but Marshal sorts.
		kind := record.(map[string]any)["kind"].(string)
		line = bytes.Replace(line, []byte(`"kind":"`+kind+`",`), nil, 1)
		fmt.Fprintf(&out, "{\"kind\":%q,%s\n", kind, line[1:])
	}
	name, _, _ := strings.Cut(shipped, ".")
	path := filepath.Join(dir, name+"\x1b[1m\u202E<b>\nFORGED.jsonl")
	if err := os.WriteFile(path, out.Bytes(), 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

// strange is the prefix of metrics with hostile names, like unknown ones of a newer version.
const strange = "pgstat.slru/"

// planted returns a field's value with something planted in it, always the same for the same name.
func planted(field string, value any) any {
	switch v := value.(type) {
	case map[string]any:
		fields := map[string]any{}
		for name, inner := range v {
			switch {
			case field == "parameters", field == "settings", field == "dimensions":
				inner = planted("text", inner)
			case name == "clocks", name == "name" && field == "", name == "source" && v["kind"] == nil:
			default:
				inner = planted(name, inner)
			}
			if strings.HasPrefix(name, strange) {
				name += hostile
			}
			fields[name] = inner
		}
		if name, _ := v["name"].(string); v["kind"] == "metric" && strings.HasPrefix(name, strange) {
			fields["name"], fields["unit"] = name+hostile, hostile
		}
		return fields
	case []any:
		for i := range v {
			v[i] = planted(field, v[i])
		}
	case string:
		if free[field] && v != "" {
			return openings[len(v)%len(openings)] + v + hostile
		}
	}
	return value
}
