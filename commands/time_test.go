package commands

import "testing"

func TestTime(t *testing.T) {
	h := newHarness(t)
	h.want("TIME", []string{"1700000000", "123456"})
	h.at(5_000_000_999)
	h.want("TIME", []string{"5", "0"})
	h.want("TIME now", wrongArity("time").(Error))
}
