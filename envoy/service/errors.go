package service

import (
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"
)

// Errors that users of the service know. Their code is UNKNOWN.
var (
	errNoDomain      = status.Error(codes.Unknown, "rate limit domain must not be empty")
	errNoDescriptors = status.Error(codes.Unknown, "rate limit descriptor list must not be empty")
	errNoRules       = status.Error(codes.Unknown, "no rate limit configuration loaded")
)

// maxDescriptors bounds a request, and so what one client makes the store do at once.
const maxDescriptors = 1024

// errTooMany refuses a request with too many descriptors.
func errTooMany(n int) error {
	return status.Errorf(codes.InvalidArgument,
		"rate limit descriptor list has %d descriptors, and %d are the most", n, maxDescriptors)
}
