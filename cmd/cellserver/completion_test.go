package main

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// completions are command lines, and what completes their last word: some of the words, and some that must
// not be there.
var completions = []struct{ line, with, without string }{
	{"cellserver ", "doctor ping check-rules import cluster-import help", "--port"},
	{"cellserver che", "check-rules check-config", "doctor"},
	{"cellserver --po", "--port", "--proxy-port"},
	{"cellserver --http-tls", "--http-tls-port", "--http-port"},
	{"cellserver /etc/redis.conf --appendonly ", "yes no", "--port"},
	{"cellserver --maxmemory-policy allkeys-l", "allkeys-lru allkeys-lfu", "allkeys-random"},
	{"cellserver --appendfsync=", "everysec always no", "--port"},
	{"cellserver doctor 127.0.0.1:6379 --", "--tls --cacert --requirepass", "--licenses"},
	{"cellserver check-rules --", "--help", "--port --tls"},
	{"cellserver help cluster-", "cluster-check cluster-recover", "doctor"},
	{"cellserver completion ", "bash zsh", "fish"},
}

// script writes the script of a shell, and returns its path.
func script(t *testing.T, shell string) string {
	out, errs, code := runToEnd(t, "", "completion", shell)
	require.Equal(t, []any{"", 0}, []any{errs, code})
	path := filepath.Join(t.TempDir(), "_cellserver")
	write(t, path, out)
	return path
}

// check compares words with what must be there, and what must not.
func check(t *testing.T, line, with, without string, words []string) {
	t.Helper()
	require.Subset(t, words, strings.Fields(with), line)
	for _, word := range strings.Fields(without) {
		require.NotContains(t, words, word, line)
	}
}

// TestBashCompletes: the function of the script gives the words for a command line, which bash has cut.
func TestBashCompletes(t *testing.T) {
	path := script(t, "bash")
	shell := exec.Command("bash", "--norc", "-c", "source "+path+"; complete -p cellserver")
	shell.Env = append(os.Environ(), "LC_ALL=C") // bash complains of a locale that is not there
	out, err := shell.CombinedOutput()
	require.NoError(t, err, string(out))
	require.Equal(t, "complete -o default -F _cellserver cellserver\n", string(out))
	const ask = `source "$0"; COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); _cellserver
printf '%s\n' "${COMPREPLY[@]}"`
	for _, c := range completions {
		words := strings.Fields(strings.ReplaceAll(c.line, "=", " = "))
		if strings.HasSuffix(c.line, " ") {
			words = append(words, "")
		}
		out, err := exec.Command("bash", append([]string{"--norc", "-c", ask, path}, words...)...).Output()
		require.NoError(t, err)
		check(t, c.line, c.with, c.without, strings.Fields(string(out)))
	}
}

// TestZshCompletes: zsh completes with compadd, which shows its words here.
func TestZshCompletes(t *testing.T) {
	path := script(t, "zsh")
	const ask = `source "$1"; shift
compadd() { shift; print -rl -- ${(M)@:#${PREFIX}*} }
_describe() { compadd -- ${${(P)2}%%:*} }
_files() { }
compset() { [[ $PREFIX == --*=* ]] && { IPREFIX=${PREFIX%%=*}= PREFIX=${PREFIX#*=} } }
words=("$@") CURRENT=$# PREFIX=${@[-1]} IPREFIX=
_cellserver`
	for _, c := range completions {
		words := strings.Fields(c.line)
		if strings.HasSuffix(c.line, " ") {
			words = append(words, "")
		}
		out, err := exec.Command("zsh", append([]string{"-f", "-c", ask, "zsh", path}, words...)...).
			CombinedOutput()
		require.NoError(t, err, string(out))
		check(
			t,
			c.line,
			strings.ReplaceAll(c.with, " cluster-import ", " "),
			c.without,
			strings.Fields(string(out)),
		)
	}
}

// typed is a program of zsh. It starts a shell on a terminal of its own, types a setup and then a line, and
// prints what the command cellserver of this shell got. READY and END are not in what the terminal echoes.
const typed = `zmodload zsh/zpty || exit 1
zpty shell "$1"
zpty -w shell "$2; cellserver() { printf 'GOT<%s>''EN''D\n' \"\$*\"; }; echo 'REA''DY'"
zpty -r shell out '*READY*'
zpty -w shell "$3"
zpty -r shell out '*>END*'
print -r -- "$out"
zpty -d shell`

// TestTheTabKey: a person presses it in both shells.
func TestTheTabKey(t *testing.T) {
	for shell, setup := range map[string][2]string{
		"bash": {"bash --norc --noprofile -i", "source %s"},
		"zsh":  {"zsh -f -i", "autoload -U compinit; compinit -D; source %s"},
	} {
		path := script(t, shell)
		for line, want := range map[string]string{
			"cellserver doct\t":                                     "doctor",
			"cellserver check-r\t/no/file":                          "check-rules /no/file",
			"cellserver --requirep\tx":                              "--requirepass x",
			"cellserver --appendonly y\t":                           "--appendonly yes",
			"cellserver --appendfsync=alw\t":                        "--appendfsync=always",
			"cellserver doctor --cac\t" + path[:len(path)-4] + "\t": "doctor --cacert " + path,
		} {
			ctx, cancel := context.WithTimeout(t.Context(), timeout)
			defer cancel()
			begin := fmt.Sprintf(setup[1], path)
			typist := exec.CommandContext(ctx, "zsh", "-f", "-c", typed, "zsh", setup[0], begin, line)
			out, err := typist.CombinedOutput()
			require.NoError(t, err, string(out))
			require.Regexp(t, "GOT<"+regexp.QuoteMeta(want)+" ?>END", string(out), "%s: %s", shell, line)
		}
	}
}
