package wronginputs

import (
	"fmt"
	"net"
	"strings"
	"testing"

	"cellserver/internal/porttest"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// begun is a start of the program: the arguments, the environment and the files that it finds. USED is a port
// that another program listens on, and FREE one that nobody uses.
type begun struct {
	args         string
	env          string
	files        map[string]string
	unprivileged bool
	wrong, hint  string
}

// starts are wrong starts. Each one ends with the code 1 and one line.
var starts = []begun{
	// Flags.
	{args: "--prot 1", wrong: "'prot'", hint: "did you mean 'port'?"},
	{args: "--port abc", wrong: "abc", hint: "port"},
	{args: "--port 70000", wrong: "70000", hint: "between 0 and 65535"},
	{args: "--port -1", wrong: "-1", hint: "between 0 and 65535"},
	{args: "--port", wrong: "port: wrong number of arguments", hint: "integer 0…65535"},
	{args: "--port 1 2", wrong: "\"1 2\"", hint: "integer 0…65535"},
	{args: "-port 1", wrong: "'-port'", hint: "write --name value"},
	{args: "port 1", wrong: "'1'", hint: "a configuration file first"},
	{args: "--maxmemory 10xb", wrong: "10xb", hint: "memory such as 64mb"},
	{args: "--appendfsync sometimes", wrong: "sometimes", hint: "everysec, always, no"},
	{args: "--appendonly maybe", wrong: "maybe", hint: "yes, no"},
	{args: "--loglevel loud", wrong: "loud", hint: "debug, verbose, notice, warning"},
	{args: "--maxmemory-policy lru", wrong: "lru", hint: "allkeys-lru"},
	{args: "--databases 0", wrong: "0", hint: "between 1 and"},
	{args: "--save 900", wrong: "900", hint: "seconds"},
	{args: "--timeout -1", wrong: "-1", hint: "between 0 and"},
	{args: "--hz x", wrong: "\"x\"", hint: "hz"},
	{args: "--unixsocketperm 9", wrong: "9", hint: "octal"},
	{args: "--auth-fail-limit x", wrong: "\"x\"", hint: "auth-fail-limit"},
	{args: "--notify-keyspace-events Q", wrong: "Q", hint: "notify-keyspace-events"},
	{args: "--client-output-buffer-limit big 1 1 1", wrong: "big", hint: "normal, replica or pubsub"},
	{args: "--tls-port FREE", wrong: "tls-port", hint: "tls-cert-file and tls-key-file"},
	{args: "--port FREE --tls-port FREE --tls-cert-file a --tls-key-file b", wrong: "both FREE", hint: "choose another port"},
	{args: "--port 0", wrong: "port", hint: "set port, tls-port or unixsocket"},
	{args: "--http-port FREE --http-bind 0.0.0.0", wrong: "http-bind", hint: "set http-token"},
	{args: "--http-tls-port FREE", wrong: "http-tls-port", hint: "tls-cert-file and tls-key-file"},
	{args: "--metrics-tls-port FREE --tls-cert-file a --tls-key-file b",
		wrong: "tls-auth-clients yes", hint: "tls-ca-cert-file"},
	{args: "--http-page maybe", wrong: "maybe", hint: "no, read, write"},
	{args: "--rules-file a.yaml --rules-url http://127.0.0.1/x", wrong: "rules-file and rules-url", hint: "remove one of them"},
	{args: "--rules-url ftp://x/y", wrong: "ftp://x/y", hint: "http"},
	{args: "--dir none", wrong: "none", hint: "create it"},
	{args: "--dir f", files: map[string]string{"f": "x"}, wrong: "dir f", hint: "choose another dir"},
	{args: "--logfile no/such.log", wrong: "no/such.log", hint: "choose another logfile"},
	{args: "--unixsocket no/such.sock", wrong: "no/such.sock", hint: "--unixsocket"},
	{args: "--bind 192.0.2.1", wrong: "192.0.2.1", hint: "--bind"},
	{args: "--bind no..such", wrong: "no..such", hint: "--bind"},
	{args: "--cluster-nodes a", wrong: "\"a\"", hint: "host:port"},
	{args: "--cluster-node-timeout 1", wrong: "1", hint: "between 100 and"},
	{args: "--metrics-bind 192.0.2.1 --metrics-port FREE", wrong: "192.0.2.1", hint: "--metrics-bind"},
	{args: "--port USED", wrong: "USED", hint: "choose another port with --port"},
	{args: "--http-port USED", wrong: "USED", hint: "choose another port with --http-port"},
	{args: "--metrics-port USED", wrong: "USED", hint: "choose another port with --metrics-port"},

	// Configuration files.
	{args: "no.conf", wrong: "no.conf", hint: "no such file or directory"},
	{args: "d", files: map[string]string{"d/": ""}, wrong: "'d'", hint: "is a directory"},
	{args: "c", files: map[string]string{"c": "\nprot 1\n"}, wrong: "c:2: unknown directive 'prot'", hint: "did you mean 'port'?"},
	{args: "c", files: map[string]string{"c": "requirepass \"a\n"}, wrong: "c:1", hint: "quote"},
	{args: "c", files: map[string]string{"c": "appendonly perhaps\n"}, wrong: "\"perhaps\"", hint: "yes, no"},
	{args: "c", files: map[string]string{"c": "include no.conf\n"}, wrong: "no.conf", hint: "no such file"},
	{args: "c", files: map[string]string{"c": "rename-command FLUSHALL \"\"\n"}, wrong: "rename-command", hint: "with ACL rules"},
	{args: "c", files: map[string]string{"c": "user ann +nosuch\n"}, wrong: "+nosuch", hint: "c:1"},
	{args: "c", files: map[string]string{"c": locked}, unprivileged: true, wrong: "'c'", hint: "permission denied"},

	// The environment.
	{env: "CELLSERVER_PROT=1", wrong: "CELLSERVER_PROT", hint: "CELLSERVER_PORT"},
	{env: "CELLSERVER_PORT=abc", wrong: "\"abc\" (CELLSERVER_PORT)", hint: "0…65535"},
	{env: "CELLSERVER_APPENDONLY=perhaps", wrong: "\"perhaps\" (CELLSERVER_APPENDONLY)", hint: "yes, no"},
	{env: "CELLSERVER_SAVE=900", wrong: "CELLSERVER_SAVE", hint: "seconds"},

	// Files of directives.
	{args: "--rules-file no.yaml", wrong: "no.yaml", hint: "check the path; a relative path begins in the directory where the server was started"},
	{args: "--rules-file d", files: map[string]string{"d/": ""}, wrong: "/d", hint: "choose a regular file"},
	{args: "--rules-file e", files: map[string]string{"e": ""}, wrong: "/e:1", hint: "write `rules: {}`"},
	{args: "--dir . --rules-file r", files: map[string]string{"r": locked}, unprivileged: true, wrong: "/r", hint: "permission denied: let the user of the server read it"},
	{args: "--aclfile no.acl", wrong: "no.acl", hint: "check the path; a relative path begins in the directory where the server was started"},
	{args: "--aclfile d", files: map[string]string{"d/": ""}, wrong: "/d", hint: "choose a regular file"},
	{args: "--dir . --aclfile r", files: map[string]string{"r": locked}, unprivileged: true, wrong: "/r", hint: "permission denied: let the user of the server read it"},
	{args: "--aclfile u", files: map[string]string{"u": "ann on\n"}, wrong: "/u:1", hint: "user keyword"},
	{args: "--aclfile u", files: map[string]string{"u": "user default on\n\nuser ann on +nosuch\n"}, wrong: "/u:3", hint: "+nosuch"},
	{args: "--aclfile u", files: map[string]string{"u": "user ann on ~a\nuser ann off\n"}, wrong: "'ann'", hint: "line 2"},
	{args: tlsArgs, files: map[string]string{"key": "", "ca": ""}, wrong: "tls-cert-file", hint: "/crt: no such file or directory"},
	{args: tlsArgs, files: map[string]string{"crt": "CRT", "ca": "CRT"}, wrong: "tls-key-file", hint: "/key: no such file or directory"},
	{args: tlsArgs, files: map[string]string{"crt": "", "key": "KEY", "ca": "CRT"}, wrong: "tls-cert-file", hint: "PEM"},
	{args: tlsArgs, files: map[string]string{"crt": "CRT", "key": "OTHER", "ca": "CRT"}, wrong: "tls-key-file", hint: "does not match"},
	{args: tlsArgs, files: map[string]string{"crt": "CRT", "key": "KEY", "ca": "text"}, wrong: "tls-ca-cert-file", hint: "/ca holds no certificate"},
	{args: "--dir . " + tlsArgs, files: map[string]string{"crt": "CRT", "key": locked, "ca": "CRT"}, unprivileged: true, wrong: "tls-key-file", hint: "permission denied: let the user of the server read it"},

	// Data directories.
	{args: "--dir data --appendonly no", files: map[string]string{"data/dump.rdb": "garbage"}, wrong: "data/dump.rdb", hint: "restore the file from a good copy"},
	{args: "--dir data --appendonly no", files: map[string]string{"data/dump.rdb": "REDIS9999\xff"}, wrong: "dump.rdb", hint: "9999"},
	{args: "--dir data --appendonly no", files: map[string]string{"data/dump.rdb/": ""}, wrong: "dump.rdb", hint: "directory"},
	{args: "--dir data", files: map[string]string{"data/appendonlydir/appendonly.aof.manifest": "nonsense\n"}, wrong: "appendonly.aof.manifest", hint: "nonsense"},
	{args: "--dir data", files: map[string]string{"data/appendonlydir/appendonly.aof.manifest": "file no.aof seq 1 type i\n"}, wrong: "no.aof", hint: "restore"},
	{args: "--dir data", files: map[string]string{"data/appendonlydir": "a file"}, wrong: "appendonlydir", hint: "not a directory"},
	{args: "--dir data", files: map[string]string{"data/": locked}, unprivileged: true, wrong: "data", hint: "permission denied"},

	{args: "--appendonly yes", unprivileged: true, wrong: "cellserver-data", hint: "permission denied: choose another dir with --dir"},

	// What the program does in the place of a server.
	{args: "--check-rules", wrong: "check-rules needs FILE", hint: "cellserver check-rules rules.yaml"},
	{args: "--check-rules no.yaml", wrong: "no.yaml", hint: "no such file or directory"},
	{args: "--doctor localhost:abc", wrong: "\"abc\"", hint: "from 1 to 65535"},
	{args: "--doctor 127.0.0.1:FREE", wrong: "127.0.0.1:FREE", hint: "check that cellserver runs there"},
	{args: "--cluster-check", wrong: "cluster-check needs HOST:PORT",
		hint: "cellserver cluster-check 127.0.0.1:6379"},
	{args: "--cluster-import", wrong: "cluster-nodes", hint: "give the directives of this node"},
	{args: "doctr 127.0.0.1:6379 --tls", wrong: "'doctr' is no command", hint: "did you mean 'doctor'?"},
	{args: "doctr", wrong: "'doctr' is no command", hint: "did you mean 'doctor'?"},
	{args: "check-config --prot 1", wrong: "'prot'", hint: "did you mean 'port'?"},
	{args: "completion fish", wrong: "'fish'", hint: "bash or zsh"},
	{args: "--ping --prot 1", wrong: "'prot'", hint: "did you mean 'port'?"},
}

// acts are what the program does in the place of a server.
var acts = map[string]bool{
	"check-config": true, "completion": true, "--check-rules": true,
	"--doctor": true, "--cluster-check": true, "--cluster-import": true, "--ping": true,
}

const tlsArgs = "--tls-port FREE --tls-cert-file crt --tls-key-file key --tls-ca-cert-file ca"

func TestStarts(t *testing.T) {
	used, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	defer used.Close()
	_, port, err := net.SplitHostPort(used.Addr().String())
	require.NoError(t, err)
	crt, key := certificate(t)
	_, other := certificate(t)
	for _, b := range starts {
		ports := strings.NewReplacer("USED", port, "FREE", fmt.Sprint(porttest.Free(t)))
		texts := map[string]string{"CRT": crt, "KEY": key, "OTHER": other}
		files := map[string]string{}
		for name, text := range b.files {
			if files[name] = text; texts[text] != "" {
				files[name] = texts[text]
			}
		}
		dir := place(t, files)
		before := contents(t, dir)
		args := strings.Fields(ports.Replace(b.args))
		if b.wrong != "port" && !strings.Contains(b.args, "--port") && !strings.Contains(b.args, "'") && !acts[strings.Fields(b.args + " x")[0]] {
			args = append(args, "--port", fmt.Sprint(porttest.Free(t))) // so that no row is wrong by the port
		}
		r := row{fmt.Sprintf("%s %s %q", b.env, b.args, b.files), ports.Replace(b.wrong), ports.Replace(b.hint)}
		var env []string
		if b.env != "" {
			env = append(env, b.env)
		}
		answer, code := run(t, dir, env, b.unprivileged, args...)
		r.check(t, answer)
		if code != 1 || strings.Count(answer, "\n") != 1 {
			t.Errorf("%s: the code is %d, and the answer has %d lines:\n%s", r.input, code, strings.Count(answer, "\n"), answer)
		}
		after := contents(t, dir)
		for _, made := range []string{"cellserver-data", "cellserver-data/http-key-secret"} { // they are no data
			delete(after, made)
		}
		assert.Equal(t, before, after, "%s: nothing has changed", r.input)
	}
}
