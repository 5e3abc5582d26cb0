// Package browser checks realiops's pages in a browser, and with third parties' checkers.
//
// It is a separate module, so that a browser's driver is no dependency of the program.
package browser
