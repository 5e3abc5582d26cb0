package probe

// Remedy is advice about a gap. A cloud that runs the server has its own way to do what the other fields name.
type Remedy struct {
	Text    string // for one's own server; empty: there is no advice
	Setting string // that it turns on
	Library string // that it preloads, and whose extension it creates
	Grant   bool   // of a privilege to the user of this connection
	Role    string // that has this privilege; empty: it is granted by name
	Machine bool   // it needs access to the server's machine
}
