//go:build theirs

package realtest

import (
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// whole is a file with all keys, a line for each.
const whole = `domain: shop
descriptors:
  - key: user
    value: ann
    detailed_metric: true
    rate_limit:
      unit: minute
      requests_per_unit: 5
      name: ann
      replaces:
        - name: other
  - key: path
    value: /api/*
    share_threshold: true
    shadow_mode: true
    quota_mode: false
    value_to_metric: true
    rate_limit:
      unlimited: true
    descriptors:
      - key: method
        rate_limit:
          unit: HOUR
          requests_per_unit: 10
`

// words stand in place of values.
var words = []string{
	"", "''", "x", "5", "-1", "4294967296", "1.5", "1e3", "true", "True", "yes", "null", "~", "[]", "{}", "[x]", "{x: y}", "[{key: a}]",
	"0x10", "0o17", "017", "1_000", "*a", "&a x", "!!str 5", "!!int x", "!!binary aGk=", ".inf",
	".nan", "\"unclosed", "'unclosed", "a: b", "- x", "@x", "%x", "`x`", "? x", "| ", "unknown", "week", "Year", "MONTH", "\tx", "<<",
	"18446744073709551616", "9223372036854775807", "9223372036854775808", "-9223372036854775809", "0b11", "+5", "12:30:45", "é", "\x00", "\xff",
	"{5: x}", "{true: x}", "[[a]]", "[null]", "\"\\x41\"", "shop", "/api/*", "other", "ann",
}

// brokenFiles are files with one fault each, or none.
func brokenFiles(random *rand.Rand) []string {
	files := []string{
		"", "\n", "#", "x", "5", "[]", "- domain: x", "null", "domain:", "domain: ''", "---\n---\n", "domain: a\n---\ndomain: b",
		"domain: a\n<<: {domain: b}", "{domain: a, <<: {ttl: 5}}", "domain: {}", "domain: []", "domain: 5", "domain: true", "domain: 1.5", "\ufeffdomain: a",
		"domain: a\ndescriptors: null", "domain: a\ndescriptors: {key: a}", "domain: a\ndescriptors: x", "domain: a\nkey: b\nunit: c", "domain: a\n5: b",
		"domain: a\ntrue: b", "domain: a\n? [x]\n: y", "domain: a\nnull: b", "domain: a\n1.5: b", "a: &a [*a]", "a: &a {b: *a}",
		"domain: a\ndescriptors: [{key: b, descriptors: [{key: c}, {key: c}]}]", "domain: a\ndescriptors: [{key: b, value: c}, {key: b_c}]",
		"domain: a\ndescriptors: [{key: 'b*', share_threshold: true}]", "domain: a\ndescriptors: [{key: b, share_threshold: true}]",
		"domain: a\ndescriptors: [{key: b, value: 'x', share_threshold: true, rate_limit: {unit: day}}]", "domain: a\r\ndescriptors: []\r\n",
		"domain: a\ndescriptors: [{key: b, rate_limit: {}}]", "domain: a\ndescriptors: [{key: b, rate_limit: null}]",
		"domain: a\ndescriptors: [{key: b, rate_limit: {unit: day, replaces: [{}]}}]", "domain: a\ndescriptors: [{key: b, rate_limit: {unit: day, replaces: [null]}}]",
		"domain: a\ndescriptors: [{key: b, rate_limit: {unit: day, name: '', replaces: [{name: ''}]}}]",
		"domain: a\ndescriptors: [{key: b, rate_limit: {unlimited: true, unit: nonsense}}]", "domain: a\ndescriptors: [{key: b, rate_limit: {unlimited: true, requests_per_unit: 5}}]",
	}
	lines := strings.Split(strings.TrimSuffix(whole, "\n"), "\n")
	for i, line := range lines {
		without := append(append([]string{}, lines[:i]...), lines[i+1:]...)
		files = append(files, strings.Join(without, "\n"))
		for _, change := range []func(string) string{
			func(s string) string { return strings.Replace(s, ":", "", 1) }, func(s string) string { return " " + s },
			func(s string) string { return strings.TrimPrefix(s, "  ") }, func(s string) string { return strings.Replace(s, "  ", "\t", 1) },
			func(s string) string { return strings.Replace(s, "e", "ee", 1) }, func(s string) string { return strings.ToUpper(s) },
		} {
			files = append(files, strings.Join(replaced(lines, i, change(line)), "\n"))
		}
		if at := strings.Index(line, ": "); at > 0 {
			for _, word := range words {
				if random.IntN(4) == 0 {
					files = append(files, strings.Join(replaced(lines, i, line[:at+2]+word), "\n"))
				}
			}
		}
	}
	return files
}

func replaced(lines []string, i int, by string) []string {
	return append(append(append([]string{}, lines[:i]...), by), lines[i+1:]...)
}

// TestTheirsOfBrokenFiles: the check of files gives the same errors.
func TestTheirsOfBrokenFiles(t *testing.T) {
	seed := uint64(time.Now().UnixNano())
	t.Logf("seed %d", seed)
	files := brokenFiles(rand.New(rand.NewPCG(seed, 0)))
	bad, differences := 0, 0
	for _, text := range files {
		dir := t.TempDir()
		path := filepath.Join(dir, "a.yaml")
		require.NoError(t, os.WriteFile(path, []byte(text), 0o600))
		want := ofVersion.ReplaceAllString(faultOf(exec.Command(theirsCheck, "-config_dir", dir)), "…")
		got := ofVersion.ReplaceAllString(faultOf(exec.Command(service, "--check-config", dir)), "…")
		if want != "" {
			bad++
		}
		if strings.Contains(got, "already defined") {
			continue // in theirs, the last of two equal keys is read
		}
		if want != got {
			if differences++; differences < 60 {
				t.Errorf("%q\ntheirs: %s\nours:   %s", text, want, got)
			}
		}
	}
	t.Logf("%d files, %d with a fault", len(files), bad)
	require.Greater(t, bad, len(files)/3)
}

// faultOf returns the error that a check prints, or "". Theirs panics because of some.
func faultOf(cmd *exec.Cmd) string {
	out, err := cmd.CombinedOutput()
	if err == nil {
		return ""
	}
	text := string(out)
	if _, rest, ok := strings.Cut(text, "error loading rate limit configs: "); ok {
		return strings.TrimSpace(rest)
	}
	_, text, _ = strings.Cut(text, "panic: ")
	text, _, _ = strings.Cut(text, "\n\ngoroutine")
	return strings.ReplaceAll(text, "\n\t", "\n")
}

// ofVersion are the words of an error that changed from their version here to the one that ours replaces: that
// parses YAML by another library, which counts lines in another way, and has more wildcards.
var ofVersion = regexp.MustCompile(`line \d+|!![a-z]+|\([a-z ]+'\*'\)`)
