//go:build race

package sidecar_test

import "time"

// worldLasts is how long a world with failures lasts. The race detector makes everything seven times slower.
const worldLasts = 25 * time.Second
