package acl

// The bounds of the users. Each byte counts as ACL LIST shows it.
const (
	MaxUsers     = 10_000
	MaxBytes     = 16 << 20 // of all users together
	MaxUserBytes = 64 << 10 // of one user
	MaxSelectors = 64       // of one user, beside its own rules
)
