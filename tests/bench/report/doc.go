// Package report writes the results of the bench: tables in Markdown, plots in SVG, and the statistics behind them.
//
// The way through the files: report.go puts sections into docs/performance.md. A section has a table (table.go) and
// plots (svg.go), with numbers in one form. numbers.go writes them, and has the medians.
//
// Invariants: a new section replaces the section of the same name, and the rest of the file stays the same. A report
// names no machine and no path.
//
// There are no locks.
package report
