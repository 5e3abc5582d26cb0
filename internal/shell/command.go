// Package shell writes the commands that people are told to copy, so that names from files, servers and clouds stay
// single words.
//
// The fixed part of a [Command] is a constant of the source. Data gets into it only as a word, quoted for POSIX. A name
// that cannot be shown and copied unchanged is replaced by its placeholder, for people to fill in. On Windows that is
// every name that needs quotes, because cmd and PowerShell quote differently.
package shell

import (
	"runtime"
	"strings"
	"unicode"
	"unicode/utf8"
)

// constant is text of the source. Outside this package only a constant converts to it implicitly.
type constant string

// Command is a line to type. It is safe to paste into a POSIX shell whatever its words hold.
type Command struct {
	text       string
	inSentence bool
}

// New returns a command of fixed words, for a line of its own.
func New(fixed constant) Command { return Command{text: string(fixed)} }

// InText returns a command for a sentence, which may be wrapped at every space. A name that needs quotes is replaced by
// its placeholder.
func InText(fixed constant) Command { return Command{string(fixed), true} }

// String returns the line.
func (c Command) String() string { return c.text }

// Unbroken returns the line with no-break spaces, for a message that ends up on a terminal, which shows them as spaces.
func (c Command) Unbroken() string { return strings.ReplaceAll(c.text, " ", "\u00a0") }

// With appends fixed words.
func (c Command) With(fixed constant) Command {
	c.text += " " + string(fixed)
	return c
}

// File appends a file name, which no program takes for a flag, or the placeholder if it cannot be copied.
func (c Command) File(name string, placeholder constant) Command {
	if strings.HasPrefix(name, "-") {
		name = "./" + name
	}
	return c.word(" ", name, placeholder)
}

// Flag appends a flag and its value, as one word or two, or the placeholder if the value cannot be copied.
func (c Command) Flag(flag constant, value string, placeholder constant) Command {
	separator := " "
	if strings.HasPrefix(value, "-") {
		separator = "=" // otherwise some programs take the value for a flag
	}
	return c.With(flag).word(separator, value, placeholder)
}

func (c Command) word(separator, data string, placeholder constant) Command {
	quoted, possible := Word(data)
	if data == "" || !possible || c.inSentence && quoted != data {
		quoted = string(placeholder)
	}
	c.text += separator + quoted
	return c
}

// Word quotes data as one word of a command. That is not possible if a terminal, a page or a clipboard might change or
// hide a part of it, or on Windows if it needs quotes.
func Word(data string) (quoted string, possible bool) { return wordOn(runtime.GOOS, data) }

func wordOn(system, data string) (quoted string, possible bool) {
	windows := system == "windows"
	if data != "" && !strings.HasPrefix(data, "=") && !strings.ContainsFunc(data, func(r rune) bool {
		return !plain(r) && (!windows || r != '\\')
	}) {
		return data, true
	}
	if windows || !utf8.ValidString(data) || strings.ContainsFunc(data, func(r rune) bool { return !copied(r) }) {
		return "", false
	}
	return "'" + strings.ReplaceAll(data, "'", `'\''`) + "'", true
}

func plain(r rune) bool {
	return r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' || strings.ContainsRune("_./:=+-", r)
}

// copied reports whether a character survives copying from a terminal or a page: visible ASCII, the space, and visible
// letters, marks and digits of all scripts.
func copied(r rune) bool {
	if r < utf8.RuneSelf {
		return r >= ' ' && r <= '~'
	}
	return unicode.In(r, unicode.L, unicode.M, unicode.N) && !unicode.In(r, unicode.Other_Default_Ignorable_Code_Point,
		unicode.Variation_Selector)
}
