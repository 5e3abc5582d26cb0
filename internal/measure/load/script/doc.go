// Package script is pgbench's script language: scripts that run under pgbench 17 parse and evaluate here to the same
// statements and the same values, for a seed the very same random ones.
//
// A [Set] holds the scripts of one run, because they share their variables. [Set.Parse] turns a text into a [Script], a
// list of commands with the line each began on; names of variables become slots on the way. Per client the engine
// makes an [Env] with its [Vars] and its [Random], and walks the commands:
//
//   - KindSQL: a [Statement], as text with the variables put in, or as a query with $1… and the variables beside it.
//   - KindSet: [Assignment.Run]. KindIf and its kin: [Script.Branch] says which command is next. KindSleep: [Sleep.Duration].
//   - The pipeline kinds carry nothing.
//   - KindCopyRows and KindInsertRows are our own: [Rows] describes generated rows, evaluated one row at a time.
//
// Evaluation neither allocates nor locks: expressions are compiled once, a variable is an index, a value is two words.
// The streams of random numbers are handed out as pgbench hands them out ([Derive]).
//
// Nothing here talks to a server, reads a file or knows the time.
//
// Where this differs from pgbench: errors that pgbench finds when a command first runs, and that can be known before,
// are found by Parse (a name that is no variable name, too many arguments of least and greatest); so are quotes,
// comments and parentheses that never end, which pgbench sends to the server as they are. \shell and \setshell are
// refused. abs of a boolean and random parameters that are not a number are errors, where pgbench answers with
// whatever lies in memory or never answers. A statement that ends in a variable is sent as it is; pgbench reads beyond
// its end. The last of the 15 digits of ln, exp and pow may differ, being the C library's there and Go's here, and so
// may the last digits of random numbers, except uniform ones, in ranges of more than 10^12.
package script
