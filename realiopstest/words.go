package realiopstest

import "strings"

// inWords rewrites an error without the program's flags, which a test does not have.
func inWords(err error) string {
	return strings.NewReplacer(", or accept that with --allow-pooler", "", "with --data-dir",
		"by TMPDIR").Replace(err.Error())
}
