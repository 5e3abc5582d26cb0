package runfile

import (
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
)

// password has what makes passwords hard to find again once they stand in a URL or a keyword string.
const password = `p@ss/w0rd '%x`

// TestNoSecretReachesTheFile plants a password, naked and in each form of a DSN, in every field that carries free text
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
	records := []Record{
		Run{
			Schema: Schema, Provenance: forms, Operation: &Operation{Text: forms},
			Parameters: map[string]string{"dsn": forms, "password": password, "aws-session-token": "p@ss/w0rd"},
			Target: Target{
				Host: typed, Database: typed, User: typed, Image: typed, Storage: Storage{
					Directory: typed, Unseen: []string{typed}, Devices: []StorageDevice{{Carries: []string{typed}, Backing: typed}},
				},
				Settings: map[string]string{"primary_conninfo": typed, "ssl_passphrase_command": "p@ss/w0rd"},
			},
		},
		Metric{Source: forms, Help: forms, Caveat: forms},
		Gap{Code: forms, Detail: forms},
		ArmEvent{Failed: forms, Added: forms},
		Proof{Missing: forms},
		Period{Dimensions: map[string]string{"Resource": typed}},
		Ended{Cause: forms},
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

// TestScrubLeavesTheCallersRecord because the caller goes on using it.
func TestScrubLeavesTheCallersRecord(t *testing.T) {
	made := func() Run { return Run{Parameters: map[string]string{"dsn": "postgres://me:pw@db"}} }
	mine := made()
	_ = scrubbed(mine, []string{"pw"})
	if diff := cmp.Diff(made(), mine); diff != "" {
		t.Error(diff)
	}
}

// TestAPasswordThatIsAWordSparesTheRun: names and settings keep their meaning when the password is "postgres" or "on".
func TestAPasswordThatIsAWordSparesTheRun(t *testing.T) {
	run := everyKind()[0].(Run)
	run.Start = time.Time{}
	got := scrubbed(run, []string{"on", "postgres", "bulk"}).(Run)
	if diff := cmp.Diff(run, got, cmpopts.IgnoreFields(Run{}, "Parameters", "Provenance")); diff != "" {
		t.Error(diff)
	}
}

func TestScrub(t *testing.T) {
	check := func(in, want string, secrets ...string) {
		t.Helper()
		if got := Scrub(in, secrets...); got != want {
			t.Errorf("Scrub(%q, %q) = %q, want %q", in, secrets, got, want)
		}
		if again := Scrub(Scrub(in, secrets...), secrets...); again != want && !strings.Contains(Hidden, strings.Join(secrets, "")) {
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
	same("postgres://me@h:5432/db")
	same("http://localhost:5432/x")
	same(`password authentication failed for user "me"`)
	same("wrong password: see ~/.pgpass")
	same("no such file")
	same("")
	check("arn:aws:rds:eu-west-1:123456789012:db:x", "arn:aws:rds:eu-west-1:***:db:x")
}
