// Package command has what all commands share: their world ([Env]), flags that choose a server, a store or an
// account, formats ([Formats]), exit codes, help, and messages about typos. The commands themselves are in the
// packages beside this one. Of these only measuring and setup import another, reading, to show what they measured.
package command
