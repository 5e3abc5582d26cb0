// Package architecture checks the rules of docs/architecture.md against the source. It contains tests only.
//
// A rule is data, with its reason in words: see rules_test.go. It is checked on the parsed source of all packages of
// the module. proof_test.go shows on small sources that every rule can fail. A rule that turns out wrong is changed
// there, in the commit that breaks it.
package architecture
