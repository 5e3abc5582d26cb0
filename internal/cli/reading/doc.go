// Package reading has the commands that need only files: report, compare, size, explain and share. The others end as
// report does, by [AnalyzeOptions].
package reading
