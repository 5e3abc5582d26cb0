// Package figures judges figures from elsewhere: it translates an amount of a metric into storage work ([Convert]),
// checks the consistency of a row of a console or a benchmark ([Figures.Check]), and grades waiting times by a rule
// ([Bands.Of]). Package sizing computes what to order for them.
package figures
