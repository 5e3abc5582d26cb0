// Package reading has the commands that need only files: report, compare, size, explain and share. Other commands end
// like report, through [AnalyzeOptions].
package reading
