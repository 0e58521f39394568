package frameworks

import (
	"fmt"
	"io/fs"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"cellserver/clients/go/internal/testserver"
	"cellserver/internal/porttest"

	"github.com/stretchr/testify/require"
	"golang.org/x/mod/module"
	modzip "golang.org/x/mod/zip"
)

// The modules have no address yet. Here they get one that no host has: a proxy serves no path without a dot.
const (
	today  = "cellserver/clients/go"
	server = "ratelimit.invalid"
	packed = server + "/clients/go"
	number = "v0.1.0"
)

// addresses gives the modules their addresses in a file.
var addresses = strings.NewReplacer(
	today, packed, `"cellserver/`, `"`+server+"/", "module cellserver\n", "module "+server+"\n",
	"cellserver v0.0.0", server+" "+number, "replace cellserver => ../..\n", "")

// proxy packs the module, and what it needs of the module of the server, and returns the folder of the proxy.
func proxy(t *testing.T) string {
	served := t.TempDir()
	pack(t, served, packed, "..", ".")
	pack(t, served, server, "../../..", "go.mod", "sidecar/account", "internal/exact")
	return served
}

// pack packs files and folders of a module as a proxy serves them.
func pack(t *testing.T, served, address, top string, parts ...string) {
	source := t.TempDir()
	for _, part := range parts {
		require.NoError(t, filepath.WalkDir(filepath.Join(top, part), func(path string, entry fs.DirEntry, err error) error {
			if err != nil || entry.IsDir() || address == server && strings.HasSuffix(path, "_test.go") {
				return err
			}
			text, err := os.ReadFile(path)
			require.NoError(t, err)
			path, err = filepath.Rel(top, path)
			require.NoError(t, err)
			path = filepath.Join(source, path)
			require.NoError(t, os.MkdirAll(filepath.Dir(path), 0o700))
			return os.WriteFile(path, []byte(addresses.Replace(string(text))), 0o600)
		}))
	}
	folder := filepath.Join(served, address, "@v")
	require.NoError(t, os.MkdirAll(folder, 0o700))
	mod, err := os.ReadFile(filepath.Join(source, "go.mod"))
	require.NoError(t, err)
	info := fmt.Sprintf(`{"Version": %q, "Time": "2026-01-01T00:00:00Z"}`, number)
	files := map[string][]byte{"list": []byte(number), number + ".info": []byte(info), number + ".mod": mod}
	for name, text := range files {
		require.NoError(t, os.WriteFile(filepath.Join(folder, name), text, 0o600))
	}
	file, err := os.Create(filepath.Join(folder, number+".zip"))
	require.NoError(t, err)
	require.NoError(t, modzip.CreateFromDir(file, module.Version{Path: address, Version: number}, source))
	require.NoError(t, file.Close())
}

// consumer is a module that requires the packed one, in an empty folder.
type consumer struct {
	t      *testing.T
	folder string
	env    []string
}

// newConsumer returns a consumer. It has the other modules from this machine: this test needs them, too.
func newConsumer(t *testing.T) *consumer {
	c := &consumer{t: t, folder: t.TempDir(), env: append(os.Environ(),
		"GOPROXY=file://"+proxy(t)+","+goEnv(t, "GOPROXY"), "GONOPROXY=none", "GOPRIVATE=", "GOSUMDB=off",
		"GOFLAGS=-mod=mod -modcacherw -trimpath -buildvcs=false", "GOWORK=off", "GOMODCACHE="+modules(t))}
	own, err := os.ReadFile("go.mod")
	require.NoError(t, err)
	text := strings.ReplaceAll(string(own), today+"/frameworks", "consumer")
	text = regexp.MustCompile(`(?s)\nreplace \(.*\)\n`).ReplaceAllString(text, "")
	text = addresses.Replace(strings.ReplaceAll(text, today+" v0.0.0", today+" "+number))
	sums, err := os.ReadFile("go.sum")
	require.NoError(t, err)
	c.write("go.mod", text)
	c.write("go.sum", string(sums))
	return c
}

// modules returns a cache of modules with all that this machine has, to which the packed module may be added.
func modules(t *testing.T) string {
	cache := t.TempDir()
	for _, folder := range []string{"", "cache/download"} {
		from := filepath.Join(goEnv(t, "GOMODCACHE"), folder)
		require.NoError(t, os.MkdirAll(filepath.Join(cache, folder), 0o700))
		entries, err := os.ReadDir(from)
		require.NoError(t, err)
		for _, entry := range entries {
			if name := entry.Name(); entry.IsDir() && name != "cache" {
				require.NoError(t, os.Symlink(filepath.Join(from, name), filepath.Join(cache, folder, name)))
			}
		}
	}
	return cache
}

// goEnv returns a setting of the go command.
func goEnv(t *testing.T, name string) string {
	value, err := exec.Command("go", "env", name).Output()
	require.NoError(t, err)
	return strings.TrimSpace(string(value))
}

func (c *consumer) write(name, text string) {
	path := filepath.Join(c.folder, name)
	require.NoError(c.t, os.MkdirAll(filepath.Dir(path), 0o700))
	require.NoError(c.t, os.WriteFile(path, []byte(text), 0o600))
}

func (c *consumer) run(args ...string) string {
	run := exec.Command("go", args...)
	run.Dir, run.Env = c.folder, c.env
	out, err := run.CombinedOutput()
	require.NoError(c.t, err, "%s: %s", args, out)
	return string(out)
}

// TestPacked takes the module from a proxy. The programs of the page compile with it, and the first one
// limits.
func TestPacked(t *testing.T) {
	page, err := os.ReadFile("../README.md")
	require.NoError(t, err)
	c := newConsumer(t)
	programs := regexp.MustCompile("(?ms)^```go\n(package .*?)^```$").FindAllStringSubmatch(string(page), -1)
	require.GreaterOrEqual(t, len(programs), 8)
	s := testserver.Start(t)
	address := fmt.Sprint("127.0.0.1:", porttest.Free(t))
	for i, program := range programs {
		text := strings.ReplaceAll(program[1], today, packed)
		text = strings.NewReplacer("redis://127.0.0.1:6379", s.URL, "127.0.0.1:3000", address,
			"ratelimit.Options{}", "ratelimit.Options{Timeout: 60e9}").Replace(text)
		c.write(fmt.Sprintf("program%d/program.go", i), text)
	}
	require.Contains(t, c.run("list", "-m", packed), number)
	c.run("build", "./...")
	c.run("build", "-o", "first", "./program0")

	dial(t, s.URL, "100/minute")
	first := exec.Command(filepath.Join(c.folder, "first"))
	require.NoError(t, first.Start())
	t.Cleanup(func() {
		_ = first.Process.Kill()
		_ = first.Wait()
	})
	require.Eventually(t, func() bool {
		conn, err := net.Dial("tcp", address)
		return err == nil && conn.Close() == nil
	}, time.Minute, 10*time.Millisecond)
	statuses := map[int]int{}
	for range 103 {
		reply, err := http.Get("http://" + address)
		require.NoError(t, err)
		require.NoError(t, reply.Body.Close())
		statuses[reply.StatusCode]++
	}
	require.Equal(t, map[int]int{200: 100, 429: 3}, statuses)
}
