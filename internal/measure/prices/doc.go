// Package prices reads the prices of AWS's volumes, databases and I/O from AWS's own price list, as [catalog.Price]s.
//
// [Ask] goes through the products of a region and keeps those that an order may contain, by their usage types. It
// reads each unit and guesses none. Discounts, reservations and taxes are not in the list.
package prices
