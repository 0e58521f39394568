package main

import (
	"fmt"
	"io"
	"log/slog"
	"strings"

	"cellserver/envoy/config"
	"cellserver/envoy/source"
)

// checkConfig checks the rules of a folder and a second file, and returns the status of the program.
func checkConfig(folder, extraFile string, merge bool, out, errs io.Writer) int {
	files, err := source.ReadFolder(folder, slog.New(slog.NewTextHandler(errs, nil)))
	var set *config.Set
	if err == nil {
		set, err = config.Build(files, merge)
	}
	if err == nil && extraFile != "" {
		var unknown []string
		if _, unknown, err = source.Extend(set, extraFile); err == nil && len(unknown) > 0 {
			err = fmt.Errorf("%s: the rules do not have %s", extraFile, strings.Join(unknown, ", "))
		}
	}
	if err != nil {
		fmt.Fprintf(errs, "error loading rate limit configs: %v\n", err)
		return 1
	}
	fmt.Fprintf(out, "all rate limit configs ok: %d files, %d rules\n", len(files), len(set.Rules))
	return 0
}
