// Package score measures how often a method is right about worlds whose truth is known.
//
// [Judged] draws a world, writes it as a run file, has it read and judged, and compares the verdict on each meter with
// its rule. A [Kind] has a table of results: one [Figure] for each line that the method must reach, with its target and
// its interval given the number of worlds.
//
// This package, not the method, decides what is right. A claim that the world contradicts is wrong, however close. If
// the world itself keeps quantities together ([worlds.World.Alike]), saying so is right and naming one is not.
package score
