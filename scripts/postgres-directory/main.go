// Command postgres-directory prints the directory of realiops's own PostgreSQL, which it
// downloads unless it is cached:
//
//	go run ./scripts/postgres-directory VERSION
package main

import (
	"context"
	"fmt"
	"os"
	"path/filepath"

	"github.com/realiops/realiops/internal/measure/server/embedded/binaries"
)

func main() {
	version := binaries.DefaultVersion
	if len(os.Args) > 1 {
		version = os.Args[1]
	}
	directory, err := fetch(version)
	if err != nil {
		fmt.Fprintln(os.Stderr, "postgres-directory:", err)
		os.Exit(1)
	}
	fmt.Println(directory)
}

func fetch(version string) (string, error) {
	release, err := binaries.Find(version)
	if err != nil {
		return "", err
	}
	cache, err := binaries.CacheDirectory()
	if err != nil {
		return "", err
	}
	store := binaries.Store{
		Directory:  cache,
		Repository: os.Getenv("REALIOPS_PG_REPOSITORY"),
		Notify:     func(stage string) { fmt.Fprintln(os.Stderr, stage) },
	}
	bin, err := store.Bin(context.Background(), release)
	return filepath.Dir(bin), err
}
