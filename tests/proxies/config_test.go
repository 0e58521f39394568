package proxies

import (
	"fmt"
	"net"
	"os"
	"os/user"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// recipe returns the block of a language in docs/http.md.
func recipe(t testing.TB, language string) string {
	t.Helper()
	text, err := os.ReadFile("../../docs/http.md")
	require.NoError(t, err)
	_, rest, found := strings.Cut(string(text), "\n```"+language+"\n")
	require.True(t, found, language)
	block, _, _ := strings.Cut(rest, "\n```")
	return block + "\n"
}

// adapted replaces the addresses of a recipe by those of the site.
func (s *site) adapted(recipe, listen, front string) string {
	_, app, err := net.SplitHostPort(s.app.Listener.Addr().String())
	require.NoError(s.t, err)
	for _, pair := range [][2]string{{listen, front}, {"127.0.0.1:7380", fmt.Sprint("127.0.0.1:", s.web)}, {"127.0.0.1:3000", "127.0.0.1:" + app}} {
		require.Contains(s.t, recipe, pair[0])
		recipe = strings.ReplaceAll(recipe, pair[0], pair[1])
	}
	if s.key != "" {
		require.Contains(s.t, recipe, "key=ip")
		recipe = strings.ReplaceAll(recipe, "key=ip", "key="+s.key)
	}
	return recipe
}

// without removes the lines of a recipe that contain a text.
func without(t testing.TB, recipe, text string) string {
	t.Helper()
	require.Contains(t, recipe, text)
	var kept []string
	for line := range strings.Lines(recipe) {
		if !strings.Contains(line, text) {
			kept = append(kept, line)
		}
	}
	return strings.Join(kept, "")
}

// asked matches what the recipe of nginx asks cellserver.
var asked = regexp.MustCompile(`(?m)^ *proxy_pass http://cellserver/.*\n`)

// nginx starts nginx with the recipe.
func (s *site) nginx(failOpen bool) {
	s.t.Helper()
	whole := recipe(s.t, "nginx")
	if s.variant != "" {
		whole = asked.ReplaceAllLiteralString(whole, recipe(s.t, "nginx "+s.variant))
	}
	text := s.adapted(whole, "listen 80;", fmt.Sprintf("listen 127.0.0.1:%d;", s.front))
	for _, wait := range []string{"proxy_connect_timeout 250ms;", "proxy_read_timeout 1s;"} { // the machine may be busy for longer
		require.Contains(s.t, text, wait)
		name, _, _ := strings.Cut(wait, " ")
		text = strings.ReplaceAll(text, wait, fmt.Sprintf("%s %.0fs;", name, patience.Seconds()))
	}
	if !failOpen {
		text = without(s.t, text, "# fail open")
	}
	dir := s.t.TempDir()
	me, err := user.Current()
	require.NoError(s.t, err)
	head := "daemon off; worker_processes 1; pid nginx.pid; error_log stderr warn;\n"
	if me.Uid == "0" {
		head += "user root;\n"
	}
	temp := ""
	for _, kind := range []string{"client_body", "proxy", "fastcgi", "uwsgi", "scgi"} {
		temp += kind + "_temp_path " + filepath.Join(dir, kind) + ";\n"
	}
	file := filepath.Join(dir, "nginx.conf")
	require.NoError(s.t, os.WriteFile(file, []byte(head+"events { worker_connections 1024; }\nhttp {\naccess_log off; keepalive_requests 100000;\n"+temp+text+"}\n"), 0o600))
	s.startProxy("nginx", "-p", dir, "-c", file)
}

// failClosed matches what the recipe of Caddy has to fail open.
var failClosed = regexp.MustCompile(`(?s)\n\t\t@down.*?\n\t\t}\n|\n\thandle_errors.*?\n\t}\n`)

// caddy starts Caddy with the recipe.
func (s *site) caddy(failOpen bool) {
	s.t.Helper()
	text := s.adapted(recipe(s.t, "caddy"), ":80 {", fmt.Sprintf("http://:%d {\n\tbind 127.0.0.1", s.front))
	if !failOpen {
		text = failClosed.ReplaceAllString(text, "")
		require.NotContains(s.t, text, "@down")
	}
	file := filepath.Join(s.t.TempDir(), "Caddyfile")
	require.NoError(s.t, os.WriteFile(file, []byte("{\n\tadmin off\n\tauto_https off\n}\n"+text), 0o600))
	s.startProxy("caddy", "run", "--adapter", "caddyfile", "--config", file)
}
