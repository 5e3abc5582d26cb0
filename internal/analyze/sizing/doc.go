// Package sizing turns what storage really had to do in a run into what somebody should order, and what that costs.
package sizing
