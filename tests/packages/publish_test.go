package packages

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// A checkout is a repository with the files of this tree.
type checkout struct{ dir string }

// newCheckout copies the files that git knows, with the changes that are not committed.
func newCheckout(t *testing.T) checkout {
	t.Helper()
	c := checkout{t.TempDir()}
	copied := exec.Command("bash", "-c", `git ls-files -coz --exclude-standard |
		tar --null --files-from=- --ignore-failed-read -cf - | tar -xf - -C "$0"`, c.dir)
	copied.Dir = "../.."
	out, err := copied.CombinedOutput()
	require.NoError(t, err, string(out))
	c.git(t, "init", "--quiet")
	c.commit(t)
	return c
}

func (c checkout) git(t *testing.T, args ...string) string {
	t.Helper()
	who := []string{"-C", c.dir, "-c", "user.name=test", "-c", "user.email=test@example.com"}
	out, err := exec.Command("git", append(who, args...)...).CombinedOutput()
	require.NoError(t, err, "%s: %s", args, out)
	return string(out)
}

func (c checkout) commit(t *testing.T) {
	t.Helper()
	c.git(t, "add", "--all")
	c.git(t, "commit", "--quiet", "--message", "all")
}

func (c checkout) read(t *testing.T, name string) string {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(c.dir, name))
	require.NoError(t, err)
	return string(text)
}

// published are arguments that deploy/publish-prepare accepts.
func published(t *testing.T) []string {
	t.Helper()
	license := filepath.Join(t.TempDir(), "LICENSE")
	text := "Permission is hereby granted, free of charge, to test.\n" + strings.Repeat("You may test with it. ", 20) + "\n"
	require.NoError(t, os.WriteFile(license, []byte(text), 0o600))
	return []string{"example.com/acme/limits", "registry.example/acme",
		"--license", "MIT", "--license-file", license, "--contact", "Acme <security@acme.example>",
		"--npm", "@acme/ratelimit", "--python", "acme-ratelimit"}
}

// prepare runs deploy/publish-prepare.
func (c checkout) prepare(args []string) (string, error) {
	run := exec.Command(filepath.Join(c.dir, "deploy", "publish-prepare"), args...)
	var out bytes.Buffer
	run.Stdout, run.Stderr = &out, &out
	err := run.Run()
	return out.String(), err
}

// TestPublishRefuses: a wrong name is an error that repeats it, and nothing changes.
func TestPublishRefuses(t *testing.T) {
	c := newCheckout(t)
	refuses := func(args []string, says ...string) {
		t.Helper()
		before := c.git(t, "status", "--porcelain")
		out, err := c.prepare(args)
		require.Error(t, err, "%q", args)
		for _, words := range append(says, "nothing is changed") {
			require.Contains(t, out, words, "%q", args)
		}
		require.Equal(t, before, c.git(t, "status", "--porcelain"))
		require.Equal(t, 1, strings.Count(c.git(t, "worktree", "list"), "\n"))
	}
	with := func(at int, value string) []string {
		args := published(t)
		args[at] = value
		return args
	}
	refuses(with(0, "cellserver"), `MODULE "cellserver"`)
	refuses(with(0, "https://example.com/a"), `MODULE "https://example.com/a"`, "the repository, such as")
	refuses(with(0, "example.com/acme/limits/v2"), "leave out /v2")
	refuses(with(1, "Registry Of Acme"), `REGISTRY "Registry Of Acme"`)
	refuses(with(3, "MIT-ish"), `--license "MIT-ish"`, "Apache-2.0 or MIT")
	refuses(with(5, "/nowhere/LICENSE"), "--license-file", "/nowhere/LICENSE")
	refuses(with(3, "Apache-2.0"), "this is not the text of --license Apache-2.0", "Permission is hereby granted")
	refuses(with(7, "security"), `--contact "security"`)
	refuses(with(7, `Acme "$(id)" <security@acme.example>`), "--contact")
	refuses(with(9, "Acme Ratelimit"), `--npm "Acme Ratelimit"`)
	refuses(with(11, "-acme"), `--python "-acme"`)
	refuses(append(published(t), "more"), `"more" is one argument too many`)
	refuses(append(published(t), "--licence", "MIT"), "-licence")
	refuses(published(t)[:2], "--license", "--contact")

	require.NoError(t, os.WriteFile(filepath.Join(c.dir, "notes.txt"), nil, 0o600))
	refuses(published(t), "the tree has changes", "notes.txt")

	// A tree that does not build is found after the edits, in the copy.
	broken := "package notices\n\nimport _ \"cellserver/nothing\"\n"
	file := filepath.Join(c.dir, "internal/notices/broken_test.go")
	require.NoError(t, os.WriteFile(file, []byte(broken), 0o600))
	c.commit(t)
	refuses(published(t), "cellserver/nothing")
}

// TestPublish: the tree has the new names everywhere, builds, and its architecture tests hold.
func TestPublish(t *testing.T) {
	c := newCheckout(t)
	out, err := c.prepare(published(t))
	require.NoError(t, err, out)
	for _, command := range []string{
		"clients/go/v0.1.0", "npm publish", "twine upload",
		"--tag registry.example/acme/cellserver:0.1.0 --push .",
		"--tag registry.example/acme/cellserver-envoy:0.1.0 --push --file envoy/Dockerfile .",
		"git push https://example.com/acme/limits.git", "oci://registry.example/acme/helm",
	} {
		require.Contains(t, out, command)
	}
	require.NotContains(t, out, "frameworks", "a module of tests has no version")
	require.Equal(t, "A  LICENSE\nA  clients/node/LICENSE\nA  clients/python/LICENSE\n",
		matching(c.git(t, "status", "--porcelain"), "A  ", "?? "))
	for file, says := range map[string]string{
		"go.mod":                             "module example.com/acme/limits\n",
		"clients/go/go.mod":                  "module example.com/acme/limits/clients/go\n",
		"cmd/cellserver/main.go":             "\"example.com/acme/limits/cmd/cellserver/app\"\n",
		"internal/buildtest/doc.go":          "\"example.com/acme/limits/cmd/cellserver\"",
		"docs/adding-a-command.md":           "\"example.com/acme/limits/commands\"",
		"clients/node/package.json":          "\"name\": \"@acme/ratelimit\"",
		"clients/node/README.md":             "npm install @acme/ratelimit ",
		"clients/go/README.md":               "go get example.com/acme/limits/clients/go@v0.1.0\n",
		"clients/python/README.md":           " acme-ratelimit\n",
		"clients/python/pyproject.toml":      "name = \"acme-ratelimit\"\n",
		"SECURITY.md":                        "Acme <security@acme.example>",
		"Dockerfile":                         "image.source=https://example.com/acme/limits",
		"envoy/Dockerfile":                   "image.source=https://example.com/acme/limits",
		"deploy/compose.yaml":                "image: registry.example/acme/cellserver:0.1.0\n",
		"deploy/kubernetes.yaml":             "image: registry.example/acme/cellserver:0.1.0\n",
		"deploy/kubernetes-envoy.yaml":       "image: registry.example/acme/cellserver-envoy:0.1.0\n",
		"envoy/go.mod":                       "module example.com/acme/limits/envoy\n",
		"deploy/helm/cellserver/values.yaml": "repository: registry.example/acme/cellserver\n",
		"deploy/debian/nfpm.yaml":            "license: MIT\n",
	} {
		require.Contains(t, c.read(t, file), says, file)
	}
	require.NoFileExists(t, filepath.Join(c.dir, "deploy/publish-prepare"))
	require.NotContains(t, c.read(t, "clients/node/package.json"), "private")
	for _, page := range []string{"README.md", "SECURITY.md", "docs/deploying.md", "deploy/kubernetes.yaml"} {
		require.NotContains(t, c.read(t, page), "publish-prepare", page)
	}
	for _, words := range []string{"go build", "beside this one", "./cellserver", "$PWD"} {
		require.NotContains(t, c.read(t, "README.md"), words, "nobody has a clone")
	}
	busy := exec.Command("go", "tool", "pprof", "-top", "cmd/cellserver/default.pgo")
	busy.Dir = c.dir
	top, err := busy.CombinedOutput()
	require.NoError(t, err, string(top))
	require.Contains(t, string(top), " example.com/acme/limits/")
	require.NotContains(t, string(top), " cellserver/")

	c.commit(t)
	tests := exec.Command("go", "test", "-vet=off", "-short", "-pgo=off",
		"-run", "Imports|Links|Documents|Binary|Shape", "./tests")
	tests.Dir = c.dir
	text, err := tests.CombinedOutput()
	require.NoError(t, err, string(text))
}

// matching returns the lines that begin with one of these words.
func matching(text string, words ...string) string {
	var b strings.Builder
	for line := range strings.Lines(text) {
		for _, word := range words {
			if strings.HasPrefix(line, word) {
				b.WriteString(line)
			}
		}
	}
	return b.String()
}
