package words

import (
	"fmt"
	"io"

	"github.com/realiops/realiops/internal/analyze/plot"
)

// Panel returns the size of a picture that stands beside others.
func Panel() plot.Size { return plot.Size{Width: 360, Height: 190} }

func WritePNG(w io.Writer, p *plot.Picture) error {
	file, err := p.PNG()
	if err != nil {
		return err
	}
	if _, err := w.Write(file); err != nil {
		return fmt.Errorf("write the picture: %w", err)
	}
	return nil
}

func Highest(lines []plot.Line) float64 {
	most := 0.0
	for _, l := range lines {
		for _, at := range l.Points {
			most = max(most, at.Y)
		}
	}
	return most
}
