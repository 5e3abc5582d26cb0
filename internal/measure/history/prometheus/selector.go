package prometheus

import (
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

// selector returns the selector of a metric with label matchers, some of which may be empty.
func selector(name string, matchers ...string) string {
	all := slices.DeleteFunc(slices.Clone(matchers), func(m string) bool { return m == "" })
	return name + "{" + strings.Join(all, ",") + "}"
}

func anyOf(label string, values []string) string { return label + "=~" + alternatives(values) }

func alternatives(values []string) string {
	quotedValues := make([]string, len(values))
	for i, v := range values {
		quotedValues[i] = regexp.QuoteMeta(v)
	}
	return quoted(strings.Join(quotedValues, "|"))
}

func quoted(value string) string { return fmt.Sprintf("%q", value) }

// match is a condition of a selector.
type match struct {
	label, how, value string
}

var matcher = regexp.MustCompile(`^\s*([a-zA-Z_][a-zA-Z0-9_]*)(=~|!~|!=|=)("(?:[^"\\]|\\.)*")\s*,?`)

func parseMatchers(text string) (all []match, err error) {
	for strings.TrimSpace(text) != "" {
		part := matcher.FindStringSubmatch(text)
		if part == nil {
			return nil, fmt.Errorf("invalid label matchers %s", text)
		}
		value, err := strconv.Unquote(part[3])
		if err != nil {
			return nil, fmt.Errorf("invalid label value %s", part[3])
		}
		all, text = append(all, match{part[1], part[2], value}), text[len(part[0]):]
	}
	return all, nil
}
