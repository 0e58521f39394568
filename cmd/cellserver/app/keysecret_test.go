package app

import (
	"fmt"
	"log/slog"
	"net/http"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"cellserver/internal/config"
	"cellserver/internal/porttest"

	"github.com/stretchr/testify/require"
)

// TestNoCredentialIsShown: after refusals of a client, nothing that the server shows or writes has its credentials.
func TestNoCredentialIsShown(t *testing.T) {
	dir, web, metrics := t.TempDir(), porttest.Free(t), porttest.Free(t)
	directives := []string{
		"--dir", dir, "--http-port", strconv.Itoa(web), "--metrics-port", strconv.Itoa(metrics), "--appendonly", "yes", "--save", "3600 1",
		"--slowlog-log-slower-than", "0", "--http-page-keys", "yes",
	}
	in := start(t, directives...)
	c := in.dial(t)
	ok(t, c, "CL.RULE", "SET", "api", "CL.WINDOW", 2, 3600)
	monitor := in.dial(t)
	ok(t, monitor, "MONITOR")
	ok(t, c, "ACL", "SETUSER", "default", "-cl.explain")
	credentials := []string{"Authorization", "Bearer sk-secret123", "Cookie", "session=sk-secret123"}
	check := func() int {
		status, _ := ask(t, web, "/check?rule=api&key=header:Authorization&rule=api&key=cookie:session", credentials...)
		return status
	}
	require.Equal(t, []int{200, 200, 429, 429}, []int{check(), check(), check(), check()})
	_, denied := ask(t, web, "/explain/api?key=header:Authorization", credentials...)
	_, scraped := ask(t, metrics, "/metrics")
	_, page := ask(t, web, "/status")
	ok(t, c, "SAVE")
	shown := denied + scraped + page + in.log.String()
	for _, command := range []string{"INFO everything", "KEYS *", "CL.TOP 100", "SLOWLOG GET 100", "ACL LOG", "CLIENT LIST", "CL.STATUS", "CONFIG GET *"} {
		shown += fmt.Sprint(c.Do(words(command)...))
	}
	for range 4 {
		shown += fmt.Sprint(monitor.Recv())
	}
	require.Contains(t, shown, "api:{hmac:", "the keys are there")
	secret, err := os.ReadFile(filepath.Join(dir, secretName))
	require.NoError(t, err)
	info, err := os.Stat(filepath.Join(dir, secretName))
	require.NoError(t, err)
	require.Equal(t, os.FileMode(0o600), info.Mode())
	require.NotContains(t, shown, strings.TrimSpace(string(secret)))
	require.NoError(t, filepath.WalkDir(dir, func(path string, entry os.DirEntry, err error) error {
		if err != nil || entry.IsDir() {
			return err
		}
		text, err := os.ReadFile(path)
		shown += string(text)
		return err
	}))
	require.NotContains(t, shown, "sk-secret123")
	require.NotContains(t, scraped, "cellserver_limited_keys{")

	in.stop()
	in.wait(t)
	start(t, directives...)
	require.Equal(t, http.StatusTooManyRequests, check(), "a restart makes the same keys")
}

func TestKeySecret(t *testing.T) {
	var logged strings.Builder
	secretOf := func(change func(*config.Config)) (string, error) {
		cfg := config.Default()
		cfg.Dir = t.TempDir()
		change(cfg)
		secret, err := keySecret(cfg, slog.New(slog.NewTextHandler(&logged, nil)))
		return string(secret), err
	}
	alone, err := secretOf(func(*config.Config) {})
	require.NoError(t, err)
	require.Len(t, alone, 64)
	other, err := secretOf(func(*config.Config) {})
	require.NoError(t, err)
	require.NotEqual(t, alone, other)

	// Every node of a cluster has the same one.
	node := func(c *config.Config) { c.Cluster.Nodes, c.Cluster.Secret = []string{"10.0.0.1"}, "s" }
	one, err := secretOf(node)
	require.NoError(t, err)
	two, err := secretOf(node)
	require.NoError(t, err)
	require.Equal(t, "8be0e6991cf04f47b9ef3ca7f022884f3f3121df5315a169d52298d47f5ec70e", one)
	require.Equal(t, one, two)

	_, err = secretOf(func(c *config.Config) { require.NoError(t, os.Mkdir(filepath.Join(c.Dir, secretName), 0o700)) })
	require.ErrorContains(t, err, "is not a file of 16 to 1024 bytes")
	_, err = secretOf(func(c *config.Config) { c.Dir = filepath.Join(c.Dir, "none") })
	require.ErrorContains(t, err, "no such file or directory: make room in dir, or let the user of the server write there")
	_, err = secretOf(func(c *config.Config) { c.Dir, c.Save, c.AppendOnly = filepath.Join(c.Dir, "none"), nil, false })
	require.NoError(t, err, "nothing is kept on disk")

	// Sidecars have their own, until a person gives them the same file.
	require.Empty(t, logged.String())
	dir := t.TempDir()
	sidecar := func(c *config.Config) { c.Dir, c.Upstream.Nodes = dir, []string{"10.0.0.1:6379"} }
	made, err := secretOf(sidecar)
	require.NoError(t, err)
	require.Contains(t, logged.String(), "this sidecar makes a new http-key-secret")
	logged.Reset()
	kept, err := secretOf(sidecar)
	require.NoError(t, err)
	require.Equal(t, made, kept)
	require.Empty(t, logged.String(), "the file is there")
	dir = filepath.Join(dir, "none", "none")
	_, err = secretOf(func(c *config.Config) { sidecar(c); c.Save, c.AppendOnly = nil, false })
	require.NoError(t, err)
	require.Contains(t, logged.String(), "this sidecar cannot keep its http-key-secret", "the hub keeps the keys that it made")
}

// TestASidecarKeepsItsKeySecret: the hub keeps the keys that a sidecar has made, so a restart must make the same ones.
func TestASidecarKeepsItsKeySecret(t *testing.T) {
	t.Chdir(t.TempDir())
	hub := start(t)
	startSidecar(t, hub, "--dir", config.DefaultDir)
	require.NoDirExists(t, config.DefaultDir)
	startSidecar(t, hub, "--dir", config.DefaultDir, "--http-port", strconv.Itoa(porttest.Free(t)))
	require.FileExists(t, filepath.Join(config.DefaultDir, secretName))
}

// words returns the words of a command.
func words(command string) (all []any) {
	for word := range strings.FieldsSeq(command) {
		all = append(all, word)
	}
	return all
}
