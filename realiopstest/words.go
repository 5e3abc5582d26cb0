package realiopstest

import "strings"

// inWords says what went wrong without the flags of the program, which a test does not have.
func inWords(err error) string {
	return strings.NewReplacer(", or accept that with --allow-pooler", "", "with --data-dir", "by TMPDIR").Replace(err.Error())
}
