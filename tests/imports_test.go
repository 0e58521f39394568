package tests

import (
	"encoding/json"
	"errors"
	"io"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

const module = "cellserver"

// mayImport says which of the module's packages each package may import: data flows from the wire to the store
// and never back. A package that is not here has no place yet; a new arrow is a decision, made here.
var mayImport = map[string][]string{
	"internal/exact":      {},
	"internal/decimal":    {},
	"gcra":                {"internal/exact"},
	"limiters/window":     {"internal/exact"},
	"limiters/slidinglog": {"internal/exact"},
	"limiters/pace":       {"internal/exact"},
	"limiters/lease":      {},
	"internal/topk":       {},
	"internal/config":     {},
	"resp":                {"internal/decimal"},
	"resp/resptest":       {},
	"store":               {"internal/decimal", "internal/exact"},
	// DUMP and RESTORE speak the codec's payloads; of files commands know nothing.
	"commands":    {"internal/decimal", "internal/exact", "gcra", "limiters/window", "limiters/slidinglog", "limiters/pace", "limiters/lease", "internal/topk", "resp", "store", "internal/config", "persistence/rdb"},
	"persistence": {"store", "persistence/aof", "persistence/rdb", "persistence/fs"},
	// The manifest quotes names as redis.conf does.
	"persistence/aof/format": {"internal/decimal", "internal/config"},
	"persistence/aof":        {"internal/decimal", "store", "persistence/aof/format", "persistence/rdb", "persistence/fs"},
	"persistence/rdb":        {"internal/decimal", "store", "persistence/rdb/encoding", "persistence/rdb/crc64"},
	// The primitives of the format know no store.
	"persistence/rdb/encoding": {"internal/decimal", "persistence/rdb/crc64"},
	"persistence/rdb/crc64":    {},
	"persistence/fs":           {},
	"persistence/fs/fstest":    {"persistence/fs"},
	"cmd/cellserver/app":       {"gcra", "limiters/window", "limiters/slidinglog", "limiters/pace", "limiters/lease", "resp", "store", "internal/config", "commands", "persistence", "persistence/aof", "persistence/fs"},
	"cmd/cellserver":           {"cmd/cellserver/app", "internal/config"},
}

// mustNotKnow says which parts of the world a package is kept away from, as packages of the standard library.
// A limiter knows numbers only; the store no files and no sockets; commands neither.
var mustNotKnow = map[string][]string{
	"internal/decimal":         {"bytes", "net", "os", "sync", "sync/atomic", "time"},
	"internal/exact":           {"bytes", "net", "os", "sync", "sync/atomic", "time"},
	"gcra":                     {"bytes", "net", "os", "sync", "sync/atomic", "time"},
	"limiters/window":          {"bytes", "net", "os", "sync", "sync/atomic", "time"},
	"limiters/slidinglog":      {"bytes", "net", "os", "sync", "sync/atomic", "time"},
	"limiters/pace":            {"bytes", "net", "os", "sync", "sync/atomic", "time"},
	"limiters/lease":           {"bytes", "net", "os", "sync", "sync/atomic", "time"},
	"internal/topk":            {"net", "os", "sync", "sync/atomic", "time"},
	"store":                    {"net", "os", "time"},
	"commands":                 {"os"},
	"persistence":              {"net"},
	"persistence/aof":          {"net", "time"},
	"persistence/aof/format":   {"net", "os", "sync", "sync/atomic", "time"},
	"persistence/rdb":          {"net", "os", "time"},
	"persistence/rdb/encoding": {"net", "os", "sync", "sync/atomic", "time"},
	"persistence/rdb/crc64":    {"bytes", "net", "os", "sync", "sync/atomic", "time"},
	"persistence/fs":           {"net", "time"},
	"cmd/cellserver/app":       {"flag", "os/signal"},
}

// listed is what `go list` says about a package, its tests left aside.
type listed struct {
	ImportPath string
	Imports    []string
}

// packages lists the module's packages, and fails where there are none.
func packages(t *testing.T) []listed {
	t.Helper()
	list := exec.Command("go", "list", "-pgo=off", "-json=ImportPath,Imports", "./...")
	list.Dir = root(t)
	out, err := list.Output()
	require.NoError(t, err)
	var all []listed
	for in := json.NewDecoder(strings.NewReader(string(out))); ; {
		var p listed
		if err := in.Decode(&p); errors.Is(err, io.EOF) {
			break
		} else {
			require.NoError(t, err)
		}
		all = append(all, p)
	}
	require.NotEmpty(t, all)
	return all
}

// root is the module's folder: this package's parent.
func root(t *testing.T) string {
	t.Helper()
	dir, err := filepath.Abs("..")
	require.NoError(t, err)
	return dir
}

func TestImportsFollowTheArchitecture(t *testing.T) {
	for _, p := range packages(t) {
		name := strings.TrimPrefix(p.ImportPath, module+"/")
		if name == "tests" || strings.HasPrefix(name, "tests/") {
			continue
		}
		allowed, known := mayImport[name]
		if !known {
			t.Errorf("package %s has no place in the architecture: say in mayImport, and in the design, what it may import", name)
			continue
		}
		for _, imported := range p.Imports {
			own, isOwn := strings.CutPrefix(imported, module+"/")
			if isOwn && !slices.Contains(allowed, own) {
				t.Errorf("%s imports %s, but may only import %q: pass what it needs from above, or add the arrow to mayImport on purpose",
					name, own, allowed)
			}
			if slices.Contains(mustNotKnow[name], imported) {
				t.Errorf("%s imports %q, which it must not know about: keep that in a package nearer the edge", name, imported)
			}
		}
	}
}

// The tables above would say nothing about a package that they misspell.
func TestArchitectureNamesRealOrPlannedPackages(t *testing.T) {
	for name, allowed := range mayImport {
		for _, other := range allowed {
			require.Contains(t, mayImport, other, "%s may import %s, which mayImport does not name", name, other)
		}
	}
	for name := range mustNotKnow {
		require.Contains(t, mayImport, name, "mustNotKnow names a package that mayImport does not")
	}
}
