// Package browser looks at the pages of realiops as people do, in a browser, and holds them against third parties'
// checkers.
//
// It is a module of its own, so that what drives a browser is no dependency of the program.
package browser
