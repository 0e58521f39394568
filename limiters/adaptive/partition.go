package adaptive

// MostPartitions is how many partitions a limit may have.
const MostPartitions = 8

// Share returns a percentage of a limit, rounded up, at least 1.
func Share(limit, percent int64) int64 { return max(1, (limit*percent+99)/100) }

// Room returns how many calls a partition may have under way, while `others` are under way outside of it.
// As long as the total is below the limit everyone may enter. At the limit a partition still has its share.
// `upTo` is the percentage of both that a call may fill, because others are more important. A percent of 0
// is no partition.
func Room(limit, others, percent, upTo int64) int64 {
	room := Share(limit, upTo) - others
	if percent > 0 {
		room = max(room, Share(Share(limit, percent), upTo))
	}
	return max(room, 0)
}
