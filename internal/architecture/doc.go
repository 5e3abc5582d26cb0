// Package architecture holds the source to the rules of docs/architecture.md. It contains tests only.
//
// A rule is data, with its reason in words: see rules_test.go. It is checked on the parsed source of all packages of
// the module, and proved able to fail on small sources of its own in checks_test.go. A rule that turns out wrong is
// changed there, in the commit that breaks it.
package architecture
