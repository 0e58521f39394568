//go:build !linux

package main

// dropStartPages does nothing: other systems have no call for it.
func dropStartPages() {}
