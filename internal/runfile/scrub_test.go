package runfile

import (
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
)

// password has characters that make passwords hard to find in a URL or a keyword string.
const password = `p@ss/w0rd '%x`

// TestNoSecretReachesTheFile plants a password, plain and in each form of a DSN, in every field that carries free text
// or something a user typed, and looks for any trace of it.
func TestNoSecretReachesTheFile(t *testing.T) {
	forms := strings.Join([]string{
		"naked " + password + " here",
		"postgres://me:p%40ss%2Fw0rd%20%27%25x@db/app",
		"postgresql://me:p@ss/w0rd@db:5432/app?sslmode=require",
		"postgres://db/app?user=me&password=p%40ss%2Fw0rd%20%27%25x&sslmode=require",
		`host=db password='p@ss/w0rd \'%x' user=me`,
		`PGPASSWORD=p@ss/w0rd psql`,
		`{"password": "p@ss/w0rd"}`,
		"arn:aws:rds:eu-west-1:123456789012:db:one",
	}, " ; ")
	typed := strings.SplitN(forms, " ; ", 2)[1] // names and settings: only what has the form of a secret
	forms += " ; escaped p%40ss%2Fw0rd+%27%25x, p%40ss%2Fw0rd%20%27%25x and p@ss%2Fw0rd%20%27%25x"
	names := names()
	var records []Record
	for _, r := range everyKind() {
		filled := reflect.New(reflect.TypeOf(r)).Elem()
		filled.Set(reflect.ValueOf(r))
		records = append(records, plant(string(r.Kind()), filled, names, freeText(), forms, typed).Interface().(Record))
	}
	for name, found := range names {
		if !found {
			t.Errorf("no record has the field %s", name)
		}
	}
	path := filepath.Join(t.TempDir(), "run.jsonl")
	w, err := Create(path, "", password)
	if err != nil {
		t.Fatal(err)
	}
	writeAll(t, w, records...)
	content := string(contentOf(t, path))
	for _, trace := range []string{"p@ss", "w0rd", "p%40", "%2Fw", "p\\u0040", "123456789012"} {
		if at := strings.Index(content, trace); at >= 0 {
			t.Errorf("%q is in the file: …%s…", trace, content[max(0, at-80):min(len(content), at+40)])
		}
	}
	if strings.Count(content, Hidden) < 50 || !strings.Contains(content, "sslmode=require") {
		t.Errorf("too much or too little was hidden:\n%s", content)
	}
}

// freeText returns the fields that may contain a message, from which even a plain secret is removed.
func freeText() []string {
	return []string{
		"run.Provenance", "run.Operation.Text", "run.Parameters", "metric.Source", "metric.Help", "metric.Caveat",
		"gap.Code", "gap.Detail",
		"load.Failed", "load.Added", "load.Cold.Buffered", "load.Cold.Missing", "proof.Missing", "origin.Title",
		"origin.Place", "origin.Note", "top.Missing", "top.Items.Text", "wal.Missing", "end.Cause",
	}
}

// names returns the fields with names by realiops, AWS or the user, which are written unchanged; true: found.
func names() map[string]bool {
	all := map[string]bool{}
	for name := range strings.FieldsSeq(`
		run.Schema run.ID run.Version run.Target.Kind run.Target.Flavor run.Target.Version run.Target.SystemIdentifier
		run.Target.Storage.FileSystem run.Target.Storage.Device run.Target.Storage.Devices.Name run.Target.Storage.Devices.Holds
		run.Target.Cloud run.Host.OS run.Host.Arch run.Host.Kernel run.Clocks.Source
		run.Plan.Name run.Plan.Loads.Name run.Plan.Loads.Method run.Plan.Loads.SynchronousCommit run.Plan.Loads.Like
		run.Baseline.Program run.Baseline.Set
		metric.Name metric.Unit metric.Type gap.Probe gap.Metric gap.Reason
		load.Load load.Event load.Factors.Name load.Factors.Method load.Factors.SynchronousCommit load.Factors.Like load.Instance load.Cloud
		read.Probe read.Values work.Load work.Latency proof.Load proof.Counter
		period.Probe period.Metric period.Statistic total.Load total.Probe total.Values
		origin.Load origin.Probe origin.File origin.Commit origin.Author origin.Licence origin.How
		top.Of top.Total top.Items.Grew wal.Load wal.Items.Is wal.Items.Constraint wal.Items.Parts setting.Setting end.Status end.Clocks.Source`) {
		all[name] = false
	}
	return all
}

// plant returns a copy of v with secrets in every text, except in names.
func plant(path string, v reflect.Value, names map[string]bool, free []string, forms, typed string) reflect.Value {
	if _, is := names[path]; is {
		names[path] = true
		return v
	}
	into := func(path string, v reflect.Value) reflect.Value { return plant(path, v, names, free, forms, typed) }
	made := reflect.New(v.Type()).Elem()
	made.Set(v)
	switch v.Kind() {
	case reflect.String:
		text := typed
		if slices.Contains(free, path) {
			text = forms
		}
		made.SetString(text)
	case reflect.Pointer:
		made.Set(reflect.New(v.Type().Elem()))
		made.Elem().Set(into(path, v.Elem()))
	case reflect.Struct:
		for i := range v.NumField() {
			if field := v.Type().Field(i); field.IsExported() {
				made.Field(i).Set(into(path+"."+field.Name, v.Field(i)))
			}
		}
	case reflect.Slice:
		made.Set(reflect.MakeSlice(v.Type(), v.Len(), v.Len()))
		for i := range v.Len() {
			made.Index(i).Set(into(path, v.Index(i)))
		}
	case reflect.Map:
		made.Set(reflect.MakeMap(v.Type()))
		for _, key := range v.MapKeys() {
			made.SetMapIndex(key, into(path, v.MapIndex(key)))
		}
		if v.Type() == reflect.TypeFor[map[string]string]() {
			made.SetMapIndex(reflect.ValueOf("aws-session-token"), reflect.ValueOf("p@ss/w0rd"))
		}
	}
	return made
}

// dream is a kind of record without a rule.
type dream struct{ Record }

func (dream) Kind() Kind { return "dream" }

// TestUnknownKindsAreRefused, when they are written and when a run is shared: they may hold anything.
func TestUnknownKindsAreRefused(t *testing.T) {
	if _, err := scrubbed(dream{}, nil); err == nil || !strings.Contains(err.Error(), "dream") {
		t.Errorf("scrubbed: %v", err)
	}
	if _, kept := new(Anonymizer).Of(dream{}); kept {
		t.Error("an unknown kind is shared")
	}
	for _, r := range everyKind() {
		if _, err := scrubbed(r, nil); err != nil {
			t.Error(err)
		}
		if _, kept := new(Anonymizer).Of(r); !kept {
			t.Errorf("%s is not shared", r.Kind())
		}
	}
}

// TestScrubLeavesTheCallersRecord because the caller still uses it.
func TestScrubLeavesTheCallersRecord(t *testing.T) {
	made := func() Run { return Run{Parameters: map[string]string{"dsn": "postgres://me:pw@db"}} }
	mine := made()
	if _, err := scrubbed(mine, []string{"pw"}); err != nil {
		t.Error(err)
	}
	if diff := cmp.Diff(made(), mine); diff != "" {
		t.Error(diff)
	}
}

// TestPasswordsThatAreWords: names and settings keep their meaning if the password is "postgres" or "on".
func TestPasswordsThatAreWords(t *testing.T) {
	run := everyKind()[0].(Run)
	run.Start = time.Time{}
	got, err := scrubbed(run, []string{"on", "postgres", "bulk"})
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(run, got.(Run), cmpopts.IgnoreFields(Run{}, "Parameters", "Provenance")); diff != "" {
		t.Error(diff)
	}
}

// TestEmptyListStaysEmpty: it is written as [], and nil as null.
func TestEmptyListStaysEmpty(t *testing.T) {
	for _, loads := range [][]Load{nil, {}} {
		got, err := scrubbed(Run{Plan: Plan{Loads: loads}}, nil)
		if err != nil || (got.(Run).Plan.Loads == nil) != (loads == nil) {
			t.Errorf("%#v became %#v, %v", loads, got.(Run).Plan.Loads, err)
		}
	}
}

func TestScrub(t *testing.T) {
	check := func(in, want string, secrets ...string) {
		t.Helper()
		if got := Scrub(in, secrets...); got != want {
			t.Errorf("Scrub(%q, %q) = %q, want %q", in, secrets, got, want)
		}
		if again := Scrub(Scrub(in, secrets...), secrets...); again != want &&
			!strings.Contains(Hidden, strings.Join(secrets, "")) {
			t.Errorf("twice: %q", again)
		}
	}
	same := func(text string) { t.Helper(); check(text, text) }
	check("postgres://me:pw@h/db", "postgres://me:***@h/db")
	check("cannot reach postgres://me:pw@h/db: no route", "cannot reach postgres://me:***@h/db: no route")
	check("postgres://:pw@h", "postgres://:***@h")
	check(`no argument such as "postgres:/me:p@w/x@h/db": none`, `no argument such as "postgres:/me:***@h/db": none`)
	check("open me:pw@h: no such file", "open me:***@h: no such file")
	same("open file: me@h is no name")
	same("line 3:7: a@b")
	check("password = 'a b' host=h", "password = *** host=h")
	check("password='never closed", "password=***")
	check("sslpassword=x passfile=/y", "sslpassword=*** passfile=***")
	check("the word swordfish was said", "the word *** was said", "swordfish")
	check("abc abcd", "*** ***", "abc", "abcd")
	check("a cat sat at postgres://me:a@h/a", "a cat sat at postgres://me:***@h/a", "a")
	check("password=a PGPASSWORD=a is 'a' and \"a\"", "password=*** PGPASSWORD=*** is *** and ***", "a")
	check("1 of 12 at '%25'", "1 of 12 at ***", "1", "%", "")
	same("postgres://me@h:5432/db")
	same("http://localhost:5432/x")
	same(`password authentication failed for user "me"`)
	same("wrong password: see ~/.pgpass")
	same("no such file")
	same("")
	check("arn:aws:rds:eu-west-1:123456789012:db:x", "arn:aws:rds:eu-west-1:***:db:x")
}
