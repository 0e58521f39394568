//go:build !race

package sidecar_test

import "time"

// worldLasts is how long a world with failures lasts.
const worldLasts = time.Minute
