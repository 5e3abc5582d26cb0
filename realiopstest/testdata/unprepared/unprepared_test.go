package unprepared

import (
	"testing"

	"github.com/realiops/realiops/realiopstest"
)

func TestWithoutMain(t *testing.T) { realiopstest.Start(t, "17") }
