package main

import (
	"strings"
	"unicode/utf8"
)

// table is a table of text; columns of numbers are set to the right.
type table struct {
	head    []string
	numbers int // so many columns at the end are numbers
	rows    [][]string
}

func (t *table) add(cells ...string) { t.rows = append(t.rows, cells) }

// markdown is the table with its columns aligned, so that it also reads as plain text.
func (t *table) markdown() string {
	widths := make([]int, len(t.head))
	for _, cells := range append([][]string{t.head}, t.rows...) {
		for i, cell := range cells {
			widths[i] = max(widths[i], utf8.RuneCountInString(cell), 3)
		}
	}
	var b strings.Builder
	t.line(&b, widths, t.head)
	for i, w := range widths {
		if t.isNumber(i) {
			b.WriteString("|" + strings.Repeat("-", w+1) + ":")
		} else {
			b.WriteString("|" + strings.Repeat("-", w+2))
		}
	}
	b.WriteString("|\n")
	for _, cells := range t.rows {
		t.line(&b, widths, cells)
	}
	return b.String()
}

func (t *table) line(b *strings.Builder, widths []int, cells []string) {
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

func (t *table) isNumber(column int) bool { return column >= len(t.head)-t.numbers }
