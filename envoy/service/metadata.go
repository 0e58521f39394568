package service

import (
	ratelimit "github.com/envoyproxy/go-control-plane/envoy/service/ratelimit/v3"
	"google.golang.org/protobuf/types/known/structpb"
)

// metadata tells the request, and the metadata of the rules that pass.
func (c *call) metadata(statuses []*ratelimit.RateLimitResponse_DescriptorStatus) *structpb.Struct {
	descriptors := make([]*structpb.Value, len(c.descriptors))
	for i, d := range c.request.GetDescriptors() {
		entries := make([]*structpb.Value, len(d.GetEntries()))
		for j, e := range d.GetEntries() {
			entries[j] = structpb.NewStringValue(e.GetKey() + "=" + e.GetValue())
		}
		fields := map[string]*structpb.Value{
			"entries": structpb.NewListValue(&structpb.ListValue{Values: entries}),
		}
		if limit := d.GetLimit(); limit != nil {
			fields["limit"] = structpb.NewStringValue(limit.String())
		}
		if hits := d.GetHitsAddend(); hits != nil {
			fields["hitsAddend"] = structpb.NewNumberValue(float64(hits.GetValue()))
		}
		descriptors[i] = structpb.NewStructValue(&structpb.Struct{Fields: fields})
	}
	fields := map[string]*structpb.Value{
		"domain":      structpb.NewStringValue(c.request.GetDomain()),
		"descriptors": structpb.NewListValue(&structpb.ListValue{Values: descriptors}),
	}
	if hits := c.request.GetHitsAddend(); hits != 0 {
		fields["hitsAddend"] = structpb.NewNumberValue(float64(hits))
	}
	if merged := c.passingMetadata(statuses); merged != nil {
		fields["metadata"] = structpb.NewStructValue(merged)
	}
	return &structpb.Struct{Fields: fields}
}

// passingMetadata merges the metadata of the rules that pass. The first rule wins.
func (c *call) passingMetadata(statuses []*ratelimit.RateLimitResponse_DescriptorStatus) *structpb.Struct {
	var merged *structpb.Struct
	for i := range c.descriptors {
		d := &c.descriptors[i]
		if d.Rule == nil || d.replaced || d.Rule.Metadata == nil || statuses[i].GetCode() == over {
			continue
		}
		if merged == nil {
			merged = &structpb.Struct{Fields: map[string]*structpb.Value{}}
		}
		mergeMissing(merged, d.Rule.Metadata)
	}
	return merged
}

// mergeMissing adds the fields that a struct lacks, also in structs below. The other struct stays as it is.
func mergeMissing(into, from *structpb.Struct) {
	for name, value := range from.GetFields() {
		present, isThere := into.Fields[name]
		added := value.GetStructValue()
		if added == nil {
			if !isThere {
				into.Fields[name] = value
			}
			continue
		}
		if !isThere {
			present = structpb.NewStructValue(&structpb.Struct{Fields: map[string]*structpb.Value{}})
			into.Fields[name] = present
		}
		if below := present.GetStructValue(); below != nil {
			mergeMissing(below, added)
		}
	}
}
