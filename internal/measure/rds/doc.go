// Package rds finds the AWS database behind a connection, and its description.
//
// [ParseHost] parses the name of a host; [Resolve] follows names that lead to one; [Find] asks AWS for the instance
// behind it and for properties that affect its metrics: the engine, the class, the storage, and its monitoring.
// [Token] returns a password from AWS instead of the database's own.
//
// It only describes and changes nothing. Its errors name no account.
package rds
