package main

import (
	"fmt"
	"net"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"cellserver/internal/certtest"
	"cellserver/internal/config"
	"cellserver/internal/porttest"

	"github.com/stretchr/testify/require"
)

// TestWordsAndOptionsAreOne: a sub-command does the same as the option with its name.
func TestWordsAndOptionsAreOne(t *testing.T) {
	file := filepath.Join(t.TempDir(), "rules.yaml")
	write(t, file, "rules:\n  api:\n    limits: CL.WINDOW 5 60\n")
	nobody := fmt.Sprint(porttest.Free(t))
	for _, args := range [][]string{
		{"version"}, {"licenses"}, {"help"}, {"check-rules", file}, {"check-rules"},
		{"check-rules", file, "more"},
		{"ping", "--port", nobody}, {"doctor", "--port", nobody}, {"doctor", "localhost:x"},
		{"cluster-check"},
		{"cluster-recover", "--prot", "1"}, {"check-config", "--prot", "1"}, {"doctor", "--help"}, {"import"},
		{"cluster-import"}, {"completion", "bash"}, {"completion", "fish"},
	} {
		out, errs, code := runToEnd(t, "", args...)
		out2, errs2, code2 := runToEnd(t, "", append([]string{"--" + args[0]}, args[1:]...)...)
		require.Equal(t, []any{out, errs, code}, []any{out2, errs2, code2}, args)
		require.Equal(t, code == 0, errs == "", args)
		require.LessOrEqual(t, strings.Count(errs, "\n"), 1, args)
	}
}

// TestHelpBeginsWithTheCommands, explains each one, and has no Markdown.
func TestHelpBeginsWithTheCommands(t *testing.T) {
	text, _, _ := runToEnd(t, "", "--help")
	first := strings.Join(strings.SplitAfterN(text, "\n", 25)[:24], "")
	for _, s := range subcommands() {
		require.Contains(t, first, "\n  "+s.name)
		out, errs, code := runToEnd(t, "", "help", s.name)
		require.Equal(t, []any{s.help(), "", 0}, []any{out, errs, code})
		require.Contains(t, out, "Exit codes: 0 after")
		for _, o := range s.options {
			require.Contains(t, out, "\n  "+o.name)
		}
		require.NotContains(t, out+text, "](")
		require.NotContains(t, out+text, "`")
	}
	require.Contains(t, first, "Exit codes: 0 after")
	for line := range strings.Lines(first) {
		require.LessOrEqual(t, len(line), widest+1)
	}
	for _, name := range names() {
		_, taken := config.Lookup(name)
		require.False(t, taken, "the option --%s would have two meanings", name)
	}
}

// TestUnknownCommands: the error says what is near. A configuration file keeps its error.
func TestUnknownCommands(t *testing.T) {
	for want, args := range map[string][]string{
		"'doctr' is no command, and there is no configuration file 'doctr': did you mean 'doctor": {"doctr"},
		"did you mean 'check-rules'?":                        {"check-rule", "rules.yaml", "--port", "1"},
		"help: 'xyzzy' is no command: cellserver help lists": {"help", "xyzzy"},
		"'rules' is no option: write --name value":           {"port", "rules"},
		"'serve' is no command, and there is no config":      {"serve", "--port", "1"},
		"without a command the program serves":               {"start"},
		"cellserver help lists the commands":                 {"xyzzy"},
		"help: 'pnig' is no command: did you mean 'ping'?":   {"help", "pnig"},
		"can't open config file './doctr': open":             {"./doctr"},
		"can't open config file 'redis.conf': open":          {"redis.conf"},
		"--key needs FILE: cellserver doctor":                {"doctor", "--tls", "--key"},
		`version takes no "x": cellserver version`:           {"version", "x"},
		"completion needs SHELL: cellserver completion bash": {"completion"},
	} {
		out, errs, code := runToEnd(t, "", args...)
		require.Equal(t, []any{"", 1}, []any{out, code})
		require.Contains(t, errs, want)
	}
}

// TestErrorsOfAddressesSayWhatToDo: where no server answers, where a node has no directives, and where a file
// is not.
func TestErrorsOfAddressesSayWhatToDo(t *testing.T) {
	nobody := porttest.Free(t)
	for want, args := range map[string][]string{
		fmt.Sprintf("no server answers at 127.0.0.1:%d (connect: connection refused): check that", nobody): {
			"ping", "--port", fmt.Sprint(nobody)},
		fmt.Sprintf("no server answers at 127.0.0.2:%d (", nobody): {
			"doctor", fmt.Sprint(nobody), "--bind", "127.0.0.2"},
		"This is the port of 127.0.0.1:6 for other nodes: is cluster-enabled yes there?": {
			"cluster-check", "127.0.0.1:6"},
		"give the directives of this node, such as cellserver import dump.rdb --dir data": {"import"},
		"this node, such as cellserver cluster-recover --port 7001 --dir data":            {"cluster-recover"},
		"cannot import /nope: no such file or directory: name a directory":                {"import", "/nope"},
	} {
		_, errs, code := runIn(t, t.TempDir(), args...)
		require.Equal(t, 1, code, args)
		require.Contains(t, errs, want)
	}
}

// TestAConfigurationFileMayHaveAnyName, except that of a sub-command; a path has no such limit.
func TestAConfigurationFileMayHaveAnyName(t *testing.T) {
	dir := t.TempDir()
	write(t, filepath.Join(dir, "doctor"), "prot 1\n")
	write(t, filepath.Join(dir, "limits"), "prot 1\n")
	for _, name := range []string{"limits", "./doctor", filepath.Join(dir, "doctor")} {
		_, errs, _ := runIn(t, dir, name)
		require.Contains(t, errs, name+":1: unknown directive 'prot': did you mean 'port'?")
	}
}

// TestPingOverTLS: without a port that has no TLS, ping shakes hands, also if the server wants a certificate. A
// program that accepts connections and does no more is no server.
func TestPingOverTLS(t *testing.T) {
	dir, port := t.TempDir(), fmt.Sprint(porttest.Free(t))
	certtest.New(t, dir, "a")
	args := []string{
		"--port", "0", "--tls-port", port, "--tls-cert-file", filepath.Join(dir, "a.crt"),
		"--tls-key-file", filepath.Join(dir, "a.key"), "--tls-ca-cert-file", filepath.Join(dir, "a.crt"),
	}
	silent, err := net.Listen("tcp", "127.0.0.1:"+port)
	require.NoError(t, err)
	go func() {
		for nc, err := silent.Accept(); err == nil; nc, err = silent.Accept() {
			nc.Close()
		}
	}()
	_, errs, code := runToEnd(t, "", append([]string{"ping"}, args...)...)
	require.Equal(t, 1, code, errs)
	require.NoError(t, silent.Close())
	for _, auth := range []string{"yes", "optional", "no"} {
		all := append(args, "--tls-auth-clients", auth)
		cmd := program(t, all...)
		serveProgram(t, cmd)
		_, errs, code := runToEnd(t, "", append([]string{"ping"}, all...)...)
		require.Equal(t, []any{"", 0}, []any{errs, code})
		require.NoError(t, cmd.Process.Signal(os.Interrupt))
		require.Equal(t, 0, waitForExit(t, cmd))
	}
}

// TestPingOfARefusal: a server that refuses PING, or the address of ping, lives. One that loads is not ready.
func TestPingOfARefusal(t *testing.T) {
	server, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	defer server.Close()
	_, port, err := net.SplitHostPort(server.Addr().String())
	require.NoError(t, err)
	for reply, want := range map[string]int{
		"-NOPERM this user has no permissions to run the 'ping' command":     0,
		"-DENIED Redis is running in protected mode because protected mode ": 0,
		"-LOADING Redis is loading the dataset in memory":                    1,
	} {
		go func() {
			nc, err := server.Accept()
			if err == nil {
				defer nc.Close()
				nc.Read(make([]byte, 100))
				nc.Write([]byte(reply + "\r\n"))
			}
		}()
		_, errs, code := runToEnd(t, "", "ping", "--port", port)
		require.Equal(t, want, code, "%s: %s", reply, errs)
	}
}

// TestCheckConfig finds what would end a start, and changes nothing.
func TestCheckConfig(t *testing.T) {
	dir := t.TempDir()
	write(t, filepath.Join(dir, "redis.conf"), "port 6399\nactiverehashing yes\n")
	write(t, filepath.Join(dir, "bad.yaml"), "rules: 1\n")
	write(t, filepath.Join(dir, "bad.acl"), "user ann frob\n")
	before, err := os.ReadDir(dir)
	require.NoError(t, err)
	out, errs, code := runIn(t, dir, "check-config", "redis.conf", "--maxmemory", "1gb")
	require.Equal(t, []any{"", 0}, []any{errs, code})
	require.Regexp(
		t,
		regexp.MustCompile(
			`(?s)^The configuration is right\.\nwarning: redis.conf:2: .*activerehashing.*ignored\n$`,
		),
		out,
	)
	for want, args := range map[string][]string{
		"redis.con': open": {"redis.con"},
		"bad.yaml":         {"--rules-file", "bad.yaml"},
		"bad.acl:1":        {"--aclfile", "bad.acl"},
		"/no/such/dir":     {"--dir", "/no/such/dir"},
		"tls-port needs":   {"--tls-port", "6398"},
		"cluster-secret has 5 bytes": {
			"--dir", t.TempDir(), "--cluster-enabled", "yes", "--cluster-nodes", "127.0.0.1:7001", "--cluster-secret", "short",
		},
		"may not listen on 10.0.0.1": {"--dir", t.TempDir(), "--cluster-enabled", "yes", "--cluster-nodes", "10.0.0.1:7001"},
		"may not listen on 192.0.2.9": {
			"--dir", t.TempDir(), "--cluster-enabled", "yes", "--cluster-nodes", "127.0.0.1:7001", "--bind", "192.0.2.9",
		},
		"tls-cert-file and tls-": {
			"--http-tls-port", "6398", "--tls-cert-file", "a", "--tls-key-file", "b",
			"--tls-auth-clients", "no",
		},
	} {
		out, errs, code := runIn(t, dir, append([]string{"check-config"}, args...)...)
		after, err := os.ReadDir(dir)
		require.NoError(t, err)
		require.Len(t, after, len(before))
		_, started, _ := runIn(
			t,
			dir,
			append(args, "--port", fmt.Sprint(porttest.Free(t)), "--appendonly", "no", "--save", "")...)
		require.Equal(t, []any{"", 1, started}, []any{out, code, errs})
		require.Contains(t, errs, want)
	}
}
