package limits

import (
	"cellserver/commands"
	"cellserver/limiters"
	"cellserver/limiters/rules"
	"cellserver/limiters/ruleset"
	"cellserver/store"
)

// entrySteps is how many steps ([commands.Cost]) it takes to add an entry to a log.
const entrySteps = 20

// fewUnits is a quantity that never takes long, in however many logs.
const fewUnits = commands.MaxSteps / (entrySteps * rules.MaxPairs * ruleset.MaxLimits)

// stepsOfLogs returns how many steps it takes to add a quantity to some logs, one entry for each unit.
func stepsOfLogs(quantity int64, logs int) int {
	return entrySteps * logs * int(max(0, min(quantity, commands.MaxSteps)))
}

// costOfLog is the [commands.Cost] of CL.LOG. With a resolution, CL.LOG reads all entries of the log.
func costOfLog(c *commands.Call) int {
	const countedPerStep = 3
	if len(c.Args) <= 4 {
		return entrySteps
	}
	args := &c.Conn.Scratch.Limiter().Args
	args.Begin(c.Cmd.Name, c.Args[2:])
	switch l, err := limiters.ReadLog(args); {
	case err != nil:
		return 0
	case l.Resolution > 0:
		if e := c.Tx.Peek(c.Args[1]); e.Kind() == store.Sorted {
			return e.Sorted().Len() / countedPerStep
		}
		return 0
	}
	return stepsOfLogs(args.Quantity, 1)
}

// costOfCheck is the [commands.Cost] of CL.CHECK.
func costOfCheck(c *commands.Call) int {
	const firstKey = 2
	if len(c.Args) <= firstKey+1 {
		return 0
	}
	rest := min(1+lastKey(c), len(c.Args))
	quantity := quantityIn(c.Args[rest:])
	if quantity <= fewUnits {
		return 0
	}
	return stepsOfLogs(quantity, c.Server.Rules.Logs(c.Tx, c.Args[1], c.Args[firstKey:rest]))
}

// costOfMcheck is the [commands.Cost] of CL.MCHECK.
func costOfMcheck(c *commands.Call) int {
	if q := c.Conn.Link.Asked; q != nil && q.Quantity <= fewUnits {
		return 0 // as most requests of HTTP
	}
	return costOfPairs(c)
}

// costOfPairs is the price of a large quantity, or of one that is in the words.
func costOfPairs(c *commands.Call) int {
	pairs, quantity := mcheckPairs(c), int64(0)
	if q := c.Conn.Link.Asked; q != nil {
		pairs, quantity = q.Pairs, q.Quantity
	} else {
		quantity = quantityIn(c.Args[min(2+len(pairs), len(c.Args)):])
	}
	logs := 0
	for at := 1; at < len(pairs) && quantity > fewUnits; at += 2 {
		logs += c.Server.Rules.Logs(c.Tx, pairs[at-1], pairs[at:at+1])
	}
	return stepsOfLogs(quantity, logs)
}

// costOfRule is the [commands.Cost] of CL.RULE SET: a rule in JSON may have thousands of overrides.
func costOfRule(c *commands.Call) (steps int) {
	const stepsOfByte = 5
	for _, w := range c.Args[3:] {
		steps += stepsOfByte * len(w)
	}
	return steps
}

// costOfRules is the [commands.Cost] of CL.RULE LIST and GET: rules in force may have very many overrides.
func costOfRules(c *commands.Call) int {
	if c.Cmd.Name == "get" && len(c.Args) == 3 {
		return 0 // it shows no overrides
	}
	const toText = 4 // to sort an override and to write its text takes longer than to copy it
	return toText * commands.StepsOfBytes(int(c.Server.Rules.Bytes()))
}

// quantityIn returns the quantity among the words after the keys of a rule. No other word is a number.
func quantityIn(words [][]byte) (most int64) {
	for _, w := range words {
		n, _ := commands.ParseInt(w)
		most = max(most, n)
	}
	return most
}
