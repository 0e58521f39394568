package main

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
)

// A leftover is a name of the time before the publication.
type leftover struct {
	pattern *regexp.Regexp
	says    string
}

// leftovers lists what no file may say any more.
func (n *names) leftovers() []leftover {
	all := []leftover{
		{regexp.MustCompile(`["\x60\[]` + oldModule + `/(acl|clients|cluster|cmd|commands|gcra|httpapi|` +
			`envoy|internal|limiters|persistence|resp|script|server|sidecar|store|tests)/`),
			"a path of the old module"},
		{regexp.MustCompile(`image: +` + oldModule + `\s`), "an image without a registry"},
		{regexp.MustCompile(`\.invalid\b.*>|once published\n|until published -->|\.\./cellserver/clients`),
			"a mark of the time before"},
	}
	if n.NPM != oldPackage && n.Python != oldPackage {
		all = append(all, leftover{anyUse, "the old name of a package"})
	}
	return all
}

// checkNames reads all files again. The edits and this check share no list.
func (t *tree) checkNames(n *names) error {
	var found []error
	all := n.leftovers()
	err := t.rewrite(isAny, func(file, text string) (string, error) {
		for _, l := range all {
			if at := l.pattern.FindStringIndex(text); at != nil {
				line := 1 + strings.Count(text[:at[0]], "\n")
				found = append(found, fmt.Errorf("%s:%d has %s: %q", file, line, l.says, text[at[0]:at[1]]))
			}
		}
		return text, nil
	})
	return errors.Join(append(found, err, t.checkVersions(n))...)
}

// checkVersions requires that all packages have the version of the server.
func (t *tree) checkVersions(n *names) error {
	var wrong []error
	for file, line := range map[string]string{
		"clients/node/package.json":         `"version": "` + n.Version + `"`,
		"clients/python/pyproject.toml":     `version = "` + n.Version + `"`,
		"deploy/helm/cellserver/Chart.yaml": "appVersion: " + n.Version + "\n",
		"CHANGELOG.md":                      "\n## " + n.Version,
	} {
		text, err := t.read(file)
		if err == nil && !strings.Contains(text, line) {
			err = fmt.Errorf("%s does not have the version of the server: %s", file, strings.TrimSpace(line))
		}
		wrong = append(wrong, err)
	}
	return errors.Join(wrong...)
}

// checkGo finds every package that an import names, in tests, too, and builds all modules.
func (t *tree) checkGo(*names) error {
	for _, file := range t.files {
		if !isModuleFile(file) {
			continue
		}
		dir := filepath.Dir(t.path(file))
		const faults = "{{with .Error}}{{.}}{{end}}"
		missing, err := output(dir, "go", "list", "-e", "-test", "-deps", "-f", faults, "./...")
		if err == nil && strings.TrimSpace(missing) != "" {
			err = errors.New(strings.TrimSpace(missing))
		}
		if err == nil {
			_, err = output(dir, "go", "build", "-pgo=off", "-o", os.DevNull, "./...")
		}
		if err != nil {
			return fmt.Errorf("%s: %w", file, err)
		}
	}
	return nil
}

// checkClients packs the packages of Node and Python, as their uploads do. Debian has pip in a venv only.
func (t *tree) checkClients(*names) error {
	listed, err := output(t.path("clients/node"), "npm", "pack", "--dry-run", "--json", "--ignore-scripts")
	if err == nil && !strings.Contains(listed, `"LICENSE"`) {
		err = errors.New("the package of npm has no licence")
	}
	if err != nil {
		return fmt.Errorf("clients/node: %w", err)
	}
	venv := filepath.Join(t.top, "..", "venv")
	if _, err = output(t.top, "python3", "-m", "venv", venv); err == nil {
		_, err = output(t.path("clients/python"), filepath.Join(venv, "bin", "pip"),
			"wheel", "--quiet", "--no-deps", "--wheel-dir", venv, ".")
	}
	if err != nil {
		return fmt.Errorf("clients/python: %w", err)
	}
	return nil
}
