// Package score says how often a method is right about worlds whose truth is known.
//
// [Judged] draws worlds, writes each as a run file, has it read and judged, and puts the verdict on each meter beside
// its rule. A [Kind] has a table that counts: one [Figure] for each line that the method must reach, with its target
// and the interval that the number of worlds leaves open.
//
// What counts as right is decided here and not by the method. A claim that the world contradicts is wrong, however near
// it comes; where the world itself keeps quantities together ([worlds.World.Alike]), saying so is right and naming one
// is not.
package score
