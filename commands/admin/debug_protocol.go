package admin

import (
	"strings"

	"cellserver/commands"
)

// protocolSamples are the replies of DEBUG PROTOCOL. Client libraries test their parsers with them.
var protocolSamples = map[string]func(c *commands.Call){
	"string":  func(c *commands.Call) { c.Out.BulkString("Hello World") },
	"integer": func(c *commands.Call) { c.Out.Int(12345) },
	"double":  func(c *commands.Call) { c.Out.Double(3.141) },
	"null":    func(c *commands.Call) { c.Out.Null() },
	"true":    func(c *commands.Call) { c.Out.Bool(true) },
	"false":   func(c *commands.Call) { c.Out.Bool(false) },
	"bignum":  func(c *commands.Call) { c.Out.BigNumber("1234567999999999999999999999999999999") },
	"verbatim": func(c *commands.Call) {
		c.Out.Verbatim("txt", "This is a verbatim\nstring")
	},
	"array": func(c *commands.Call) { c.Out.Array(3); threeInts(c) },
	"set":   func(c *commands.Call) { c.Out.Set(3); threeInts(c) },
	"map": func(c *commands.Call) {
		c.Out.Map(3)
		for i := range 3 {
			c.Out.Int(int64(i))
			c.Out.Bool(i == 1)
		}
	},
	"attrib": func(c *commands.Call) {
		if c.Out.Proto > 2 {
			c.Out.Raw([]byte("|1\r\n$14\r\nkey-popularity\r\n*2\r\n$7\r\nkey:123\r\n:90\r\n"))
		}
		c.Out.BulkString("Some real reply following the attribute")
	},
	"push": func(c *commands.Call) {
		if c.Out.Proto > 2 {
			c.Out.Push(2)
			c.Out.BulkString("server-cpu-usage")
			c.Out.Int(42)
		}
		c.Out.BulkString("Some real reply following the push")
	},
}

func threeInts(c *commands.Call) {
	for i := range 3 {
		c.Out.Int(int64(i))
	}
}

func debugProtocol(c *commands.Call) error {
	sample := protocolSamples[strings.ToLower(string(c.Args[2]))]
	if sample == nil {
		return commands.Error("ERR Wrong protocol type name. Please use one of the following: " +
			"string|integer|double|null|array|set|map|attrib|push|verbatim|true|false")
	}
	sample(c)
	return nil
}
