//go:build !race

package faults

var buildFlags []string
