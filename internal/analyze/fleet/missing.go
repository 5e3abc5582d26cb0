package fleet

import (
	"fmt"
	"slices"
	"strings"

	"github.com/realiops/realiops/internal/printable"
)

// incomplete counts the databases that are known only in part, or not at all.
func (f Fleet) incomplete() (sentences []string) {
	parts, machines, regions, region := 0, 0, 0, ""
	var cut, doubted []string
	for _, d := range f.Databases {
		if d.RegionAssumed {
			regions, region = regions+1, d.Region
		}
		if d.CutOff {
			cut = append(cut, d.Name)
		}
		if d.Doubted && d.Known > 0 {
			doubted = append(doubted, d.Name)
		}
		if d.ClassUnknown && d.Order != nil && d.Saves != nil {
			machines++
		}
		if d.Known > 0 && float64(d.Known) < nearlyAll*float64(d.Hours) {
			parts++
		}
	}
	if parts > 0 {
		are := " are"
		if parts == 1 {
			are = " is"
		}
		sentences = append(sentences, printable.Count(parts)+are+" known for only part of that time.")
	}
	if len(cut) > 0 {
		sentences = append(sentences, fmt.Sprintf("The files of %s were cut off: %s.", printable.Count(len(cut)),
			printable.Listed(cut)))
	}
	if len(doubted) > 0 {
		sentences = append(sentences, fmt.Sprintf("What %s did is uncertain, for the reasons under What is missing: %s.",
			printable.Count(len(doubted)), printable.Listed(doubted)))
	}
	if regions > 0 {
		sentences = append(sentences, fmt.Sprintf("The region of %s is unknown; %s prices are used.",
			printable.Count(regions), region))
	}
	if machines > 0 {
		sentences = append(sentences, fmt.Sprintf(
			"For %s the limits of the machine are unknown; it may be too small for the "+
				"order.", printable.Count(machines)))
	}
	were := func(n int) string {
		if n == 1 {
			return "was"
		}
		return "were"
	}
	if n := len(f.NotFound); n > 0 {
		sentences = append(sentences, fmt.Sprintf("%s named by --has %s not found.", printable.Count(n), were(n)))
	}
	if n := len(f.Unread); n > 0 {
		sentences = append(sentences, fmt.Sprintf("%s %s left out: see What is missing.", printable.Counted(n, "file"),
			were(n)))
	}
	return sentences
}

// unseen lists databases that were not found, and series that were not read.
func (f Fleet) unseen() (all []string) {
	if len(f.NotFound) > 0 {
		all = append(all, strings.Join(f.NotFound, ", ")+": named by --has, but not in the source")
	}
	if n := len(f.Families); n == 1 {
		all = append(all, "1 series family looks like a database's and is not read: "+f.Families[0])
	} else if n > 1 {
		all = append(all, fmt.Sprintf("%s series families look like databases and are not read: %s", printable.Count(n),
			printable.Listed(f.Families)))
	}
	return append(all, f.repeated()...)
}

// partly reports whether some of the databases are known only in part.
func partly(all []Database) bool {
	return slices.ContainsFunc(all, func(d Database) bool { return float64(d.Known) < nearlyAll*float64(d.Hours) })
}

func (d Database) knownText() string {
	return printable.Count(d.Known) + " of " + printable.Count(d.Hours) + " h"
}
