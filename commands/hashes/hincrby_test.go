package hashes

import (
	"testing"

	"cellserver/commands"
	"cellserver/server/servertest"
)

func TestHIncrBy(t *testing.T) {
	h := servertest.New(t)
	h.Want("HINCRBY h n 5", 5)
	h.Want("HINCRBY h n -7", -2)
	h.Want("HGET h n", "-2")
	h.Want("HINCRBY h big 9223372036854775807", 9223372036854775807)
	h.Want("HINCRBY h big -9223372036854775808", -1)
}

func TestHIncrByFloat(t *testing.T) {
	h := servertest.New(t)
	h.Do("HSET h n -2")
	h.Want("HINCRBYFLOAT h n 0.1", "-1.9")
	h.Want("HINCRBYFLOAT h m 3e2", "300")
	h.Want("HINCRBY h m 1", 301)
	h.Want("HINCRBYFLOAT h f 10.5", "10.5")
	h.Want("HINCRBYFLOAT h f -0.5", "10")
	h.Want("HINCRBYFLOAT h f 5.0e3", "5010")
	h.Want("HINCRBYFLOAT h g 1e-5", "0.00001")
	h.Want("HGET h g", "0.00001")
}

func TestHIncrByErrors(t *testing.T) {
	h := servertest.New(t)
	h.Do("INCR s")
	h.Do("HSET h text x big 9223372036854775807 small -9223372036854775808 inf inf space ' 1' empty ''")
	for line, err := range map[string]commands.Error{
		"HINCRBY s a x":          commands.ErrNotInteger,
		"HINCRBY s a 1.5":        commands.ErrNotInteger,
		"HINCRBY s a 1":          commands.ErrWrongType,
		"HINCRBY h text 1":       "ERR hash value is not an integer",
		"HINCRBY h space 1":      "ERR hash value is not an integer",
		"HINCRBY h empty 1":      "ERR hash value is not an integer",
		"HINCRBY h big 1":        "ERR increment or decrement would overflow",
		"HINCRBY h small -1":     "ERR increment or decrement would overflow",
		"HINCRBYFLOAT s a x":     commands.ErrNotFloat,
		"HINCRBYFLOAT s a nan":   commands.ErrNotFloat,
		"HINCRBYFLOAT s a inf":   "ERR value is NaN or Infinity",
		"HINCRBYFLOAT s a 1":     commands.ErrWrongType,
		"HINCRBYFLOAT h text 1":  "ERR hash value is not a float",
		"HINCRBYFLOAT h space 1": "ERR hash value is not a float",
		"HINCRBYFLOAT h empty 1": "ERR hash value is not a float",
		"HINCRBYFLOAT h inf 1":   "ERR increment would produce NaN or Infinity",
	} {
		h.Want(line, err)
	}
	h.Want("HMGET h text big small inf", []string{"x", "9223372036854775807", "-9223372036854775808", "inf"})
}
