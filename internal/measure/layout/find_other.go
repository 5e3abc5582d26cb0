//go:build !linux

package layout

import (
	"os"
	"path/filepath"
)

// Find finds the data directory alone.
func Find(s Server) (*Layout, error) {
	r, err := Of(s.Data)
	r.tree = ofData
	return &Layout{Roots: []Root{r}}, err
}

// Of returns any directory as a root.
func Of(path string) (Root, error) {
	_, err := os.Stat(path)
	return Root{Path: path}, err
}

// Open opens the root.
func (r *Root) Open() (*os.File, error) { return os.Open(r.Path) }

func (r *Root) openFile(below string) (*os.File, error) {
	return os.OpenInRoot(r.Path, filepath.FromSlash(below))
}
