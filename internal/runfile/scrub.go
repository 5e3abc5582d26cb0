package runfile

import (
	"maps"
	"regexp"
	"strings"
)

// Hidden stands where a secret stood.
const Hidden = "***"

// What a secret looks like in a URL, in a keyword string and in an account's name (an Amazon resource name).
var (
	urlPassword     = regexp.MustCompile(`(://[^/\s:@]*:)[^@\s/]+@`)
	keywordPassword = regexp.MustCompile(`(?i)\b((?:ssl)?password|passfile|token|secret)(\s*=\s*)('(?:[^'\\]|\\.)*'|[^\s&]+)`)
	accountNumber   = regexp.MustCompile(`(arn:[\w-]*:[\w-]*:[\w-]*:)\d{12}\b`)
)

// Scrub takes secrets out of free text: those given, and whatever has the form of one.
func Scrub(text string, secrets ...string) string {
	for _, s := range secrets {
		if s != "" {
			text = strings.ReplaceAll(text, s, Hidden)
		}
	}
	text = urlPassword.ReplaceAllString(text, "${1}"+Hidden+"@")
	text = keywordPassword.ReplaceAllString(text, "${1}${2}"+Hidden)
	return accountNumber.ReplaceAllString(text, "${1}"+Hidden)
}

// scrubbed is the record with its free text scrubbed; it leaves the caller's value alone.
func scrubbed(r Record, secrets []string) Record {
	switch r := r.(type) {
	case Run:
		r.Parameters = scrubAll(r.Parameters, secrets)
		r.Target.Settings = scrubAll(r.Target.Settings, nil)
		return r
	case Gap:
		r.Detail = Scrub(r.Detail, secrets...)
		return r
	case ArmEvent:
		r.Failed = Scrub(r.Failed, secrets...)
		return r
	case Ended:
		r.Cause = Scrub(r.Cause, secrets...)
		return r
	default:
		return r
	}
}

func scrubAll(texts map[string]string, secrets []string) map[string]string {
	clean := maps.Clone(texts)
	for name, text := range clean {
		clean[name] = Scrub(text, secrets...)
	}
	return clean
}
