package configload

import (
	"errors"
	"io/fs"
	"os"
	"path"
	"slices"
	"strings"
	"testing"

	"cellserver/internal/config"
	"cellserver/internal/quote"

	"github.com/stretchr/testify/require"
)

// files is a file system: the text of each file by its name.
type files map[string]string

func (f files) read(name string) ([]byte, error) {
	if text, ok := f[name]; ok {
		return []byte(text), nil
	}
	return nil, fs.ErrNotExist
}

func (f files) glob(pattern string) (found []string, err error) {
	for name := range f {
		if ok, _ := path.Match(pattern, name); ok {
			found = append(found, name)
		}
	}
	slices.Sort(found)
	return found, nil
}

func (f files) load(args, environ []string) (*config.Config, []Warning, error) {
	l := &loader{config: config.Default(), readFile: f.read, glob: f.glob}
	if err := l.load(args, environ); err != nil {
		return nil, l.warnings, err
	}
	return l.config, l.warnings, nil
}

func TestLoad(t *testing.T) {
	type want map[string]string
	conf := func(text string) files { return files{"r.conf": text} }
	stories := []struct {
		name    string
		files   files
		args    string // split as a redis.conf line is
		environ []string
		want    want
		warns   []string
		err     string
	}{
		{name: "nothing", want: want{"port": "6379", "bind": "127.0.0.1 -::1", "save": "", "enable-debug-command": "no"}},
		{name: "a byte order mark", files: conf("\ufeffport 1\n"), args: "r.conf", want: want{"port": "1"}},
		{name: "the example", files: conf("port 1\nmaxmemory 5"), args: `r.conf --port 6380 --maxmemory 1gb --save "" --bind 0.0.0.0 ::1`,
			want: want{"port": "6380", "maxmemory": "1073741824", "save": "", "bind": "0.0.0.0 ::1"}},
		{name: "later sources replace earlier ones", files: conf("port 1\ntimeout 1\nhz 11"), environ: []string{"CELLSERVER_PORT=2", "CELLSERVER_TIMEOUT=2"}, args: "r.conf --port 3",
			want: want{"port": "3", "timeout": "2", "hz": "11"}},
		{name: "standard input", files: files{"-": "port 7"}, args: "-", want: want{"port": "7"}},
		{name: "standard input last, after the file", files: files{"r.conf": "port 6\nhz 20", "-": "port 7"}, args: "r.conf --timeout 3 -",
			want: want{"port": "7", "hz": "20", "timeout": "3"}},
		{name: "comments, blanks, case, CRLF", files: conf("# port 1\r\n\r\n  PoRt   6381 \r\n\t\n"), args: "r.conf", want: want{"port": "6381"}},
		{name: "quotes", files: conf(`requirepass "a \"b\" \x41\n"` + "\nlogfile 'it''"), args: "r.conf",
			err: "r.conf:2: unbalanced quotes in configuration line"},
		{name: "quoted values", files: conf(`requirepass "a \"b\" \x41\n"`), args: "r.conf", want: want{"requirepass": "a \"b\" A\n"}},
		{name: "one word or several", args: `--port=1 "--hz 12" --bind "1.1.1.1 ::1" --requirepass --x`,
			want: want{"port": "1", "hz": "12", "bind": "1.1.1.1 ::1", "requirepass": "--x"}},
		{name: "units", args: "--maxmemory 1k", want: want{"maxmemory": "1000"}},
		{name: "maxmemory-clients in percent", args: "--maxmemory-clients 5%", want: want{"maxmemory-clients": "5%"},
			warns: []string{"command line: redis directive 'maxmemory-clients' is ignored: use client-query-buffer-limit and client-output-buffer-limit"}},

		{name: "no save points beside the log", args: "--appendonly yes", want: want{"save": ""}},
		{name: "save points without a log", args: "--appendonly no", want: want{"save": "3600 1 300 100 60 10000"}},
		{name: "save points beside the log", args: "--appendonly yes --save 60 1", want: want{"save": "60 1"}},
		{name: "a cluster has a log of its own", args: "--cluster-enabled yes --cluster-nodes a:6379 b:6379 c:6379",
			want: want{"appendonly": "no", "save": "", "cluster-nodes": "a:6379 b:6379 c:6379"}},
		{name: "a cluster in the environment", environ: []string{"CELLSERVER_CLUSTER_ENABLED=yes", "CELLSERVER_CLUSTER_NODES=a:1 b:2"}, args: "--appendonly no --save 60 1",
			want: want{"appendonly": "no", "save": "60 1", "cluster-nodes": "a:1 b:2"}},
		{name: "a cluster and the append-only file", files: conf("appendonly yes"), args: "r.conf --cluster-enabled yes --cluster-nodes a:6379",
			err: "appendonly yes cannot go with cluster-nodes: the log of the cluster has every change, so remove appendonly"},
		{name: "save adds up in a file", files: conf("save 3600 1\nsave 300 100 60 10000"), args: "r.conf",
			want: want{"save": "3600 1 300 100 60 10000"}},
		{name: "save starts anew", files: conf("save 3600 1\nsave ''\nsave 5 5"), args: "r.conf --save 60 1 --save 30 2", want: want{"save": "60 1 30 2"}},
		{name: "save of nothing", files: conf("save '3600 1'"), args: "r.conf --save --port 1", want: want{"save": "", "port": "1"}},
		{name: "bind is replaced", files: conf("bind 1.1.1.1\nbind 2.2.2.2 ::2"), args: "r.conf", want: want{"bind": "2.2.2.2 ::2"}},
		{name: "output limits by class", files: conf("client-output-buffer-limit normal 1mb 0 0\nclient-output-buffer-limit replica 2kb 1k 5"), args: "r.conf",
			want: want{"client-output-buffer-limit": "normal 1048576 0 0 slave 2048 1000 5 pubsub 33554432 8388608 60"}},

		{name: "include", files: files{"r.conf": "port 1\ninclude a.conf\nhz 30", "a.conf": "port 2\nhz 20"}, args: "r.conf", want: want{"port": "2", "hz": "30"}},
		{name: "include of a pattern", files: files{"r.conf": "include d/*.conf\ninclude none/*", "d/1.conf": "port 1", "d/2.conf": "port 2"}, args: "r.conf", want: want{"port": "2"}},
		{name: "include of nothing", files: conf("\ninclude x"), args: "r.conf", err: "r.conf:2: include: can't open config file 'x': file does not exist"},
		{name: "a fault in an included file", files: files{"r.conf": "include a", "a": "prot 1"}, args: "r.conf",
			err: "r.conf:1: include: a:1: unknown directive 'prot': did you mean 'port'?"},
		{name: "a file that includes itself", files: conf("include r.conf"), args: "r.conf", err: "include: more than 16 files deep"},
		{name: "files that include each other widely", files: conf("include [r]*\ninclude [r]*\ninclude a"), args: "r.conf", err: "more than 16 files deep"},
		{name: "a wide tree", files: files{"r.conf": strings.Repeat("include a\n", 40), "a": strings.Repeat("include b\n", 40), "b": ""}, args: "r.conf", err: "more than 1024 files"},

		{name: "one warning for each name", files: conf("io-threads 4\nio-threads 2"), args: "r.conf --io-threads 3", want: want{"io-threads": "3"},
			warns: []string{"r.conf:1: redis directive 'io-threads' is ignored: half of the processors that GOMAXPROCS allows run commands"}},
		{name: "redis-cell", files: conf("loadmodule /usr/lib/libredis_cell.so"), args: "r.conf",
			warns: []string{"r.conf:1: 'loadmodule' is not needed: CL.THROTTLE is built in"}},
		{name: "another module and its directives", files: conf("loadmodule x.so a\nsearch.timeout 5"), args: "r.conf",
			warns: []string{"r.conf:1: redis directive 'loadmodule' is ignored: this server has no modules",
				"r.conf:2: redis directive 'search.timeout' is ignored: it belongs to a module, and this server has no modules"}},
		{name: "no replica", args: "--slaveof no one", want: want{"replicaof": ""}},
		{name: "a replica", args: "--slaveof 1.2.3.4 6379", want: want{"replicaof": "1.2.3.4 6379"}},
		{name: "a replica that takes writes", args: "--replica-read-only no", warns: []string{
			"command line: redis directive 'replica-read-only' is ignored: a server that follows another one takes no writes"}},
		{name: "an old and a later Redis", files: conf("lua-replicate-commands yes\nlocale-collate ''"), args: "r.conf",
			warns: []string{"r.conf:1: redis directive 'lua-replicate-commands' does not apply here and is ignored",
				"r.conf:2: redis directive 'locale-collate' does not apply here and is ignored"}},

		{name: "nonsense", files: conf("\n\nprot 1"), args: "r.conf", err: "r.conf:3: unknown directive 'prot': did you mean 'port'?"},
		{name: "a file with equals signs", files: conf("\nport=1"), args: "r.conf", err: "r.conf:2: unknown directive 'port=1': did you mean 'port', with a space instead of '='?"},
		{name: "nonsense without a near name", files: conf("xyzzy"), args: "r.conf", err: "r.conf:1: unknown directive 'xyzzy'"},
		{name: "a bad value", files: conf("port x"), args: "r.conf", err: "r.conf:1: port: argument couldn't be parsed into an integer"},
		{name: "a bad value of an inert one", files: conf("io-threads 500"), args: "r.conf", err: "r.conf:1: io-threads: argument must be between 1 and 128 inclusive"},
		{name: "too many values", files: conf("port 1 2"), args: "r.conf", err: "r.conf:1: port: wrong number of arguments"},
		{name: "no value", args: "--port", err: "command line: port: wrong number of arguments"},
		{name: "a value that is an option", args: "--port --hz 5", err: "command line: port: wrong number of arguments"},
		{name: "no option", args: "--port 1 --hz 2 -", files: files{}, err: "can't open config file '-': file does not exist"},
		{name: "a word out of place", args: "-p 1", err: "command line: '-p' is no option: write --name value, and a configuration file first"},
		{name: "dashes alone", args: "--", err: "command line: '--' is no option"},
		{name: "a misspelt option", args: "--maxmemroy 1", err: "command line: unknown directive 'maxmemroy': did you mean 'maxmemory'?"},
		{name: "no such file", args: "r.conf", err: "can't open config file 'r.conf': file does not exist"},
		{name: "renamed commands", files: conf(`rename-command FLUSHALL ""`), args: "r.conf", err: "r.conf:1: rename-command is refused: commands keep their names here"},
		{name: "a replica in a cluster", args: "--cluster-enabled yes --replicaof 1.2.3.4 6379", err: "replicaof is for a server that is alone"},
		{name: "a user without a name", files: conf(`user`), args: "r.conf", err: "r.conf:1: user: wrong number of arguments"},
		{name: "users and an ACL file", files: conf("aclfile /x\nuser alice"), args: "r.conf", err: "aclfile and user lines exclude each other"},
		{name: "a sentinel", args: "--sentinel", err: "command line: sentinel is refused: this server has no sentinel mode"},

		{name: "environment", environ: []string{"HOME=/", "CELLSERVER_MAXMEMORY_POLICY=allkeys-lru", "CELLSERVER_BIND=* ::1", "CELLSERVER_REQUIREPASS=a b=c"},
			want: want{"maxmemory-policy": "allkeys-lru", "bind": "* ::1", "requirepass": "a b=c"}},
		{name: "environment, inert", environ: []string{"CELLSERVER_SERVER_CPULIST=0-3"}, want: want{"server_cpulist": "0-3"},
			warns: []string{"environment: redis directive 'server_cpulist' does not apply here and is ignored"}},
		{name: "environment, misspelt", environ: []string{"CELLSERVER_MAXMEMRY=1"}, err: "environment: unknown variable CELLSERVER_MAXMEMRY: did you mean CELLSERVER_MAXMEMORY?"},
		{name: "environment, unknown", environ: []string{"CELLSERVER_XYZZY=1"}, err: "environment: unknown variable CELLSERVER_XYZZY"},
		{name: "environment, bad value", environ: []string{"CELLSERVER_PORT=x"}, err: "environment: port: argument couldn't be parsed into an integer"},
		{name: "variables of others: a Kubernetes service of our name, the tests", environ: []string{"CELLSERVER_PORT=tcp://10.0.0.1:6379", "CELLSERVER_SERVICE_HOST=10.0.0.1",
			"CELLSERVER_SERVICE_PORT_RESP=6379", "CELLSERVER_NO_SKIP=1", "CELLSERVER_PORT_6379_TCP_ADDR=10.0.0.1"}, want: want{"port": "6379"}},
		{name: "variables of others: a Kubernetes service with a longer name", environ: []string{"CELLSERVER_HTTP_PORT=tcp://10.0.0.1:80", "CELLSERVER_HTTP_SERVICE_HOST=10.0.0.1",
			"CELLSERVER_HTTP_SERVICE_PORT=80", "CELLSERVER_HTTP_PORT_80_TCP=tcp://10.0.0.1:80"}, want: want{"http-port": "0"}},

		{name: "nowhere to listen", args: "--port 0", err: "configured to not listen anywhere"},
		{name: "no address to listen on", args: `--bind ""`, err: "configured to not listen anywhere"},
		{name: "a socket alone", args: "--port 0 --unixsocket /s --unixsocketperm 770", want: want{"unixsocketperm": "770"}},
		{name: "TLS without a certificate", args: "--tls-port 1", err: "tls-port needs tls-cert-file and tls-key-file"},
		{name: "TLS without authorities", args: "--tls-port 1 --tls-cert-file c --tls-key-file k", err: "tls-auth-clients yes needs tls-ca-cert-file"},
		{name: "TLS", args: "--port 0 --tls-port 1 --tls-cert-file c --tls-key-file k --tls-auth-clients no", want: want{"tls-port": "1"}},
		{name: "one port for two", args: "--tls-port 6379", err: "port and tls-port are both 6379"},
		{name: "one port for two of HTTP", args: "--tls-cert-file c --tls-key-file k --tls-auth-clients no " +
			"--http-port 7 --http-tls-port 7", err: "http-port and http-tls-port are both 7: choose another port"},
		{name: "one port for two of metrics", args: "--tls-cert-file c --tls-key-file k --tls-auth-clients no " +
			"--metrics-port 7 --metrics-tls-port 7", err: "metrics-port and metrics-tls-port are both 7"},
	}
	for _, s := range stories {
		t.Run(s.name, func(t *testing.T) {
			args, err := quote.Split(s.args)
			require.NoError(t, err)
			c, warnings, err := s.files.load(args, s.environ)
			if s.err != "" {
				require.ErrorContains(t, err, s.err)
				require.Nil(t, c)
				return
			}
			require.NoError(t, err)
			for name, value := range s.want {
				got, ok := c.Get(name)
				require.True(t, ok, name)
				require.Equal(t, value, got, name)
			}
			require.Equal(t, len(s.warns), len(warnings), "%v", warnings)
			for i, w := range s.warns {
				require.Equal(t, w, warnings[i].String())
			}
		})
	}
}

func TestHelpAndVersion(t *testing.T) {
	for arg, want := range map[string]error{"-h": ErrHelp, "--help": ErrHelp, "-v": ErrVersion, "--version": ErrVersion, "--licenses": ErrLicenses} {
		_, _, err := Load([]string{arg}, []string{"CELLSERVER_NONSENSE=1"}, files{}.read)
		require.True(t, errors.Is(err, want), arg)
	}
	for _, d := range config.Directives() {
		require.Equal(t, !d.Inert, strings.Contains(config.Usage(), "\n  --"+d.Name+" ("), d.Name)
	}
}

// A redis.conf that sets every directive to its default gives the defaults.
func TestEveryDefaultLoads(t *testing.T) {
	var text strings.Builder
	for _, d := range config.Directives() {
		text.WriteString(d.Name + " " + quote.Quote(d.Default) + "\n")
	}
	c, _, err := files{"r.conf": text.String()}.load([]string{"r.conf"}, nil)
	require.NoError(t, err)
	for _, d := range config.Directives() {
		got, _ := c.Get(d.Name)
		require.Equal(t, d.Default, got, d.Name)
	}
}

// The redis.conf of a Linux distribution loads unchanged.
func TestDistributedRedisConfLoads(t *testing.T) {
	const file = "/etc/redis/redis.conf"
	if _, err := os.ReadFile(file); err != nil {
		skip(t, "no readable redis.conf of a redis-server package: "+err.Error())
	}
	c, warnings, err := Load([]string{file, "--port", "6380"}, nil, os.ReadFile)
	require.NoError(t, err)
	require.Equal(t, 6380, c.Port)
	require.Equal(t, []string{"127.0.0.1", "-::1"}, c.Bind)
	require.True(t, slices.ContainsFunc(warnings, func(w Warning) bool {
		return w.File == file && w.Line > 0 && w.Text == ignoredText("rdbcompression", "")
	}))
}

// The lines that files of Valkey 8 and 9 and of Redis 8 have, and Redis 7.0 does not, are ignored, each with a warning.
func TestNewerConfLoads(t *testing.T) {
	lines := []string{
		"rdb-version-check relaxed", "availability-zone a", "import-mode no", "extended-redis-compatibility no",
		"dual-channel-replication-enabled no", "events-per-io-thread 2", "prefetch-batch-max-size 16",
		"cluster-manual-failover-timeout 5000", "cluster-slot-migration-log-max-len 1000", "hide-user-data-from-log yes",
		"commandlog-execution-slower-than 10000", "commandlog-large-reply-max-len 128", "lookahead 16",
		"primaryauth secret", "primaryuser replica", "server-cpulist 0-7:2", "bio-cpulist 1,3", "cluster-databases 1",
		"active-defrag-cycle-us 500", "unixsocketgroup redis",
		"replica-full-sync-buffer-limit 0", "cluster-compatibility-sample-ratio 0",
	}
	_, warnings, err := files{"valkey.conf": strings.Join(lines, "\n")}.load([]string{"valkey.conf"}, nil)
	require.NoError(t, err)
	require.Len(t, warnings, len(lines))
	for i, w := range warnings {
		name, _, _ := strings.Cut(lines[i], " ")
		require.Equal(t, ignoredText(name, ""), w.Text)
	}
	for _, format := range []string{"logfmt", "legacy"} {
		c, warnings, err := files{"valkey.conf": "log-format " + format}.load([]string{"valkey.conf"}, nil)
		require.NoError(t, err)
		require.Empty(t, warnings)
		require.Equal(t, config.LogText, c.LogFormat)
	}
}

// skip skips the test, and says why. With CELLSERVER_NO_SKIP=1 the test fails instead.
func skip(t *testing.T, why string) {
	t.Helper()
	if os.Getenv("CELLSERVER_NO_SKIP") == "1" {
		t.Fatal(why)
	}
	t.Skip(why)
}
