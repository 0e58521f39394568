package config

import (
	"bufio"
	"fmt"
	"io"
)

// Dump writes a line for each rule.
func (s *Set) Dump(to io.Writer) error {
	w := bufio.NewWriter(to)
	for _, r := range s.Rules {
		fmt.Fprintf(w, "%s: unit=%s requests_per_unit=%d, shadow_mode: %t, quota_mode: %t\n",
			r.FullKey, r.Limit.GetUnit(), r.Limit.GetRequestsPerUnit(), r.Modes.Shadow, r.Modes.Quota)
	}
	return w.Flush()
}
