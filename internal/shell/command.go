// Package shell writes the commands that people are told to copy, so that names from files, servers and clouds stay
// single words of them.
//
// The fixed part of a [Command] is a constant of the source; data gets into it only as a word, quoted as POSIX has it.
// A name that cannot be shown and copied as it is gets no quotes: its placeholder stands in its place, for people to
// fill in. On Windows that is every name that needs quotes, because cmd and PowerShell read quotes in other ways.
package shell

import (
	"runtime"
	"strings"
	"unicode"
	"unicode/utf8"
)

// constant is text of the source. Only a constant converts to it outside of this package without saying so.
type constant string

// Command is a line to type. It is safe to paste into a POSIX shell whatever its words hold.
type Command struct {
	text       string
	inSentence bool
}

// New returns a command of fixed words, for a line of its own.
func New(fixed constant) Command { return Command{text: string(fixed)} }

// InText returns one for a sentence, which may be broken at every space: a name that needs quotes gets its placeholder
// there.
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

// File appends the name of a file, which no program takes for a flag; the placeholder stands for one that cannot be
// copied.
func (c Command) File(name string, placeholder constant) Command {
	if strings.HasPrefix(name, "-") {
		name = "./" + name
	}
	return c.word(" ", name, placeholder)
}

// Flag appends a flag with its value as one word or two; the placeholder stands for a value that cannot be copied.
func (c Command) Flag(flag constant, value string, placeholder constant) Command {
	separator := " "
	if strings.HasPrefix(value, "-") {
		separator = "=" // or else some programs take the value for a flag
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

// Word is data as one word of a command. It is not possible where a terminal, a page or a clipboard might change or
// hide a part of the data, and on Windows where quotes would be needed.
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

// plain characters mean themselves to every shell.
func plain(r rune) bool {
	return r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' || strings.ContainsRune("_./:=+-", r)
}

// copied characters come out of a terminal and of a page as they went in: those of ASCII that can be seen, the space,
// and letters, their marks and digits of all scripts that have a shape.
func copied(r rune) bool {
	if r < utf8.RuneSelf {
		return r >= ' ' && r <= '~'
	}
	return unicode.In(r, unicode.L, unicode.M, unicode.N) && !unicode.In(r, unicode.Other_Default_Ignorable_Code_Point,
		unicode.Variation_Selector)
}
