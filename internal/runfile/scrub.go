package runfile

import (
	"cmp"
	"fmt"
	"maps"
	"net/url"
	"regexp"
	"slices"
	"strings"
	"unicode/utf8"
)

// Hidden stands where a secret stood.
const Hidden = "***"

// What a secret looks like in a URL, in a keyword string or JSON, and in an account's name (an Amazon resource name).
// They rather hide too much than too little: a password with a slash in it makes a URL that nothing parses but
// somebody typed.
var (
	urlPassword = regexp.MustCompile(`(://[^/\s:@]*:)\S*@`)
	// such as postgres:/me:password@db, and me:password@db
	mistyped        = regexp.MustCompile(`([^/\s:@"']+:)[^/\s@]\S*@`)
	keywordPassword = regexp.MustCompile(`(?i)(` + secretName + `)("?\s*=\s*|"\s*:\s*)` +
		`('(?:[^'\\]|\\.)*(?:'|$)|"(?:[^"\\]|\\.)*(?:"|$)|[^\s&]+)`)
	accountNumber = regexp.MustCompile(`(arn:[\w-]*:[\w-]*:[\w-]*:)\d{12}\b`)
	secretKey     = regexp.MustCompile(`(?i)^` + secretName + `$`)
)

const secretName = `[\w-]*(?:password|passwd|passphrase|passfile|secret|token)[\w-]*`

// Scrub takes secrets out of free text: those given, and whatever has the form of one.
func Scrub(text string, secrets ...string) string {
	for _, s := range spellings(secrets) {
		text = strings.ReplaceAll(text, s, Hidden)
	}
	text = urlPassword.ReplaceAllString(text, "${1}"+Hidden+"@")
	text = mistyped.ReplaceAllString(text, "${1}"+Hidden+"@")
	text = keywordPassword.ReplaceAllString(text, "${1}${2}"+Hidden)
	return accountNumber.ReplaceAllString(text, "${1}"+Hidden)
}

// leastTold is the length from which a secret is taken out wherever it stands. To blank each letter of a text that is a
// shorter one would tell the secret; in quotes, and where passwords stand, it is hidden as any other.
const leastTold = 3

// spellings lists the secrets as they stand in a message, in a URL and in a keyword string, the longest first because
// one may be a part of another.
func spellings(secrets []string) []string {
	var all []string
	for _, s := range secrets {
		quoted := strings.NewReplacer(`\`, `\\`, `'`, `\'`).Replace(s)
		spelled := []string{s, quoted, url.QueryEscape(s), url.PathEscape(s), url.UserPassword("", s).String()[1:]}
		for _, text := range spelled {
			switch {
			case s == "":
			case utf8.RuneCountInString(s) < leastTold:
				all = append(all, `'`+text+`'`, `"`+text+`"`)
			default:
				all = append(all, text)
			}
		}
	}
	slices.SortFunc(all, func(a, b string) int { return cmp.Or(len(b)-len(a), strings.Compare(a, b)) })
	return slices.Compact(all)
}

// scrubbed returns the record with its free text scrubbed; it leaves the caller's value alone. The secrets given are
// taken out of text that a message may have got into. From names and settings only what has the form of a secret is
// taken, because a password that equals one, such as postgres, would make the run unreadable.
// A kind of record that it does not know is refused: nobody has decided yet which of its fields are free text.
func scrubbed(r Record, secrets []string) (Record, error) {
	switch r := r.(type) {
	case Run:
		r.Parameters = scrubAll(r.Parameters, secrets)
		r.Provenance = Scrub(r.Provenance, secrets...)
		r.Target, r.Plan.Loads = scrubbedTarget(r.Target), slices.Clone(r.Plan.Loads)
		for i := range r.Plan.Loads {
			r.Plan.Loads[i] = scrubbedLoad(r.Plan.Loads[i])
		}
		if r.Operation != nil {
			operation := *r.Operation
			operation.Text = Scrub(operation.Text, secrets...)
			r.Operation = &operation
		}
		return r, nil
	case Metric:
		r.Source, r.Help, r.Caveat = Scrub(r.Source, secrets...), Scrub(r.Help, secrets...), Scrub(r.Caveat, secrets...)
		return r, nil
	case Gap:
		r.Code, r.Detail = Scrub(r.Code, secrets...), Scrub(r.Detail, secrets...)
		return r, nil
	case LoadEvent:
		r.Failed, r.Added = Scrub(r.Failed, secrets...), Scrub(r.Added, secrets...)
		if r.Factors != nil {
			r.Factors = new(scrubbedLoad(*r.Factors))
		}
		if r.Others != nil { // who they are says the name that a program gave itself
			others := *r.Others
			others.Who, others.Writing = scrubEach(others.Who), scrubEach(others.Writing)
			r.Others = &others
		}
		if r.Autovacuum != nil {
			vacuumed := *r.Autovacuum
			vacuumed.On = scrubEach(vacuumed.On)
			r.Autovacuum = &vacuumed
		}
		if r.Cold != nil {
			cold := *r.Cold
			cold.Missing, cold.Buffered = Scrub(cold.Missing, secrets...), Scrub(cold.Buffered, secrets...)
			r.Cold = &cold
		}
		return r, nil
	case Proof:
		r.Missing = Scrub(r.Missing, secrets...)
		return r, nil
	case Period:
		r.Dimensions = scrubAll(r.Dimensions, nil)
		return r, nil
	case Origin:
		r.Title, r.Place, r.Note = Scrub(r.Title, secrets...), Scrub(r.Place, secrets...), Scrub(r.Note, secrets...)
		return r, nil
	case Top:
		r.Missing, r.Load = Scrub(r.Missing, secrets...), Scrub(r.Load)
		r.Items = slices.Clone(r.Items)
		for i := range r.Items {
			r.Items[i].Name, r.Items[i].Text = Scrub(r.Items[i].Name), Scrub(r.Items[i].Text, secrets...)
		}
		return r, nil
	case WAL:
		return scrubbedWAL(r, secrets), nil
	case SettingChange:
		r.From, r.To = Scrub(r.From), Scrub(r.To)
		return r, nil
	case Ended:
		r.Cause = Scrub(r.Cause, secrets...)
		return r, nil
	case Reading, Work, Total: // names of ours and numbers
		return r, nil
	default:
		return nil, fmt.Errorf("a record of the kind %s cannot be written: which of its fields may hold a secret is "+
			"not known", r.Kind())
	}
}

func scrubbedLoad(a Load) Load {
	a.Job, a.But = Scrub(a.Job), Scrub(a.But)
	return a
}

func scrubbedTarget(t Target) Target {
	for _, name := range []*string{&t.Host, &t.Database, &t.User, &t.Image, &t.Storage.Directory} {
		*name = Scrub(*name)
	}
	t.Settings = scrubAll(t.Settings, nil)
	t.Storage.Unseen, t.Storage.InMemory = scrubEach(t.Storage.Unseen), scrubEach(t.Storage.InMemory)
	t.Storage.Tablespaces = maps.Clone(t.Storage.Tablespaces)
	for oid, names := range t.Storage.Tablespaces {
		t.Storage.Tablespaces[oid] = scrubEach(names)
	}
	t.Storage.Devices = slices.Clone(t.Storage.Devices)
	for i := range t.Storage.Devices {
		d := &t.Storage.Devices[i]
		d.Carries, d.Backing = scrubEach(d.Carries), Scrub(d.Backing)
	}
	return t
}

func scrubEach(texts []string) []string {
	clean := slices.Clone(texts)
	for i, text := range clean {
		clean[i] = Scrub(text)
	}
	return clean
}

// scrubAll scrubs named texts; what is named a secret is hidden whatever it looks like.
func scrubAll(texts map[string]string, secrets []string) map[string]string {
	clean := maps.Clone(texts)
	for name, text := range clean {
		clean[name] = Scrub(text, secrets...)
		if text != "" && secretKey.MatchString(name) {
			clean[name] = Hidden
		}
	}
	return clean
}
