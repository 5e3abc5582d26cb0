// Package script is pgbench's script language: scripts that run under pgbench 17 parse and evaluate here to the same
// statements and values, including random ones from the same seed.
//
// A [Set] holds the scripts of one run, because they share their variables. [Set.Parse] turns a text into a [Script],
// a list of commands with the line each began on, and resolves variable names to slots. For each client the engine
// makes an [Env] with its [Vars] and its [Random], and walks the commands:
//
//   - KindSQL: a [Statement], as text with the variables put in, or as a query with $1… and the variables beside it.
//   - KindSet: [Assignment.Run]. KindIf and its kin: [Script.Branch] returns the next command. KindSleep:
//     [Sleep.Duration].
//   - The pipeline kinds carry nothing.
//   - KindCopyRows and KindInsertRows are our own: [Rows] describes generated rows, evaluated one row at a time.
//
// Evaluation neither allocates nor locks: expressions are compiled once, a variable is an index, a value is two
// words. [Derive] hands out the streams of random numbers in pgbench's order.
//
// Nothing here talks to a server, reads a file or knows the time.
//
// Differences from pgbench: Parse finds some errors that pgbench finds only when a command runs (an invalid variable
// name, too many arguments of least and greatest) or sends to the server (quotes, comments and parentheses that never
// end). \shell and \setshell are refused. abs of a boolean and random parameters that are not a number are errors;
// pgbench returns undefined memory or loops for ever. A statement that ends in a variable is sent as it is; pgbench
// reads beyond its end. The last of the 15 digits of ln, exp and pow may differ, since pgbench uses the C library. So
// may the last digits of random numbers, except uniform ones, in ranges over 10^12.
package script
