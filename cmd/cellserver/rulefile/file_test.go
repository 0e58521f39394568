package rulefile

import (
	"bytes"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"cellserver/limiters/ruleset"

	"github.com/stretchr/testify/require"
)

// world is a rules-file and the rules that are in force.
type world struct {
	File
	rules ruleset.Rules
	path  string
	log   bytes.Buffer
	news  []ruleset.News
}

func newWorld(t *testing.T) *world {
	w := &world{path: filepath.Join(t.TempDir(), "rules.yaml")}
	w.Log, w.Read, w.Use = slog.New(slog.NewTextHandler(&w.log, nil)), os.ReadFile, w.rules.UseFile
	w.rules.Tell(func(n ruleset.News) { w.news = append(w.news, n) })
	return w
}

// write writes a text into the file, which keeps one and the same time.
func (w *world) write(t *testing.T, text string) {
	t.Helper()
	require.NoError(t, os.WriteFile(w.path, []byte(text), 0o600))
	require.NoError(t, os.Chtimes(w.path, time.Unix(1, 0), time.Unix(1, 0)))
}

// names returns the names of the rules in force.
func (w *world) names() (all []string) {
	for _, one := range w.rules.Report() {
		all = append(all, one.Name)
	}
	return all
}

const both = "rules:\n  login:\n    limits: CL.WINDOW 5 60\n  api:\n    limits: CL.WINDOW 7 60\n"

// lost has the states of a file in which rules must not vanish, with what the reason says.
var lost = map[string]string{
	"":                                 "write `rules: {}` if there are to be none",
	" \n\n":                            "write `rules: {}` if there are to be none",
	"# nothing\n":                      "write `rules: {}` if there are to be none",
	"---\n":                            "write `rules: {}` if there are to be none",
	"{}":                               "write `rules: {}` if there are to be none",
	"rules:\n":                         "there is nothing below rules: write `rules: {}`",
	"rules: ~\n":                       "there is nothing below rules: write `rules: {}`",
	"rules:\n# login:\n":               "there is nothing below rules: write `rules: {}`",
	both[:len(both)-27]:                "rule api has no limits",
	both[:len(both)-30]:                "is no YAML",
	"<!doctype html>\n<html></html>\n": "the file must begin with `rules:`, and not with \"<!doctype html>",
	"null\n":                           "write `rules: {}` if there are to be none",
	"\x00\x00\x00\x00":                 "is no YAML",
	"404 page not found\n":             "the file must begin with `rules:`, and not with \"404 page not found\"",
	"[]":                               "the file must begin with `rules:`, and not with a list",
}

// TestRulesDoNotVanish: no such file replaces rules, and none is right at the start.
func TestRulesDoNotVanish(t *testing.T) {
	for text, want := range lost {
		w := newWorld(t)
		w.write(t, both)
		require.NoError(t, w.Configure(w.path, w.path))
		w.write(t, text)
		w.Poll()
		require.False(t, w.State().Failing, "somebody may still write the file: %q", text)
		w.Poll()
		w.Poll()
		require.Equal(t, []string{"api", "login"}, w.names(), "%q", text)
		require.Equal(t, 1, strings.Count(w.log.String(), "the previous rules stay in force"), "%q", text)
		require.True(t, w.State().Failing)
		require.EqualValues(t, 1, w.State().Failures)
		require.Contains(t, w.State().Reason, want, "%q", text)
		w.write(t, both)
		w.Poll()
		w.Poll()
		require.False(t, w.State().Failing)

		fresh := newWorld(t)
		fresh.write(t, text)
		require.ErrorContains(t, fresh.Configure(fresh.path, fresh.path), want, "%q", text)
	}
}

// TestNoRulesOnPurpose: a file can say that there are none, and the news name those that are gone.
func TestNoRulesOnPurpose(t *testing.T) {
	w := newWorld(t)
	w.write(t, both)
	require.NoError(t, w.Configure(w.path, w.path))
	w.write(t, "rules: {}\n")
	w.Poll()
	w.Poll()
	require.Empty(t, w.names())
	require.Equal(t, []any{"rules", 0, "gone", "api login"}, w.news[len(w.news)-1].Summary())
}

// TestAChangeOfTheSameSizeAndTime comes into force. So does one below a symbolic link.
func TestAChangeOfTheSameSizeAndTime(t *testing.T) {
	w := newWorld(t)
	w.write(t, both)
	require.NoError(t, w.Configure(w.path, w.path))
	w.write(t, strings.Replace(both, "login", "logon", 1))
	w.Poll()
	require.Equal(t, []string{"api", "login"}, w.names(), "the next look must find the same")
	w.Poll()
	require.Equal(t, []string{"api", "logon"}, w.names())
	require.Equal(t, []any{"rules", 2, "gone", "login", "new", "logon"}, w.news[len(w.news)-1].Summary())

	dir := filepath.Dir(w.path)
	for i, text := range []string{strings.Replace(both, "login", "linkA", 1), strings.Replace(both, "login", "linkB", 1)} {
		data := filepath.Join(dir, string(rune('a'+i)))
		require.NoError(t, os.Mkdir(data, 0o700))
		file := filepath.Join(data, "rules.yaml")
		require.NoError(t, os.WriteFile(file, []byte(text), 0o600))
		require.NoError(t, os.Chtimes(file, time.Unix(1, 0), time.Unix(1, 0)))
		link := filepath.Join(dir, "next")
		require.NoError(t, os.Symlink(file, link))
		require.NoError(t, os.Rename(link, w.path))
		w.Poll()
		w.Poll()
		require.Contains(t, w.names(), "link"+strings.ToUpper(string(rune('a'+i))))
	}
}

// TestReloadWaits: a reload does not take a file that somebody still writes.
func TestReloadWaits(t *testing.T) {
	w := newWorld(t)
	w.write(t, both)
	require.NoError(t, w.Configure(w.path, w.path))
	w.write(t, both[:strings.Index(both, "  api")])
	w.Reload()
	w.Poll()
	require.Equal(t, []string{"api", "login"}, w.names())
	w.write(t, both+"  more: {limits: CL.WINDOW 1 60}\n")
	w.Poll()
	w.Poll()
	require.Equal(t, []string{"api", "login", "more"}, w.names())
}

// TestWhatIsNoFile: a file that is gone, a folder and a file without rights leave the rules, also if they
// come in turns.
func TestWhatIsNoFile(t *testing.T) {
	w := newWorld(t)
	w.write(t, both)
	require.NoError(t, w.Configure(w.path, w.path))
	require.NoError(t, os.Remove(w.path))
	w.Poll()
	w.Poll()
	require.NoError(t, os.Mkdir(w.path, 0o700))
	w.Poll()
	w.Poll()
	require.Equal(t, []string{"api", "login"}, w.names())
	require.EqualValues(t, 2, w.State().Failures)
	require.NoError(t, os.Remove(w.path))
	w.write(t, both)
	w.Reload()
	w.Poll()
	w.Poll()
	require.False(t, w.State().Failing)
	w.Forget()
	w.write(t, "rules: {}")
	w.Poll()
	w.Poll()
	w.Reload()
	require.Equal(t, []string{"api", "login"}, w.names(), "nobody watches the file")
	require.Equal(t, ruleset.Source{}, w.State())
}
