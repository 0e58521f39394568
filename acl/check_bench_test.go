package acl_test

import (
	"fmt"
	"testing"

	"cellserver/acl"
)

// BenchmarkCheck measures the check of a user with patterns. The last pattern allows the key.
func BenchmarkCheck(b *testing.B) {
	for _, patterns := range []int{1, 10, 100, 1000} {
		b.Run(fmt.Sprint(patterns), func(b *testing.B) {
			words := []string{"+get"}
			for i := range patterns {
				words = append(words, fmt.Sprintf("~tenant:%04d:*", i))
			}
			user, err := acl.New(table).Set("u", words, false)
			if err != nil {
				b.Fatal(err)
			}
			r := acl.Request{
				Command: get, Args: [][]byte{[]byte("get"), fmt.Appendf(nil, "tenant:%04d:user:4711", patterns-1)},
				Keys: []acl.Key{{At: 1, Need: acl.Read}},
			}
			b.ReportAllocs()
			for b.Loop() {
				if why, _ := user.Limits().Check(&r); why != acl.Allowed {
					b.Fatal(why)
				}
			}
		})
	}
}
