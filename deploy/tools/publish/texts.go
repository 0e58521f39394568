package main

import (
	"fmt"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"text/template"
)

// A textEdit replaces a pattern in some files. Each of them must have it.
type textEdit struct {
	files   []string // patterns of path.Match
	pattern string   // of lines
	becomes string   // a template over names; $1 is the first group of the pattern
}

var textEdits = []textEdit{
	{[]string{"deploy/compose*.yaml"}, `^( +image:) cellserver$`, "$1 {{.Image}}:{{.Version}}"},
	{[]string{"deploy/kubernetes*.yaml"},
		`^ +# publish-prepare names it.*\n( +image:) cellserver((?:-envoy)?)$`,
		"$1 {{.Image}}$2:{{.Version}}"},
	{[]string{"deploy/helm/cellserver/values.yaml"}, `^( +repository:) ""`, "$1 {{.Image}}"},
	{[]string{"deploy/helm/cellserver/Chart.yaml"}, `^(version: .*)$`, `$1
home: {{.Repository}}
sources: ["{{.Repository}}"]
annotations: {artifacthub.io/license: {{.License}}}`},
	{[]string{"deploy/debian/nfpm.yaml"}, `^(section: .*)$`, `$1
license: {{.License}}
homepage: {{.Repository}}`},
	{[]string{"deploy/debian/nfpm.yaml"}, `^(  - \{src: README.md,.*)$`, `$1
  - {src: LICENSE, dst: /usr/share/doc/cellserver/LICENSE, file_info: {mode: 0644}}`},
	{[]string{"deploy/build"}, `cellserver maintainers <maintainers@cellserver\.invalid>`, "{{.Contact}}"},
	{[]string{"Dockerfile", "envoy/Dockerfile"}, `^(FROM scratch)$`, `$1
LABEL org.opencontainers.image.title=cellserver \
      org.opencontainers.image.version={{.Version}} \
      org.opencontainers.image.licenses={{.License}} \
      org.opencontainers.image.source={{.Repository}}`},
	{[]string{"Dockerfile", "envoy/Dockerfile"}, `^(COPY .*/NOTICES.txt)$`, `$1
COPY --from=build /src/LICENSE /LICENSE`},
	{[]string{"clients/python/pyproject.toml"}, `^(\[project\])$`, `$1
license = "{{.License}}"
license-files = ["LICENSE"]
urls = { Source = "{{.Repository}}" }`},
	{[]string{"clients/python/pyproject.toml"}, `\z`, `
[tool.flit.module]
name = "cellserver_ratelimit"
`},
}

// editTexts makes the edits of the list.
func (t *tree) editTexts(n *names) error {
	for _, edit := range textEdits {
		becomes, err := n.fill(edit.becomes)
		if err != nil {
			return err
		}
		pattern, found := regexp.MustCompile("(?m)"+edit.pattern), 0
		err = t.rewrite(edit.selects, func(_, text string) (string, error) {
			found++
			if !pattern.MatchString(text) {
				const says = "no line has %s, so the list of edits in deploy/tools/publish is out of date"
				return "", fmt.Errorf(says, edit.pattern)
			}
			return pattern.ReplaceAllString(text, becomes), nil
		})
		if err == nil && found < len(edit.files) {
			err = fmt.Errorf("%s: there is no such file", edit.files)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

func (e textEdit) selects(file string) bool {
	return slices.ContainsFunc(e.files, func(pattern string) bool {
		selected, _ := filepath.Match(pattern, file)
		return selected
	})
}

// fill puts the names into a template.
func (n *names) fill(text string) (string, error) {
	parsed, err := template.New("names").Option("missingkey=error").Parse(text)
	if err != nil {
		return "", err
	}
	var b strings.Builder
	err = parsed.Execute(&b, n)
	return b.String(), err
}

// A page has two kinds of marked text. One is true until the names are chosen, the other is a template for
// the time after.
var (
	untilPublished = regexp.MustCompile(`(?s)<!-- until published -->\n.*?<!-- end -->\n`)
	oncePublished  = regexp.MustCompile(`(?s)<!-- once published\n(.*?)-->\n`)
)

// installs are the words of the pages that install from a folder, and the words that install from a registry.
var installs = []struct {
	folder  *regexp.Regexp
	becomes string
}{
	{regexp.MustCompile(`go mod edit -require \S*(/clients/go\S*)@\S+(?: -replace \S+)+`),
		"go get {{.Module}}$1@v{{.Version}}"},
	{regexp.MustCompile(` \.{1,2}/\S*clients/node\b`), " {{.NPM}}"},
	{regexp.MustCompile(` \.{1,2}/\S*clients/python\b`), " {{.Python}}"},
	{regexp.MustCompile(`\.\./cellserver/cellserver\b`), "cellserver"},
	{regexp.MustCompile(` beside (?:this one|the folder cellserver)\b`), ""},
	{regexp.MustCompile(` +# until the package is in a registry`), ""},
	{regexp.MustCompile(`; until the module has an address of its own`), ""},
}

// editPages removes the texts of the time before, fills the templates, and installs from the registries.
func (t *tree) editPages(n *names) error {
	changed := 0
	err := t.rewrite(isPage, func(_, before string) (string, error) {
		text := untilPublished.ReplaceAllString(before, "")
		for _, marked := range oncePublished.FindAllStringSubmatch(text, -1) {
			filled, err := n.fill(marked[1])
			if err != nil {
				return "", err
			}
			text = strings.Replace(text, marked[0], filled, 1)
		}
		for _, install := range installs {
			becomes, err := n.fill(install.becomes)
			if err != nil {
				return "", err
			}
			text = install.folder.ReplaceAllString(text, becomes)
		}
		if text != before {
			changed++
		}
		return text, nil
	})
	if err == nil && changed == 0 {
		err = fmt.Errorf("no page has a text for the time after the publication")
	}
	return err
}

func isPage(file string) bool { return filepath.Ext(file) == ".md" }

// writeLicenses writes the licence into the root, and into each package that is packed alone.
func (t *tree) writeLicenses(n *names) error {
	for _, folder := range []string{".", "clients/node", "clients/python"} {
		if err := t.write(filepath.Join(folder, "LICENSE"), string(n.licenseText)); err != nil {
			return err
		}
	}
	return nil
}

// What stands before the name of a package says in which registry it is.
var (
	npmUse = regexp.MustCompile(`((?:npm install|from|import|require\(|import\()\s*['"]?|node_modules/)` +
		oldPackage + `\b`)
	pythonUse = regexp.MustCompile(`(pip install(?: --?\S+)* ['"]?)` + oldPackage + `\b`)
	anyUse    = regexp.MustCompile(oldPackage + `\b`)
)

// editPackageNames renames the packages of npm and Python wherever a file names them.
func (t *tree) editPackageNames(n *names) error {
	err := t.rewrite(isAny, func(file, text string) (string, error) {
		switch {
		case strings.HasPrefix(file, "clients/node/"):
			return anyUse.ReplaceAllLiteralString(text, n.NPM), nil
		case strings.HasPrefix(file, "clients/python/"):
			return anyUse.ReplaceAllLiteralString(text, n.Python), nil
		}
		return pythonUse.ReplaceAllString(npmUse.ReplaceAllString(text, "${1}"+n.NPM), "${1}"+n.Python), nil
	})
	if err != nil {
		return err
	}
	if _, err := output(t.path("clients/node"), "npm", "pkg", "delete", "private"); err != nil {
		return err
	}
	_, err = output(t.path("clients/node"), "npm", "pkg", "set",
		"license="+n.License, "homepage="+n.Repository, "repository.type=git",
		"repository.url=git+"+n.Repository+".git", "repository.directory=clients/node")
	return err
}
