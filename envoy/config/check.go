package config

import (
	"cmp"
	"fmt"
	"slices"
)

// validKeys are legal at every level of a file.
var validKeys = map[string]bool{
	"domain": true, "key": true, "value": true, "descriptors": true, "rate_limit": true, "unit": true,
	"requests_per_unit": true, "unlimited": true, "shadow_mode": true, "quota_mode": true, "name": true,
	"replaces": true, "detailed_metric": true, "value_to_metric": true, "share_threshold": true,
	"metadata": true,
}

// checkKeys refuses keys that a file may not have. Below metadata everything is legal.
func checkKeys(file string, level map[any]any) error {
	for _, k := range sortedKeys(level) {
		key, ok := k.(string)
		if !ok {
			return fault(file, "config error, key is not of type string: %v", k)
		}
		if !validKeys[key] {
			return fault(file, "config error, unknown key '%s'", key)
		}
		if key == "metadata" {
			continue
		}
		if err := checkValue(file, level[k]); err != nil {
			return err
		}
	}
	return nil
}

// checkValue checks a value and all below it.
func checkValue(file string, value any) error {
	switch value := value.(type) {
	case []any:
		for _, element := range value {
			below, ok := asMap(element)
			if !ok {
				return fault(file, "config error, yaml file contains list of type other than map: %v",
					element)
			}
			if err := checkKeys(file, below); err != nil {
				return err
			}
		}
		return nil
	case string, int, bool, nil:
		return nil
	}
	if below, ok := asMap(value); ok {
		return checkKeys(file, below)
	}
	return fault(file, "error checking config")
}

// asMap returns a value as a map. The parser has another type for a map that has text keys only.
func asMap(value any) (map[any]any, bool) {
	switch value := value.(type) {
	case map[any]any:
		return value, true
	case map[string]any:
		all := make(map[any]any, len(value))
		for k, v := range value {
			all[k] = v
		}
		return all, true
	}
	return nil, false
}

// sortedKeys makes the first error the same one each time.
func sortedKeys(level map[any]any) []any {
	keys := make([]any, 0, len(level))
	for k := range level {
		keys = append(keys, k)
	}
	slices.SortFunc(keys, func(a, b any) int { return cmp.Compare(fmt.Sprint(a), fmt.Sprint(b)) })
	return keys
}
