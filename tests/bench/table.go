package main

import (
	"fmt"
	"strings"
	"unicode/utf8"
)

// table is a table of text. Columns of numbers are aligned to the right.
type table struct {
	head    []string
	numbers int // the number of columns at the end that hold numbers
	rows    [][]string
}

func (t *table) add(cells ...string) { t.rows = append(t.rows, cells) }

// markdown writes the table with aligned columns, so that it also reads as plain text.
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
		end := "-"
		if t.isNumber(i) {
			end = ":"
		}
		b.WriteString("|" + strings.Repeat("-", w+1) + end)
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

// percent writes a part of one.
func percent(part float64) string { return fmt.Sprintf("%.0f %%", 100*part) }

// thousands groups the digits of a positive number: 1,234,567.
func thousands(v float64) string {
	digits := fmt.Sprintf("%.0f", v)
	for at := len(digits) - 3; at > 0; at -= 3 {
		digits = digits[:at] + "," + digits[at:]
	}
	return digits
}
