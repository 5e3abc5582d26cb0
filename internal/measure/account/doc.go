// Package account wraps an AWS account for realiops: calls only read, are counted, and fail
// with one line of explanation.
//
// [Open] finds credentials as AWS's own programs do, and provides a configuration for the clients of the services.
// Every call with it is patient with throttling, gives up quickly on an unreachable endpoint, and is counted:
// [Account.Calls] returns the number of calls of each operation and their list price. [Explain] turns an error into
// one line with advice, without account numbers, resource names or keys.
//
// It knows nothing of databases or metrics, and calls nothing that changes anything.
package account
