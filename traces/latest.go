package traces

// Latest returns the record of each span that Build keeps: the one that ended, else the one written last. The spans come
// in the order in which they first appear; records without a span id are left out. The argument is left alone.
func Latest(records []Record) []Record {
	set, _ := merge(records)
	latest := make([]Record, len(set.spans))
	for i := range set.spans {
		latest[i] = *set.spans[i].rec
	}
	return latest
}
