// Package measuring has the commands that keep a run file: run, observe, measure, history, fleet and baseline; and
// load, which is pgbench with our own clients.
package measuring
