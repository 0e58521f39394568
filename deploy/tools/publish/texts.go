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
	{[]string{"deploy/compose*.yaml", "deploy/kubernetes*.yaml"}, `^( +image:) cellserver$`, "$1 {{.Image}}:{{.Version}}"},
	{[]string{"deploy/helm/cellserver/values.yaml"}, `^( +repository:) ""`, "$1 {{.Image}}"},
	{[]string{"deploy/helm/cellserver/Chart.yaml"}, `^(version: .*)$`,
		"$1\nhome: {{.Repository}}\nsources: [\"{{.Repository}}\"]\nannotations: {artifacthub.io/license: {{.License}}}"},
	{[]string{"deploy/debian/nfpm.yaml"}, `^(section: .*)$`, "$1\nlicense: {{.License}}\nhomepage: {{.Repository}}"},
	{[]string{"deploy/debian/nfpm.yaml"}, `^(  - \{src: README.md,.*)$`,
		"$1\n  - {src: LICENSE, dst: /usr/share/doc/cellserver/LICENSE, file_info: {mode: 0644}}"},
	{[]string{"deploy/build"}, `cellserver maintainers <maintainers@cellserver\.invalid>`, "{{.Contact}}"},
	{[]string{"Dockerfile"}, `^(FROM scratch)$`, "$1\nLABEL org.opencontainers.image.title=cellserver \\\n" +
		"      org.opencontainers.image.version={{.Version}} \\\n      org.opencontainers.image.licenses={{.License}} \\\n" +
		"      org.opencontainers.image.source={{.Repository}}"},
	{[]string{"Dockerfile"}, `^(COPY .*/NOTICES.txt)$`, "$1\nCOPY --from=build /src/LICENSE /LICENSE"},
	{[]string{"clients/python/pyproject.toml"}, `^(\[project\])$`,
		"$1\nlicense = \"{{.License}}\"\nlicense-files = [\"LICENSE\"]\nurls = { Source = \"{{.Repository}}\" }"},
	{[]string{"clients/python/pyproject.toml"}, `^name = "cellserver-ratelimit"$`, `name = "{{.Python}}"`},
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
				return "", fmt.Errorf("no line has %s, so the list of edits in deploy/tools/publish is out of date", edit.pattern)
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

// A page has two kinds of marked text: text that is true until the names are chosen, and a template for the time after.
var (
	untilPublished = regexp.MustCompile(`(?s)<!-- until published -->\n.*?<!-- end -->\n`)
	oncePublished  = regexp.MustCompile(`(?s)<!-- once published\n(.*?)-->\n`)
)

// editMarked removes the texts of the time before, and fills the templates.
func (t *tree) editMarked(n *names) error {
	marked := 0
	err := t.rewrite(isPage, func(_, text string) (_ string, err error) {
		text = untilPublished.ReplaceAllString(text, "")
		return oncePublished.ReplaceAllStringFunc(text, func(found string) string {
			marked++
			filled, failure := n.fill(oncePublished.FindStringSubmatch(found)[1])
			if failure != nil {
				err = failure
			}
			return filled
		}), err
	})
	if err == nil && marked == 0 {
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
	npmUse    = regexp.MustCompile(`((?:npm (?:install|i)|from|import|require\(|import\()\s*['"]?)` + oldPackage + `\b`)
	pythonUse = regexp.MustCompile(`(pip install(?: --?\S+)* ['"]?)` + oldPackage + `\b`)
	anyUse    = regexp.MustCompile(oldPackage + `\b`)
)

// editPackageNames renames the packages of npm and Python wherever a file names them.
func (t *tree) editPackageNames(n *names) error {
	err := t.rewrite(func(file string) bool { return !isTool(file) }, func(file, text string) (string, error) {
		if strings.HasPrefix(file, "clients/node/") {
			return anyUse.ReplaceAllLiteralString(text, n.NPM), nil
		}
		return pythonUse.ReplaceAllString(npmUse.ReplaceAllString(text, "${1}"+n.NPM), "${1}"+n.Python), nil
	})
	if err != nil {
		return err
	}
	if _, err := output(t.path("clients/node"), "npm", "pkg", "delete", "private"); err != nil {
		return err
	}
	_, err = output(t.path("clients/node"), "npm", "pkg", "set", "license="+n.License, "homepage="+n.Repository,
		"repository.type=git", "repository.url=git+"+n.Repository+".git", "repository.directory=clients/node")
	return err
}
