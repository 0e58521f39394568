package report

import (
	"fmt"
	"math"
	"strconv"
	"time"
)

func InMs(d time.Duration) float64 { return d.Seconds() * 1e3 }

func InMilliseconds(d time.Duration) string { return Milliseconds(InMs(d)) }

func Megabytes(bytes int64) string { return fmt.Sprintf("%.1f", float64(bytes)/1e6) }

// Times writes a ratio for a table, or a dash if base is NaN.
func Times(value, base float64) string {
	if math.IsNaN(base) {
		return "–"
	}
	return fmt.Sprintf("%.2f", value/base)
}

// Percent writes a part of one.
func Percent(part float64) string { return fmt.Sprintf("%.0f %%", 100*part) }

func Milliseconds(v float64) string { return fmt.Sprintf("%.2f", v) }

// Thousands groups the digits of a whole number: 1,234,567.
func Thousands(v float64) string {
	digits := strconv.FormatInt(int64(math.Round(v)), 10)
	var b []byte
	for i := range len(digits) {
		if i > 0 && (len(digits)-i)%3 == 0 && digits[i-1] != '-' {
			b = append(b, ',')
		}
		b = append(b, digits[i])
	}
	return string(b)
}
