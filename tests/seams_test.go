//go:build !race

package tests

import (
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// seamParts are the headings of the paragraphs about code that exists for speed alone.
var seamParts = []string{"What it is:", "What it brings:", "What it must never do:"}

var (
	saysSpeed   = regexp.MustCompile(`\b[Ee]xists? for speed\b[^;]*?\.`) // "…; see x" refers to another seam
	hasFigure   = regexp.MustCompile(`\d|\b(half|third|quarter|fifth|sixth|tenth|twice|times)\b`)
	hasMeasured = regexp.MustCompile(`go\s+test\s+-\w|tests/bench/run|Benchmark\w+`)
)

// faultsOfSeam lists what the comment of a seam does not say. A comment without a seam has no faults.
func faultsOfSeam(comment string) (faults []string) {
	prose := strings.Join(paragraphs(comment), " ")
	if !saysSpeed.MatchString(prose) && !strings.Contains(comment, seamParts[0]) {
		return nil
	}
	at := make([]int, len(seamParts))
	for i, part := range seamParts {
		if at[i] = strings.Index(comment, part); at[i] < 0 {
			return []string{"has no " + part}
		}
	}
	brings := comment[at[1]:max(at[1], at[2])]
	if !hasFigure.MatchString(brings) {
		faults = append(faults, "has no figure after "+seamParts[1])
	}
	if !hasMeasured.MatchString(brings) {
		faults = append(faults, "has no command that measures the figure after "+seamParts[1])
	}
	return faults
}

// TestSeamsSayWhatTheyMustNeverDo holds every comment on code that exists for speed alone to three paragraphs: what the
// code is, a figure and the command that measures it, and what the code must never do.
func TestSeamsSayWhatTheyMustNeverDo(t *testing.T) {
	seams := 0
	for _, s := range sources(t) {
		for _, group := range s.file.Comments {
			for _, fault := range faultsOfSeam(group.Text()) {
				t.Errorf("%s: the comment on code that exists for speed alone %s", s.line(group), fault)
			}
			if strings.Contains(group.Text(), seamParts[0]) {
				seams++
				t.Logf("%s", s.line(group))
			}
		}
	}
	require.NotZero(t, seams)
}

func TestFaultsOfSeamsAreFound(t *testing.T) {
	const whole = "It exists for speed alone.\n\nWhat it is: a.\n\nWhat it brings: a third, by go test -bench X.\n\nWhat it must never do: b.\n"
	require.Empty(t, faultsOfSeam(whole))
	require.Empty(t, faultsOfSeam("It exists for speed alone and decides nothing; see Other.\n"))
	require.Empty(t, faultsOfSeam("A list.\n\n\tx.go  exists for speed alone\n"))
	require.Len(t, faultsOfSeam("It exists for speed alone.\n"), 1)
	require.Len(t, faultsOfSeam(strings.Replace(whole, "a third", "much", 1)), 1)
	require.Len(t, faultsOfSeam(strings.Replace(whole, "go test -bench X", "hand", 1)), 1)
	require.Len(t, faultsOfSeam(strings.Replace(whole, "What it must never do", "Never", 1)), 1)
}
