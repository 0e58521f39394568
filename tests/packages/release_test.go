package packages

import (
	"debug/buildinfo"
	"debug/elf"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/CycloneDX/cyclonedx-go"
	"github.com/santhosh-tekuri/jsonschema/v6"
	"github.com/stretchr/testify/require"
)

// released returns the files of the release that have an ending, without their folder.
func released(t *testing.T, ending string) (names []string) {
	t.Helper()
	dir := os.Getenv("RELEASE")
	require.NotEmpty(t, dir, "run tests/packages/run: it builds the release")
	paths, err := filepath.Glob(filepath.Join(dir, "*"+ending))
	require.NoError(t, err)
	require.NotEmpty(t, paths)
	return paths
}

// TestTwoBuildsAreEqual: the second one was compiled again, in another folder.
func TestTwoBuildsAreEqual(t *testing.T) {
	first, err := os.ReadFile(released(t, "SHA256SUMS")[0])
	require.NoError(t, err)
	second, err := os.ReadFile(filepath.Join(os.Getenv("AGAIN"), "SHA256SUMS"))
	require.NoError(t, err)
	require.Equal(t, string(first), string(second))
	require.GreaterOrEqual(t, strings.Count(string(first), "\n"), 3)
	check := exec.Command("sha256sum", "--check", "--strict", "--quiet", "SHA256SUMS")
	check.Dir = os.Getenv("RELEASE")
	out, err := check.CombinedOutput()
	require.NoError(t, err, string(out))
}

// TestProgramsAreStatic: a program for Linux needs no interpreter and no libraries. No program names a folder of its builder.
func TestProgramsAreStatic(t *testing.T) {
	for _, list := range released(t, ".cdx.json") {
		program := strings.TrimSuffix(list, ".cdx.json")
		text, err := os.ReadFile(program)
		require.NoError(t, err)
		top, err := filepath.Abs("../..")
		require.NoError(t, err)
		require.NotContains(t, string(text), top)
		if !strings.Contains(program, "-linux-") {
			continue
		}
		file, err := elf.Open(program)
		require.NoError(t, err)
		defer file.Close()
		require.Nil(t, file.Section(".interp"))
		libraries, err := file.ImportedLibraries()
		require.NoError(t, err)
		require.Empty(t, libraries)
	}
}

// TestListsOfComponents: a list follows the schema of CycloneDX, and has all modules of its program.
func TestListsOfComponents(t *testing.T) {
	module, err := exec.Command("go", "list", "-m", "-f", "{{.Dir}}", "github.com/CycloneDX/cyclonedx-go").Output()
	require.NoError(t, err)
	schema := schemaOf(t, filepath.Join(strings.TrimSpace(string(module)), "schema"))
	for _, path := range released(t, ".cdx.json") {
		file, err := os.Open(path)
		require.NoError(t, err)
		defer file.Close()
		document, err := jsonschema.UnmarshalJSON(file)
		require.NoError(t, err)
		require.NoError(t, schema.Validate(document))

		_, err = file.Seek(0, 0)
		require.NoError(t, err)
		var list cyclonedx.BOM
		require.NoError(t, cyclonedx.NewBOMDecoder(file, cyclonedx.BOMFileFormatJSON).Decode(&list))
		info, err := buildinfo.ReadFile(strings.TrimSuffix(path, ".cdx.json"))
		require.NoError(t, err)
		listed := map[string]string{}
		for _, c := range *list.Components {
			listed[c.Name] = c.Version
		}
		require.Equal(t, info.GoVersion, "go"+listed["std"])
		require.Len(t, listed, len(info.Deps)+1)
		for _, m := range info.Deps {
			require.Equal(t, m.Version, listed[m.Path], m.Path)
		}
	}
}

// schemaOf compiles the schema of CycloneDX, which uses two others of the same folder.
func schemaOf(t *testing.T, dir string) *jsonschema.Schema {
	t.Helper()
	const at = "http://cyclonedx.org/schema/"
	compiler := jsonschema.NewCompiler()
	for name, pattern := range map[string]string{"bom-1.6": "bom-1.6.schema.json", "spdx": "spdx.schema.json", "jsf-0.82": "jsf-0.82.schema*.json"} {
		paths, err := filepath.Glob(filepath.Join(dir, pattern))
		require.NoError(t, err)
		require.Len(t, paths, 1)
		file, err := os.Open(paths[0])
		require.NoError(t, err)
		defer file.Close()
		document, err := jsonschema.UnmarshalJSON(file)
		require.NoError(t, err)
		require.NoError(t, compiler.AddResource(at+name+".schema.json", document))
	}
	schema, err := compiler.Compile(at + "bom-1.6.schema.json")
	require.NoError(t, err)
	return schema
}

// TestContentsOfThePackage: the package has the program of the release.
func TestContentsOfThePackage(t *testing.T) {
	for _, path := range released(t, ".deb") {
		dir := t.TempDir()
		out, err := exec.Command("dpkg-deb", "--extract", path, dir).CombinedOutput()
		require.NoError(t, err, string(out))
		architecture, err := exec.Command("dpkg-deb", "--field", path, "Architecture").Output()
		require.NoError(t, err)
		program, err := filepath.Glob(filepath.Join(os.Getenv("RELEASE"), "*-linux-"+strings.TrimSpace(string(architecture))))
		require.NoError(t, err)
		require.Len(t, program, 1)
		want, err := os.ReadFile(program[0])
		require.NoError(t, err)
		got, err := os.ReadFile(filepath.Join(dir, "usr/bin/cellserver"))
		require.NoError(t, err)
		require.True(t, string(want) == string(got))
		for _, name := range []string{"etc/cellserver/cellserver.conf", "usr/lib/systemd/system/cellserver.service",
			"usr/lib/systemd/system/cellserver.socket", "usr/share/doc/cellserver/copyright"} {
			require.FileExists(t, filepath.Join(dir, name))
		}
	}
}
