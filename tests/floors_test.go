//go:build !race

package tests

import (
	"path"
	"slices"
	"strings"
)

// A layout is how the files of a package use each other.
type layout struct {
	chain       []string // the longest chain of floors, from top to bottom; a floor is one file, or a circle as "a.go+b.go"
	circle      []string // the files of the largest circle
	circleLines int
}

// layout draws the graph "file A uses an identifier that file B declares". Files that use each other in a circle are one
// floor.
func (p *goPackage) layout() (l layout) {
	graph := p.fileGraph()
	groups := circles(graph)
	for _, floor := range longestChain(graph, groups) {
		l.chain = append(l.chain, strings.Join(p.baseNames(floor), "+"))
	}
	for _, group := range groups {
		lines := 0
		for _, file := range group {
			lines += p.files[file].lineCount()
		}
		if len(group) > 1 && lines > l.circleLines {
			l.circle, l.circleLines = p.baseNames(group), lines
		}
	}
	return l
}

// fileGraph lists for each file, by index, the other files that declare an identifier which the file uses. A file that
// names a field or calls a method uses the file that declares the field or the method.
func (p *goPackage) fileGraph() [][]int {
	index := map[string]int{}
	for i, f := range p.files {
		index[p.set.File(f.file.FileStart).Name()] = i
	}
	uses := make([][]int, len(p.files))
	for identifier, object := range p.info.Uses {
		if object.Pkg() != p.types || !object.Pos().IsValid() {
			continue
		}
		from, to := index[p.set.File(identifier.Pos()).Name()], index[p.set.File(object.Pos()).Name()]
		if from != to && !slices.Contains(uses[from], to) {
			uses[from] = append(uses[from], to)
		}
	}
	return uses
}

// baseNames gives the names of files without their folder, sorted.
func (p *goPackage) baseNames(files []int) (names []string) {
	for _, i := range files {
		names = append(names, path.Base(p.files[i].path))
	}
	slices.Sort(names)
	return names
}
