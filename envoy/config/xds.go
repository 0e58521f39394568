package config

import (
	xds "github.com/envoyproxy/go-control-plane/ratelimit/config/ratelimit/v3"
	"google.golang.org/protobuf/encoding/protowire"
)

// FromMessage makes of a message what Parse makes of a file.
func FromMessage(m *xds.RateLimitConfig) File {
	return File{Name: m.GetName(), Root: &YamlRoot{
		Domain: m.GetDomain(), Descriptors: fromDescriptors(m.GetDescriptors(), 0),
	}}
}

// fromDescriptors reads a level of descriptors. It stops below the levels that Build accepts.
func fromDescriptors(all []*xds.RateLimitDescriptor, level int) []YamlDescriptor {
	if level > maxLevels || len(all) == 0 {
		return nil
	}
	read := make([]YamlDescriptor, len(all))
	for i, d := range all {
		read[i] = YamlDescriptor{
			Key: d.GetKey(), Value: d.GetValue(), RateLimit: fromPolicy(d.GetRateLimit()),
			Descriptors: fromDescriptors(d.GetDescriptors(), level+1),
			ShadowMode:  d.GetShadowMode(), DetailedMetric: d.GetDetailedMetric(), QuotaMode: quotaMode(d),
		}
	}
	return read
}

// fromPolicy reads a limit. The units of both protocols have the same numbers.
func fromPolicy(p *xds.RateLimitPolicy) *YamlRateLimit {
	if p == nil {
		return nil
	}
	r := &YamlRateLimit{
		RequestsPerUnit: p.GetRequestsPerUnit(), Unit: Unit(p.GetUnit()).String(),
		Unlimited: p.GetUnlimited(), Name: p.GetName(),
	}
	for _, other := range p.GetReplaces() {
		r.Replaces = append(r.Replaces, YamlReplaces{Name: other.GetName()})
	}
	return r
}

// quotaModeField is the number of quota_mode, which is newer than the released form of the message.
const quotaModeField = 7

// quotaMode reads quota_mode from the fields that the released form of the message does not know.
func quotaMode(d *xds.RateLimitDescriptor) (on bool) {
	for rest := d.ProtoReflect().GetUnknown(); len(rest) > 0; {
		number, kind, n := protowire.ConsumeTag(rest)
		if n < 0 {
			return on
		}
		rest = rest[n:]
		if number == quotaModeField && kind == protowire.VarintType {
			v, _ := protowire.ConsumeVarint(rest)
			on = v != 0
		}
		if n = protowire.ConsumeFieldValue(number, kind, rest); n < 0 {
			return on
		}
		rest = rest[n:]
	}
	return on
}
