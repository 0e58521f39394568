package config

import (
	"fmt"
	"strings"
)

// Dump has a line for each rule.
func (s *Set) Dump() string {
	b := &strings.Builder{}
	for _, r := range s.Rules {
		fmt.Fprintf(b, "%s: unit=%s requests_per_unit=%d, shadow_mode: %t, quota_mode: %t\n",
			r.FullKey, r.Limit.GetUnit(), r.Limit.GetRequestsPerUnit(), r.Modes.Shadow, r.Modes.Quota)
	}
	return b.String()
}
