package session

import (
	"encoding/binary"
	"fmt"
	"math"
)

// Messages to the server.
const (
	msgBind      = 'B'
	msgDescribe  = 'D'
	msgExecute   = 'E'
	msgParse     = 'P'
	msgQuery     = 'Q'
	msgSync      = 'S'
	msgTerminate = 'X'
	msgCopyData  = 'd'
	msgCopyDone  = 'c'
	msgCopyFail  = 'f'
)

// Statement is SQL with parameters $1, $2 …, encoded once and shared by all sessions.
type Statement struct {
	params int
	keep   bool

	parse     []byte // Parse without a name
	bind      []byte // Bind without a name, up to the number of parameters
	parseName []byte // the same with the name
	bindName  []byte
	tail      []byte // end of Bind, Describe if the row is kept, Execute
}

// NewStatement encodes SQL with that many parameters. [Session.Prepared] prepares it under the name, which must be
// unique in the session. keepRow asks for the names and values of the last row.
func NewStatement(name, sql string, params int, keepRow bool) (*Statement, error) {
	if params < 0 || params > math.MaxUint16 {
		return nil, fmt.Errorf("a statement takes at most %d parameters, got %d", math.MaxUint16, params)
	}
	return &Statement{
		params: params, keep: keepRow, parse: encodeParse("", sql), bind: encodeBind("", params),
		parseName: encodeParse(name, sql), bindName: encodeBind(name, params), tail: encodeTail(keepRow),
	}, nil
}

// encodeParse lets the server choose the types of parameters.
func encodeParse(name, sql string) []byte {
	b := append([]byte{msgParse, 0, 0, 0, 0}, name...)
	b = append(append(b, 0), sql...)
	return patch(append(b, 0, 0, 0), 0)
}

// encodeBind begins a Bind to the unnamed portal, with all parameters as text.
func encodeBind(name string, params int) []byte {
	b := append([]byte{msgBind, 0, 0, 0, 0, 0}, name...)
	b = append(b, 0, 0, 0)
	return binary.BigEndian.AppendUint16(b, uint16(params))
}

// encodeTail ends the Bind, with all results as text, and executes the unnamed portal without a row limit.
func encodeTail(describe bool) []byte {
	b := []byte{0, 0}
	if describe {
		b = append(b, msgDescribe, 0, 0, 0, 6, 'P', 0)
	}
	return append(b, msgExecute, 0, 0, 0, 9, 0, 0, 0, 0, 0)
}

// patch writes the length of the message that begins at from and ends with b.
func patch(b []byte, from int) []byte {
	binary.BigEndian.PutUint32(b[from+1:], uint32(len(b)-from-1))
	return b
}
