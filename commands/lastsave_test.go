package commands

import "testing"

func TestLastSave(t *testing.T) { newHarness(t).want("LASTSAVE", int(start/1e9)) }
