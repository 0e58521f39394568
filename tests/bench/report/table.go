package report

import (
	"strings"
	"unicode/utf8"
)

// Table is a table of text. Columns of numbers are aligned to the right.
type Table struct {
	Head    []string
	Numbers int // the number of columns at the end that hold numbers
	Rows    [][]string
}

func (t *Table) Add(cells ...string) { t.Rows = append(t.Rows, cells) }

// markdown writes the table with aligned columns, so that it also reads as plain text.
func (t *Table) markdown() string {
	widths := make([]int, len(t.Head))
	for _, cells := range append([][]string{t.Head}, t.Rows...) {
		for i, cell := range cells {
			widths[i] = max(widths[i], utf8.RuneCountInString(cell), 3)
		}
	}
	var b strings.Builder
	t.line(&b, widths, t.Head)
	for i, w := range widths {
		if t.isNumber(i) {
			b.WriteString("|" + strings.Repeat("-", w+1) + ":")
		} else {
			b.WriteString("|" + strings.Repeat("-", w+2))
		}
	}
	b.WriteString("|\n")
	for _, cells := range t.Rows {
		t.line(&b, widths, cells)
	}
	return b.String()
}

func (t *Table) line(b *strings.Builder, widths []int, cells []string) {
	for i, cell := range cells {
		pad := strings.Repeat(" ", widths[i]-utf8.RuneCountInString(cell))
		if t.isNumber(i) {
			b.WriteString("| " + pad + cell + " ")
		} else {
			b.WriteString("| " + cell + pad + " ")
		}
	}
	b.WriteString("|\n")
}

func (t *Table) isNumber(column int) bool { return column >= len(t.Head)-t.Numbers }
