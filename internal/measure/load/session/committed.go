package session

// committed counts the rows that are permanent: a transaction's rows count once the server has committed it.
type committed struct {
	rows       int64
	pending    int64   // of the current transaction
	savepoints []int64 // what was pending at each, the latest last
	rolledBack bool    // a ROLLBACK was the last to end a transaction or savepoint since the server was ready
	failed     bool    // a statement failed since then
}

// complete records a statement that the server has executed, by the verb of its tag.
func (c *committed) complete(verb string, affected int64) {
	switch verb {
	case "COMMIT", "PREPARE":
		c.end(true)
	case "SAVEPOINT":
		c.savepoints = append(c.savepoints, c.pending)
	case "RELEASE":
		c.savepoints = c.savepoints[:max(len(c.savepoints)-1, 0)]
	case "ROLLBACK": // of all, or to a savepoint: the next ReadyForQuery shows which
		c.rolledBack, c.pending = true, 0
		if n := len(c.savepoints); n > 0 {
			c.pending = c.savepoints[n-1]
		}
	case "BEGIN", "START":
		c.rolledBack = false
	default:
		c.pending += affected
	}
}

// ready records the transaction's state once the server has answered all requests.
func (c *committed) ready(s Status) {
	if s == Idle {
		c.end(!c.failed && !(c.rolledBack && len(c.savepoints) > 0))
	}
	c.rolledBack, c.failed = false, false
}

func (c *committed) end(done bool) {
	if done {
		c.rows += c.pending
	}
	c.pending, c.savepoints, c.rolledBack = 0, c.savepoints[:0], false
}
