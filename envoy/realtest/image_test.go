package realtest

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"cellserver/internal/porttest"
	"cellserver/internal/processtest"

	"github.com/stretchr/testify/require"
)

// TestTheImage: the Dockerfile copies what exists, and its program runs as its user, on a root that has nothing
// else and that nobody can write.
func TestTheImage(t *testing.T) {
	t.Parallel()
	text, err := os.ReadFile("../Dockerfile")
	require.NoError(t, err)
	lines := strings.Split(strings.ReplaceAll(string(text), "\\\n", ""), "\n")
	ignored, err := os.ReadFile("../../.dockerignore")
	require.NoError(t, err)
	var last map[string]string
	copied := 0
	for _, line := range lines {
		word, rest, _ := strings.Cut(line, " ")
		if word == "FROM" {
			last = map[string]string{}
		}
		if word == "COPY" && !strings.HasPrefix(rest, "--from") {
			sources := strings.Fields(rest)
			for _, source := range sources[:len(sources)-1] {
				copied++
				require.FileExists(t, filepath.Join("../..", source, map[bool]string{true: "go.mod"}[source == "."]))
				require.NotContains(t, strings.Fields(string(ignored)), strings.TrimPrefix(source, "./"))
			}
		}
		if last != nil {
			last[word] = rest
		}
	}
	require.Equal(t, 5, copied)
	require.NotContains(t, strings.Fields(string(ignored)), "envoy")
	require.Equal(t, "scratch", last["FROM"])
	require.Equal(t, "65534:65534", last["USER"])
	require.Equal(t, "8080 8081 6070", last["EXPOSE"])
	require.Equal(t, `["/bin/ratelimit"]`, last["ENTRYPOINT"])

	root := t.TempDir()
	for _, folder := range []string{"bin", "data/ratelimit/config"} {
		require.NoError(t, os.MkdirAll(filepath.Join(root, folder), 0o755))
	}
	program, err := os.ReadFile(service)
	require.NoError(t, err)
	require.NoError(t, os.WriteFile(filepath.Join(root, "bin", "cellserver-envoy"), program, 0o555))
	links := regexp.MustCompile(`ln -s (\S+) /image(\S+)`).FindAllStringSubmatch(string(text), -1)
	require.Len(t, links, 2)
	for _, link := range links {
		require.NoError(t, os.Symlink(link[1], filepath.Join(root, link[2])))
	}
	rules := "domain: shop\ndescriptors: [{key: user, rate_limit: {unit: year, requests_per_unit: 1}}]\n"
	require.NoError(t, os.WriteFile(filepath.Join(root, "data/ratelimit/config/shop.yaml"), []byte(rules), 0o444))
	folders := []string{"bin", "data/ratelimit/config", "data/ratelimit", "data", ""}
	for _, folder := range folders {
		require.NoError(t, os.Chmod(filepath.Join(root, folder), 0o555))
	}
	t.Cleanup(func() {
		for _, folder := range folders {
			_ = os.Chmod(filepath.Join(root, folder), 0o755)
		}
	})
	port := porttest.Free(t)
	cmd := exec.Command(processtest.Installed(t, "unshare"), "--user", "--map-user=65534", "--map-group=65534",
		"--root="+root, "/bin/ratelimit")
	cmd.Env = []string{
		"RUNTIME_ROOT=/data", "RUNTIME_SUBDIRECTORY=ratelimit", "RUNTIME_WATCH_ROOT=false", "USE_STATSD=false",
		"HOST=127.0.0.1", "GRPC_HOST=127.0.0.1", "DEBUG_HOST=127.0.0.1", fmt.Sprint("PORT=", port),
		fmt.Sprint("GRPC_PORT=", porttest.Free(t)), fmt.Sprint("DEBUG_PORT=", porttest.Free(t)),
	}
	processtest.Start(t, cmd).Await(fmt.Sprint("127.0.0.1:", port))
	ask := func() (status int) {
		body := strings.NewReader(`{"domain": "shop", "descriptors": [{"entries": [{"key": "user", "value": "ann"}]}]}`)
		r, err := client.Post(fmt.Sprint("http://127.0.0.1:", port, "/json"), "", body)
		if err != nil {
			return 0
		}
		defer r.Body.Close()
		return r.StatusCode
	}
	require.Eventually(t, func() bool { return ask() == 429 }, processtest.Patience, 10*time.Millisecond)
}
