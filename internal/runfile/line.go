package runfile

import (
	"slices"
	"strings"
	"time"
)

// EndOf returns the last line of a run that failed, was interrupted, or did neither.
func EndOf(failed error, interrupted bool) Ended {
	end := Ended{At: time.Now(), Status: Complete}
	switch {
	case failed == nil:
		return end
	case interrupted:
		end.Status = Interrupted
	default:
		end.Status = Broken
	}
	end.Cause = OneLine(failed.Error())
	return end
}

// OneLine folds an error text into one line: joined errors may repeat each other, and a server's message may have
// several lines.
func OneLine(text string) string {
	var told []string
	for line := range strings.Lines(text) {
		line = strings.Join(strings.Fields(line), " ")
		repeated := slices.ContainsFunc(told, func(earlier string) bool {
			return strings.Contains(earlier, line) || strings.Contains(line, earlier)
		})
		if line != "" && !repeated {
			told = append(told, line)
		}
	}
	return strings.Join(told, "; ")
}
