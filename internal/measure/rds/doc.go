// Package rds says which of AWS's databases a connection leads to, and what AWS says of it.
//
// [ParseHost] reads the name of a host; [Resolve] follows names that lead to one; [Find] asks AWS for the instance
// behind it and for what shapes its metrics: the engine, the class, the storage, and what watches over it. [Token] is
// a password that AWS gives instead of the database's own.
//
// It asks for descriptions only, and changes nothing. What an error of it says names no account.
package rds
