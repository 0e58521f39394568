package wronginputs

import (
	"bytes"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/pem"
	"fmt"
	"io/fs"
	"math/big"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"cellserver/internal/buildtest"
	"cellserver/internal/porttest"
	"cellserver/internal/processtest"
	"cellserver/resp/resptest"

	"github.com/stretchr/testify/require"
)

const patience = processtest.Patience

var binary string

func TestMain(m *testing.M) {
	os.Exit(buildtest.Run(m, buildtest.Program{Package: buildtest.Server, Path: &binary}))
}

// row is one wrong input.
type row struct {
	input string // for people
	wrong string // the answer repeats it
	hint  string // the answer has this next step
}

// judge says how an answer falls short of a row, "" if it does not.
func (r row) judge(answer string) string {
	var short []string
	if !strings.Contains(answer, r.wrong) {
		short = append(short, "does not repeat "+r.wrong)
	}
	if !strings.Contains(answer, r.hint) {
		short = append(short, "does not say "+r.hint)
	}
	return strings.Join(short, ", and ")
}

// check fails the test if an answer falls short.
func (r row) check(t *testing.T, answer string) {
	t.Helper()
	if short := r.judge(answer); short != "" {
		t.Errorf("%s: the answer %s:\n\t%s", r.input, short, answer)
	}
}

// place is a new directory with files. A name that ends with a slash is a directory. The text "rights:0"
// makes an empty file that its owner cannot read.
func place(t *testing.T, files map[string]string) string {
	t.Helper()
	dir := t.TempDir()
	for name, text := range files {
		path := filepath.Join(dir, name)
		require.NoError(t, os.MkdirAll(filepath.Dir(path), 0o755))
		switch {
		case strings.HasSuffix(name, "/"):
			mode := fs.FileMode(0o755)
			if text == locked {
				mode = 0
			}
			require.NoError(t, os.MkdirAll(path, 0o755))
			require.NoError(t, os.Chmod(path, mode))
		case text == locked:
			require.NoError(t, os.WriteFile(path, nil, 0o600))
			require.NoError(t, os.Chmod(path, 0))
		default:
			require.NoError(t, os.WriteFile(path, []byte(text), 0o644))
		}
	}
	return dir
}

// locked is the text of a file or a directory without any rights.
const locked = "\x00locked"

// contents returns the names, sizes and texts below a directory.
func contents(t *testing.T, dir string) map[string]string {
	t.Helper()
	all := map[string]string{}
	require.NoError(t, filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.Name() == "LOCK" { // the lock is no data
			return err
		}
		name, _ := filepath.Rel(dir, path)
		if all[name] = d.Type().String(); d.Type().IsRegular() {
			text, _ := os.ReadFile(path)
			all[name] += string(text)
		}
		return nil
	}))
	return all
}

// run runs the program in a directory to its end. unprivileged takes the rights of root away.
func run(t *testing.T, dir string, env []string, unprivileged bool, args ...string) (output string, code int) {
	t.Helper()
	cmd := exec.Command(binary, args...)
	var out bytes.Buffer
	cmd.Dir, cmd.Env, cmd.Stdout, cmd.Stderr = dir, append(os.Environ(), env...), &out, &out
	cmd.SysProcAttr = &syscall.SysProcAttr{Pdeathsig: syscall.SIGKILL}
	if unprivileged && os.Getuid() == 0 {
		const nobody = 65534
		require.NoError(t, os.Chmod(filepath.Dir(binary), 0o755))
		for path := dir; path != "/" && path != os.TempDir(); path = filepath.Dir(path) {
			require.NoError(t, os.Chmod(path, 0o755))
		}
		cmd.SysProcAttr.Credential = &syscall.Credential{Uid: nobody, Gid: nobody}
	}
	require.NoError(t, cmd.Start())
	timer := time.AfterFunc(patience, func() { cmd.Process.Kill() })
	defer timer.Stop()
	_ = cmd.Wait() // the exit code says more
	return out.String(), cmd.ProcessState.ExitCode()
}

// serve starts a server and returns a client of it, and the address of its HTTP port.
func serve(t *testing.T) (c *resptest.Client, http string) {
	t.Helper()
	port, web := porttest.Free(t), porttest.Free(t)
	cmd := exec.Command(binary, "--port", fmt.Sprint(port), "--http-port", fmt.Sprint(web), "--http-page", "write",
		"--dir", t.TempDir(), "--enable-protected-configs", "yes")
	addr := fmt.Sprintf("127.0.0.1:%d", port)
	processtest.Start(t, cmd).AwaitData(addr)
	return resptest.Dial(t, addr), fmt.Sprintf("http://127.0.0.1:%d", web)
}

// state returns all that a wrong request must not change.
func state(c *resptest.Client) string {
	var all []any
	for _, command := range []string{"DBSIZE", "CL.RULE LIST", "ACL LIST", "CONFIG GET *", "PUBSUB CHANNELS"} {
		var words []any
		for _, w := range strings.Fields(command) {
			words = append(words, w)
		}
		all = append(all, c.Do(words...))
	}
	return fmt.Sprintf("%q", all)
}

// certificate returns a new certificate and its key in PEM.
func certificate(t *testing.T) (crt, key string) {
	t.Helper()
	secret, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	require.NoError(t, err)
	template := &x509.Certificate{
		SerialNumber: big.NewInt(1), Subject: pkix.Name{CommonName: "test"},
		NotBefore: time.Now().Add(-time.Hour), NotAfter: time.Now().Add(time.Hour),
	}
	der, err := x509.CreateCertificate(rand.Reader, template, template, &secret.PublicKey, secret)
	require.NoError(t, err)
	der8, err := x509.MarshalPKCS8PrivateKey(secret)
	require.NoError(t, err)
	return string(pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: der})),
		string(pem.EncodeToMemory(&pem.Block{Type: "PRIVATE KEY", Bytes: der8}))
}
