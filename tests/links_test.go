//go:build !race

package tests

import (
	"fmt"
	"net/url"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"unicode"

	"github.com/stretchr/testify/require"
)

var (
	relativeLink = regexp.MustCompile(`\[[^\]]*\]\(([^()\s]+)\)`)
	codeSpan     = regexp.MustCompile("`[^`]*`")
	headingTag   = regexp.MustCompile(`^#{1,6} (.*)$`)
	linkText     = regexp.MustCompile(`\[([^\]]*)\]\([^()]*\)`)
)

// TestLinks follows every relative link and anchor of [documents].
func TestLinks(t *testing.T) {
	followed := 0
	for _, p := range documents(t) {
		p.eachProse(t, func(i int, line string) {
			for _, m := range relativeLink.FindAllStringSubmatch(codeSpan.ReplaceAllString(line, "code"), -1) {
				target, err := url.Parse(m[1])
				require.NoError(t, err)
				if target.Scheme != "" {
					continue
				}
				followed++
				if err := p.resolve(t, target); err != nil {
					t.Errorf("%s:%d: the link %s: %v", p.path, i+1, m[1], err)
				}
			}
		})
	}
	require.Greater(t, followed, 300)
}

// eachProse calls do with every line of the page outside of fenced blocks.
func (p *document) eachProse(t *testing.T, do func(i int, line string)) {
	t.Helper()
	next, blocks := 0, p.blocks(t)
	for i, line := range p.lines {
		if next < len(blocks) && i == blocks[next].to {
			next++
		}
		if next == len(blocks) || i < blocks[next].from {
			do(i, line)
		}
	}
}

// resolve says why a relative link leads nowhere.
func (p *document) resolve(t *testing.T, target *url.URL) error {
	t.Helper()
	to := p
	if target.Path != "" {
		path := filepath.Join(filepath.Dir(p.path), filepath.FromSlash(target.Path))
		info, err := os.Stat(filepath.Join(root(t), path))
		if err != nil {
			return fmt.Errorf("%s does not exist", path)
		}
		if target.Fragment == "" {
			return nil
		}
		if info.IsDir() || filepath.Ext(path) != ".md" {
			return fmt.Errorf("%s has no headings", path)
		}
		to = readDocument(t, filepath.ToSlash(path))
	}
	if !to.anchors(t)[target.Fragment] {
		return fmt.Errorf("%s has no heading for #%s", to.path, target.Fragment)
	}
	return nil
}

// anchors are the fragments that GitHub makes of the page's headings.
func (p *document) anchors(t *testing.T) map[string]bool {
	t.Helper()
	all := map[string]bool{}
	p.eachProse(t, func(_ int, line string) {
		m := headingTag.FindStringSubmatch(line)
		if m == nil {
			return
		}
		name := strings.Map(func(r rune) rune {
			switch {
			case r == ' ':
				return '-'
			case r == '-' || r == '_' || unicode.IsLetter(r) || unicode.IsNumber(r):
				return unicode.ToLower(r)
			}
			return -1
		}, linkText.ReplaceAllString(m[1], "$1"))
		unique := name
		for n := 1; all[unique]; n++ {
			unique = fmt.Sprintf("%s-%d", name, n)
		}
		all[unique] = true
	})
	return all
}
