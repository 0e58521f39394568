package main

import (
	"context"
	"fmt"
	"os/exec"
	"strconv"
	"strings"
)

// goBench runs micro-benchmarks of a package. It returns their measures by name, without the number of cores, and by
// unit, in the order of the runs.
func goBench(ctx context.Context, pkg, pattern, benchtime string, count int) (map[string]map[string][]float64, error) {
	args := []string{"test", "-run", "^$", "-bench", pattern, "-benchtime", benchtime, "-count", strconv.Itoa(count), pkg}
	out, err := exec.CommandContext(ctx, "go", args...).CombinedOutput()
	if err != nil {
		return nil, fmt.Errorf("go test -bench %s %s: %w: %.500s", pattern, pkg, err, out)
	}
	return parseGoBench(string(out))
}

// parseGoBench reads lines such as "BenchmarkX/a-2  10  3.5 ns/op  7 B/op".
func parseGoBench(out string) (map[string]map[string][]float64, error) {
	found := map[string]map[string][]float64{}
	for line := range strings.Lines(out) {
		fields := strings.Fields(line)
		if len(fields) < 4 || !strings.HasPrefix(fields[0], "Benchmark") {
			continue
		}
		name := strings.TrimPrefix(fields[0], "Benchmark")
		if at := strings.LastIndexByte(name, '-'); at >= 0 {
			name = name[:at]
		}
		if found[name] == nil {
			found[name] = map[string][]float64{}
		}
		for i := 2; i+1 < len(fields); i += 2 {
			v, err := strconv.ParseFloat(fields[i], 64)
			if err != nil {
				return nil, fmt.Errorf("go test says %q: %w", line, err)
			}
			found[name][fields[i+1]] = append(found[name][fields[i+1]], v)
		}
	}
	if len(found) == 0 {
		return nil, fmt.Errorf("go test ran no benchmark: %.500q", out)
	}
	return found, nil
}
