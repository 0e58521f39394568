package main

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"syscall"
	"testing"

	"cellserver/internal/porttest"

	"github.com/stretchr/testify/require"
)

// shellOf returns the commands of a section of a page.
func shellOf(t *testing.T, page, section string) string {
	text, err := os.ReadFile("../../docs/" + page)
	require.NoError(t, err)
	_, rest, found := strings.Cut(string(text), "\n## "+section+"\n")
	require.True(t, found, section)
	rest, _, _ = strings.Cut(rest, "\n## ")
	var all []string
	for _, block := range regexp.MustCompile("(?s)```sh\n(.*?)```").FindAllStringSubmatch(rest, -1) {
		all = append(all, block[1])
	}
	return strings.Join(all, "\n")
}

// TestFromOneNodeToThree runs the commands of the page, with this program, other ports and another directory. The key of the
// single server is in the cluster. Before the import, the start with cluster-nodes is refused and changes nothing.
func TestFromOneNodeToThree(t *testing.T) {
	commands := shellOf(t, "cluster.md", "From one node to three")
	dir := t.TempDir()
	replace := []string{"cellserver --", os.Args[0] + " --", "cellserver import", os.Args[0] + " import", "/tmp/cells", dir}
	for _, port := range []string{"7001", "7002", "7003"} {
		replace = append(replace, port, fmt.Sprint(porttest.Free(t)))
	}
	commands = strings.NewReplacer(replace...).Replace(commands)
	// A slow machine may need more time than a reader. Each command that the page sends after a pause comes again until its reply.
	commands = regexp.MustCompile(`(?m)^ *sleep \d+\n *(redis-cli .*)`).ReplaceAllString(commands,
		"for i in $$(seq 300); do reply=$$($1); echo \"$$reply\"; echo \"$$reply\" | grep -q ^16$$ && break; sleep 0.2; done")
	single, rest, found := strings.Cut(commands, os.Args[0]+" import")
	require.True(t, found)
	rest = os.Args[0] + " import" + rest
	start, _, found := strings.Cut(rest, "\n")
	require.True(t, found)

	shell(t, single+"\nwait") // until the server has ended
	before := tree(t, dir)
	refused := shell(t, strings.Replace(start, " import", "", 1)+" 2>&1 || true")
	require.Contains(t, refused, "appendonlydir would be ignored; nothing was changed")
	require.Contains(t, refused, "run cellserver --cluster-import")
	require.Equal(t, before, tree(t, dir))
	out := shell(t, rest)
	require.Contains(t, out, "imported 1 keys")
	require.Regexp(t, `(?m)^0\n16\n15\n-1\n[0-9]+\n`, out, "the action of the single server counts")
	require.DirExists(t, filepath.Join(dir, "1/appendonlydir.imported"))
}

// shell runs commands, and then ends everything that they have started.
func shell(t *testing.T, commands string) string {
	cmd := exec.Command("sh", "-c", commands)
	cmd.Dir = t.TempDir()
	cmd.Env = append(os.Environ(), runAsProgram+"=1")
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	log, err := os.Create(filepath.Join(cmd.Dir, "out"))
	require.NoError(t, err)
	defer log.Close()
	cmd.Stdout, cmd.Stderr = log, log
	err = cmd.Run()
	syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL)
	text, readErr := os.ReadFile(log.Name())
	require.NoError(t, readErr)
	require.NoError(t, err, string(text))
	return string(text)
}

// tree returns all names and contents in a directory.
func tree(t *testing.T, dir string) map[string]string {
	all := map[string]string{}
	require.NoError(t, filepath.WalkDir(dir, func(path string, d os.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		text, err := os.ReadFile(path)
		all[path] = string(text)
		return err
	}))
	return all
}
