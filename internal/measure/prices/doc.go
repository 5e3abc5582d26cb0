// Package prices reads what AWS asks for volumes, databases and their I/O off AWS's own price list, for
// [catalog.Price]s.
//
// [Ask] goes through the products of a region and keeps those that an order can be made of, by their usage types; what
// a unit is, is read and never guessed. Discounts, reservations and taxes are not in the list.
package prices
