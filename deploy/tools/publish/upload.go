package main

import (
	"path/filepath"
	"slices"
	"strings"
)

// clientModules returns the folders of the Go modules that people fetch, besides the root. A module of tests
// is not one of them.
func (t *tree) clientModules() (folders []string) {
	for _, file := range t.files {
		folder := filepath.Dir(file)
		if isModuleFile(file) && strings.HasPrefix(file, "clients/") && t.hasCode(folder+"/") {
			folders = append(folders, folder)
		}
	}
	return folders
}

// hasCode reports whether a folder or one below it has Go code that is not a test.
func (t *tree) hasCode(folder string) bool {
	return slices.ContainsFunc(t.files, func(file string) bool {
		isCode := filepath.Ext(file) == ".go" && !strings.HasSuffix(file, "_test.go")
		return isCode && strings.HasPrefix(file, folder)
	})
}

// uploads returns the commands that publish. The names have no character that means something to a shell.
func (n *names) uploads(modules []string) string {
	tags := "v" + n.Version
	for _, folder := range modules {
		tags += " " + folder + "/v" + n.Version
	}
	version := n.Version
	packed := "/tmp/cellserver-" + version + ".tgz"
	const build = "docker buildx build --platform linux/amd64,linux/arm64 --tag "
	return `All modules build, and the changes are staged. Read them with: git diff --cached

Then publish:
  git commit -m 'The names under which it is published'
  for tag in ` + tags + `; do git tag "$tag"; done
  git push ` + n.Repository + `.git HEAD ` + tags + `
  ` + build + n.Image + ":" + version + ` --push .
  ` + build + n.Image + "-envoy:" + version + ` --push --file envoy/Dockerfile .
  (cd clients/node && npm publish --access public)
  python3 -m build --outdir /tmp/python clients/python && twine upload /tmp/python/*
  helm package deploy/helm/cellserver --destination /tmp
  helm push ` + packed + ` oci://` + n.Registry + `/helm
  deploy/build /tmp/release    # the files of a release page
`
}
