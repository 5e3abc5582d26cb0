package runfile

import (
	"cmp"
	"fmt"
	"net/url"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"time"
	"unicode/utf8"
)

// Hidden replaces a secret.
const Hidden = "***"

// Forms of secrets in a URL, in a keyword string or JSON, and in an account's name (an Amazon resource name). They
// rather hide too much than too little: a password with a slash makes a URL that does not parse, but that somebody may
// type.
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

// Scrub removes secrets from free text: those given, and anything with the form of one.
func Scrub(text string, secrets ...string) string {
	for _, s := range spellings(secrets) {
		text = strings.ReplaceAll(text, s, Hidden)
	}
	text = urlPassword.ReplaceAllString(text, "${1}"+Hidden+"@")
	text = mistyped.ReplaceAllString(text, "${1}"+Hidden+"@")
	text = keywordPassword.ReplaceAllString(text, "${1}${2}"+Hidden)
	return accountNumber.ReplaceAllString(text, "${1}"+Hidden)
}

// leastTold is the length from which on a secret is removed anywhere. Blanking every occurrence of a shorter one would
// reveal it; it is hidden in quotes and where passwords stand.
const leastTold = 3

// spellings lists the secrets as they appear in a message, in a URL and in a keyword string, the longest first because
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

// scrubbed returns a copy of the record without secrets and with its times in UTC, so that the times of a file compare
// as text. Tags say what a field may hold. From text that may contain a message it removes the given secrets. From
// names and settings it removes only what has the form of a secret, because a password that equals one, such as
// postgres, would make the run unreadable. A field without a tag is a name of ours, of AWS's or of the user's, and
// stays. A record of an unknown kind is refused, since its free text is not known.
func scrubbed(r Record, secrets []string) (Record, error) {
	if decodeKind[r.Kind()] == nil {
		return nil, fmt.Errorf("cannot write a record of kind %s: which of its fields may hold a secret is unknown", r.Kind())
	}
	clean := reflect.New(reflect.TypeOf(r)).Elem()
	clean.Set(reflect.ValueOf(r))
	scrub(clean, "", secrets)
	return clean.Interface().(Record), nil //nolint:forcetypeassert // it is of the type of r
}

// The values of the tag.
const (
	aText   = "text"
	ofAForm = "form" // a name or a setting, which may have the form of a secret
)

// scrub cleans a value in place, and copies of whatever it points to.
func scrub(v reflect.Value, tag string, secrets []string) {
	switch v.Kind() {
	case reflect.String:
		switch tag {
		case aText:
			v.SetString(Scrub(v.String(), secrets...))
		case ofAForm:
			v.SetString(Scrub(v.String()))
		}
	case reflect.Struct:
		if at, is := v.Addr().Interface().(*time.Time); is {
			*at = at.UTC()
			return
		}
		for i := range v.NumField() {
			scrub(v.Field(i), v.Type().Field(i).Tag.Get("scrub"), secrets)
		}
	case reflect.Pointer:
		if !v.IsNil() {
			copied := reflect.New(v.Type().Elem())
			copied.Elem().Set(v.Elem())
			scrub(copied.Elem(), tag, secrets)
			v.Set(copied)
		}
	case reflect.Slice:
		if v.Len() == 0 {
			return // an empty map is encoded differently from nil
		}
		v.Set(reflect.AppendSlice(reflect.Zero(v.Type()), v))
		for i := range v.Len() {
			scrub(v.Index(i), tag, secrets)
		}
	case reflect.Map:
		if v.IsNil() || tag == "" {
			return
		}
		copied := reflect.MakeMap(v.Type())
		for name, value := range v.Seq2() {
			clean := reflect.New(value.Type()).Elem()
			clean.Set(value)
			scrub(clean, tag, secrets)
			if clean.Kind() == reflect.String && clean.Len() > 0 && secretKey.MatchString(name.String()) {
				clean.SetString(Hidden) // a value named a secret is hidden whatever it looks like
			}
			copied.SetMapIndex(name, clean)
		}
		v.Set(copied)
	}
}
