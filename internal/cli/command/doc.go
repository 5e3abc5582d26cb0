// Package command has what all commands share: the world that they run in ([Env]), flags that choose a server, a store
// or an account, formats ([Formats]), exit codes, help, and what is said to whoever typed something else than they
// meant. What a command does stands in packages beside this one, which do not import each other but for measuring and
// setup, which show what they measured as reading does.
package command
