package engine

import (
	"context"
	"errors"
	"slices"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/realiops/realiops/internal/measure/load/script"
	"github.com/realiops/realiops/internal/measure/load/session"
	"github.com/realiops/realiops/internal/test/liartest"
)

// TestAnAnswerThatNeverEndsIsGivenUp: a server that keeps dripping bytes is never silent,
// but the load ends all the same.
func TestAnAnswerThatNeverEndsIsGivenUp(t *testing.T) {
	lies := liartest.Lies()
	liar, err := liartest.Listen(lies[slices.IndexFunc(lies, func(l liartest.Lie) bool {
		return l.Name == "drips its answer"
	})])
	if err != nil {
		t.Fatal(err)
	}
	defer liar.Close()
	config, err := pgx.ParseConfig(liar.DSN())
	if err != nil {
		t.Fatal(err)
	}
	set := script.NewSet()
	parsed, err := set.Parse("dripped", "select 1;\n")
	if err != nil {
		t.Fatal(err)
	}
	begun := time.Now()
	_, err = Run(t.Context(), Options{
		Scripts: []Weighted{{Script: parsed, Weight: 1}}, Set: set, Duration: time.Second, Silence: 3 * time.Second,
		Connect: func(context.Context) (*pgx.ConnConfig, error) { return config, nil },
	})
	if took := time.Since(begun); !errors.Is(err, session.ErrNoAnswer) || took < 4*time.Second ||
		took > 30*time.Second {
		t.Errorf("after %v: %v", took, err)
	}
}
