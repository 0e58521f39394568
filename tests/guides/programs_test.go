package guides

import (
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"
)

// A guide is a page with a program.
type guide struct {
	page     string // in docs/guides, and the language of its block
	file     string // has the program
	timeout  [2]string
	closed   [2]string
	language string
	// build returns the command that runs the program in dir.
	build func(t *testing.T, dir string) []string
}

// cache is the folder into which tests/clients/install installs.
const cache = "../.cache"

var guides = []guide{
	{"go", "main.go", [2]string{"250 * time.Millisecond", "5 * time.Second"}, [2]string{"withoutDecision = 0", "withoutDecision = 1"}, "go", buildGo},
	{"python", "limits.py", [2]string{"TIMEOUT = 0.25", "TIMEOUT = 5"}, [2]string{"WITHOUT_DECISION = 0", "WITHOUT_DECISION = 1"}, "python", buildPython},
	{"node", "limits.mjs", [2]string{"timeout = 250", "timeout = 5000"}, [2]string{"withoutDecision = 0", "withoutDecision = 1"}, "js", buildNode},
	{"java", "Limits.java", [2]string{"TIMEOUT = 250", "TIMEOUT = 5000"}, [2]string{"WITHOUT_DECISION = 0", "WITHOUT_DECISION = 1"}, "java", buildJava},
	{"rust", "main.rs", [2]string{"from_millis(250)", "from_secs(5)"}, [2]string{"WITHOUT_DECISION: i64 = 0", "WITHOUT_DECISION: i64 = 1"}, "rust", buildRust},
	{"php", "limits.php", [2]string{"TIMEOUT = 0.25", "TIMEOUT = 5"}, [2]string{"WITHOUT_DECISION = 0", "WITHOUT_DECISION = 1"}, "php", interpreter("php", "limits.php")},
	{"ruby", "limits.rb", [2]string{"TIMEOUT = 0.25", "TIMEOUT = 5"}, [2]string{"WITHOUT_DECISION = 0", "WITHOUT_DECISION = 1"}, "ruby", interpreter("ruby", "limits.rb")},
	{"c", "limits.c", [2]string{"TIMEOUT 250", "TIMEOUT 5000"}, [2]string{"WITHOUT_DECISION 0", "WITHOUT_DECISION 1"}, "c", buildC},
	{"shell", "limits.sh", [2]string{"timeout=0.25", "timeout=5"}, [2]string{"without_decision=0", "without_decision=1"}, "bash", interpreter("bash", "limits.sh")},
}

func interpreter(program, file string) func(*testing.T, string) []string {
	return func(t *testing.T, dir string) []string { return []string{need(t, program), filepath.Join(dir, file)} }
}

func buildPython(t *testing.T, dir string) []string {
	return []string{need(t, absolute(t, cache+"/venv/bin/python")), filepath.Join(dir, "limits.py")}
}

func buildNode(t *testing.T, dir string) []string {
	modules := absolute(t, "../clients/node_modules")
	require.NoError(t, os.Symlink(need(t, modules), filepath.Join(dir, "node_modules")))
	return []string{need(t, "node"), filepath.Join(dir, "limits.mjs")}
}

func buildGo(t *testing.T, dir string) []string {
	for _, name := range []string{"go.mod", "go.sum"} {
		text, err := os.ReadFile("../clients/go/" + name)
		require.NoError(t, err)
		require.NoError(t, os.WriteFile(filepath.Join(dir, name), text, 0o600))
	}
	compile(t, dir, "go", "build", "-o", "limits", ".")
	return []string{filepath.Join(dir, "limits")}
}

func buildJava(t *testing.T, dir string) []string {
	path := need(t, absolute(t, cache+"/java/lib")) + "/*"
	compile(t, dir, need(t, "javac"), "-cp", path, "Limits.java")
	return []string{need(t, "java"), "-XX:TieredStopAtLevel=1", "-cp", path + ":" + dir, "Limits"}
}

func buildC(t *testing.T, dir string) []string {
	compile(t, dir, need(t, "cc"), "-std=c99", "-Wall", "-Wextra", "-Werror", "-o", "limits", "limits.c", "-lhiredis")
	return []string{filepath.Join(dir, "limits")}
}

// buildRust keeps the compiled libraries, because they take most of the time.
func buildRust(t *testing.T, dir string) []string {
	kept := absolute(t, cache+"/guides-rust")
	require.NoError(t, os.MkdirAll(filepath.Join(dir, "src"), 0o700))
	require.NoError(t, os.Rename(filepath.Join(dir, "main.rs"), filepath.Join(dir, "src/main.rs")))
	for _, name := range []string{"Cargo.toml", "Cargo.lock"} {
		text, err := os.ReadFile("rust/" + name)
		require.NoError(t, err)
		require.NoError(t, os.WriteFile(filepath.Join(dir, name), text, 0o600))
	}
	compile(t, dir, need(t, "cargo"), "build", "--quiet", "--locked", "--target-dir", kept)
	require.NoError(t, os.Rename(filepath.Join(kept, "debug/limits"), filepath.Join(dir, "limits")))
	return []string{filepath.Join(dir, "limits")}
}

func compile(t *testing.T, dir, program string, args ...string) {
	t.Helper()
	run := exec.CommandContext(t.Context(), program, args...)
	run.Dir = dir
	out, err := run.CombinedOutput()
	require.NoError(t, err, string(out))
}

// need returns the path of a program or of a folder of libraries.
func need(t *testing.T, name string) string {
	t.Helper()
	path, err := name, error(nil)
	if filepath.IsAbs(name) {
		_, err = os.Stat(name)
	} else {
		path, err = exec.LookPath(name)
	}
	if err != nil {
		require.Empty(t, os.Getenv("CELLSERVER_NO_SKIP"), "%s is missing: tests/run install guides", name)
		t.Skipf("%s is missing: tests/run install guides", name)
	}
	return path
}

func absolute(t *testing.T, path string) string {
	t.Helper()
	path, err := filepath.Abs(path)
	require.NoError(t, err)
	return path
}
