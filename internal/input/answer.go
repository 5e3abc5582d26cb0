package input

import "io"

// Answer limits the body of an answer: reading more than most bytes fails with tooLong.
func Answer(body io.ReadCloser, most int, tooLong error) io.ReadCloser {
	return &answer{body, most, tooLong}
}

type answer struct {
	io.ReadCloser
	left    int
	tooLong error
}

func (a *answer) Read(p []byte) (int, error) {
	n, err := a.ReadCloser.Read(p)
	if a.left -= n; a.left < 0 {
		return 0, a.tooLong
	}
	return n, err
}
