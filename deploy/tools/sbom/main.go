// Command sbom prints the list of components of a Go program in the format CycloneDX: the modules that the linker put into
// it, with their versions and their addresses as package URLs. The same program has the same list.
package main

import (
	"crypto/sha256"
	"debug/buildinfo"
	"encoding/hex"
	"fmt"
	"io"
	"os"
	"runtime/debug"
	"strconv"
	"strings"
	"time"

	"github.com/CycloneDX/cyclonedx-go"
)

func main() {
	if err := run(os.Args[1:], os.Stdout); err != nil {
		fmt.Fprintln(os.Stderr, "sbom:", err)
		os.Exit(1)
	}
}

// run prints the list of a program with a version.
func run(args []string, out io.Writer) error {
	if len(args) != 2 {
		return fmt.Errorf("usage: sbom PROGRAM VERSION")
	}
	program, err := os.ReadFile(args[0])
	if err != nil {
		return err
	}
	info, err := buildinfo.ReadFile(args[0])
	if err != nil {
		return err
	}
	bom, err := list(info, args[1], sha256.Sum256(program))
	if err != nil {
		return err
	}
	return cyclonedx.NewBOMEncoder(out, cyclonedx.BOMFileFormatJSON).SetPretty(true).EncodeVersion(bom, cyclonedx.SpecVersion1_6)
}

// list makes the list from what the linker wrote into the program.
func list(info *debug.BuildInfo, version string, sum [sha256.Size]byte) (*cyclonedx.BOM, error) {
	seconds, err := strconv.ParseInt(os.Getenv("SOURCE_DATE_EPOCH"), 10, 64)
	if err != nil {
		return nil, fmt.Errorf("SOURCE_DATE_EPOCH: %w", err)
	}
	settings := map[string]string{}
	for _, s := range info.Settings {
		settings[s.Key] = s.Value
	}
	program := component(cyclonedx.ComponentTypeApplication, info.Main.Path, version)
	program.PackageURL += "?goos=" + settings["GOOS"] + "&goarch=" + settings["GOARCH"]
	program.BOMRef = program.PackageURL
	program.Hashes = &[]cyclonedx.Hash{{Algorithm: cyclonedx.HashAlgoSHA256, Value: hex.EncodeToString(sum[:])}}

	parts := []cyclonedx.Component{component(cyclonedx.ComponentTypeLibrary, "std", strings.TrimPrefix(info.GoVersion, "go"))}
	for _, module := range info.Deps {
		if module.Replace != nil {
			module = module.Replace
		}
		parts = append(parts, component(cyclonedx.ComponentTypeLibrary, module.Path, module.Version))
	}
	refs := make([]string, len(parts))
	for i, part := range parts {
		refs[i] = part.BOMRef
	}
	bom := cyclonedx.NewBOM()
	bom.Metadata = &cyclonedx.Metadata{Timestamp: time.Unix(seconds, 0).UTC().Format(time.RFC3339), Component: &program}
	bom.Components = &parts
	bom.Dependencies = &[]cyclonedx.Dependency{{Ref: program.BOMRef, Dependencies: &refs}}
	return bom, nil
}

// component describes a Go module.
func component(kind cyclonedx.ComponentType, path, version string) cyclonedx.Component {
	url := "pkg:golang/" + path + "@" + version
	return cyclonedx.Component{Type: kind, BOMRef: url, Name: path, Version: version, PackageURL: url}
}
